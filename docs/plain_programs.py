"""Make of the wrong program of a finding's page the same in plain JAX, without our question.

Only its call is written by hand, in `docs/guide/plain.toml`: of the page's own program remains what
the call needs. Where a trace is to be seen, its function says so in its first line.
"""

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

TABLE = Path(__file__).parent / "guide/plain.toml"
LEAD = "In plain JAX, without our question:"
BLOCK = re.compile(rf"\n{LEAD}\n\n```python\n.*?```\n(?:\n```text\n.*?```\n)?", re.DOTALL)
WRONG = re.compile(r"(?<=\n## Wrong\n\n)```python\n(.*?)```\n\n```text\n.*?```\n", re.DOTALL)


@cache
def calls() -> dict[str, dict[str, str]]:
    """Return how each program is called, by the name of its page."""
    return tomllib.loads(TABLE.read_text("utf-8"))


def with_plain(name: str, text: str) -> str:
    """Return the text of a page with its plain program, if it has one, below the wrong one."""
    text = BLOCK.sub("", text)
    if name not in calls():
        return text
    return WRONG.sub(
        lambda found: f"{found[0]}\n{LEAD}\n\n```python\n{plain(found[1], **calls()[name])}```\n",
        text,
        count=1,
    )


def plain(code: str, call: str, traced: str = "") -> str:
    """Return a program of which only what a call needs is left, and the call.

    >>> plain("from traced import ask\\na = 1\\nb = 2\\nprint(ask(b))\\n", "print(b)")
    'b = 2\\n\\nprint(b)\\n'
    """
    if inner := handed_on(code):
        call, traced = f'run("""\n{reduced(inner, call, traced)}""")', ""
    return reduced(code, call, traced)


def handed_on(code: str) -> str:
    """Return the program that a program has another process run, or nothing.

    >>> handed_on("HEAD = 'a = 1; '\\nrun(HEAD + 'b = 2')\\n")
    'a = 1; b = 2'
    """
    *before, last = ast.parse(code).body
    if not (isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)):
        return ""
    if ast.unparse(last.value.func) != "run":
        return ""
    texts = {
        ast.unparse(each.targets[0]): ast.literal_eval(each.value)
        for each in before
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant)
    }
    parts = [each for each in ast.walk(last.value.args[0]) if isinstance(each, ast.expr)]
    return "".join(
        texts[each.id] if isinstance(each, ast.Name) else str(each.value)
        for each in parts
        if isinstance(each, ast.Name | ast.Constant)
    )


def reduced(code: str, call: str, traced: str) -> str:
    """Return the statements of a program that a call needs, and the call."""
    statements = [each for each in ast.parse(code).body if not is_ours(each)]
    needed = loaded(ast.parse(call))
    kept: list[ast.stmt] = []
    # What a function reads may stand below it.
    for statement in [*reversed(statements), *reversed(statements)]:
        if statement not in kept and (bound(statement) | decorators(statement)) & needed:
            kept.append(statement)
            needed |= loaded(statement)
    # What is registered with a function stands below it, and was passed before it was known.
    kept = [each for each in statements if each in kept or decorators(each) & names(kept)]
    lines = code.splitlines()
    parts = [told(text_of(each, lines), traced) for each in kept]
    imports = [part for part, each in zip(parts, kept, strict=True) if is_import(each)]
    # An import of the call stands above, with the others.
    own = {text_of(each, call.splitlines()) for each in ast.parse(call).body if is_import(each)}
    new = sorted(own - {*imports})
    imports = [
        *filter(is_of_python, new),
        *imports,
        *(each for each in new if not is_of_python(each)),
    ]
    if "jax" in needed and "import jax" not in imports:
        imports.insert(0, "import jax")
    rest = [part for part, each in zip(parts, kept, strict=True) if not is_import(each)]
    call = "\n".join(line for line in call.splitlines() if line not in own).strip("\n")
    return "\n\n".join(part for part in ("\n".join(imports), *rest, call) if part) + "\n"


def is_import(statement: ast.stmt) -> bool:
    """Tell whether a statement is an import."""
    return isinstance(statement, ast.Import | ast.ImportFrom)


def is_of_python(text: str) -> bool:
    """Tell whether an import is of what comes with Python."""
    return text.split()[1].partition(".")[0] in sys.stdlib_module_names


def is_ours(statement: ast.stmt) -> bool:
    """Tell whether a statement imports from the course."""
    return isinstance(statement, ast.ImportFrom) and str(statement.module).startswith("traced")


def loaded(node: ast.AST) -> set[str]:
    """Return the names that a program reads."""
    found = (each for each in ast.walk(node) if isinstance(each, ast.Name))
    return {each.id for each in found if isinstance(each.ctx, ast.Load)}


def bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {each.asname or each.name for each in statement.names}
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    found = (each for each in ast.walk(statement) if isinstance(each, ast.Name))
    return {each.id for each in found if isinstance(each.ctx, ast.Store)}


def names(statements: list[ast.stmt]) -> set[str]:
    """Return the names that statements other than imports bind."""
    return {name for each in statements if not is_import(each) for name in bound(each)}


def decorators(statement: ast.stmt) -> set[str]:
    """Return the names in the decorators of a function that are no modules."""
    above = getattr(statement, "decorator_list", [])
    return {name for each in above for name in loaded(each)} - {"jax", "nnx"}


def text_of(statement: ast.stmt, lines: list[str]) -> str:
    """Return the lines of a statement, with those of its decorators."""
    above = getattr(statement, "decorator_list", [])
    first = min(each.lineno for each in (statement, *above))
    return "\n".join(lines[first - 1 : statement.end_lineno])


def told(text: str, traced: str) -> str:
    """Return a function that says in its first line that it is traced, if it has that name."""
    line = rf'\1\n    print("{traced} is traced")'
    return re.sub(rf"^(def {traced}\(.*\):)$", line, text, flags=re.MULTILINE) if traced else text
