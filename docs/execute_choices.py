"""Check a few answers to each exercise, one of them right, and store what its check says of each.

On the page a reader chooses which of them passes. They are those of the tests, under the name of
the exercise: of the first findings in the table the first answer that is short and needs no other
answer, and the right one that is most like them in length. What the lesson gives to be repaired is
none of them. `tests/lessons` runs them again.
"""

import argparse
import ast
import contextlib
import hashlib
import inspect
import io
import json
import linecache
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
from plain_programs import bound

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))

from traced.course.exercise import Exercise, source_of  # noqa: E402  # the tests lie in the root

FOLDER = ROOT / "docs/choices"
WRONG = 3  # answers beside the right one
SHORT = 14  # lines: more are not read on a phone
LONG = 20  # a third wrong answer that is longer is left out
WIDTH = 64  # of a line
UNSTEADY = {"keys/not-repeatable"}  # findings that quote other numbers each time
TEMPORARY = re.compile(re.escape(tempfile.gettempdir()) + r"/\w+(?=/)")
CHECK = re.compile(r"^ex\.(\w+)\.check\(\1\)$", re.MULTILINE)
RAISES = re.compile(r"^ +raise NotImplementedError\b.*\n", re.MULTILINE)
SOLUTIONS = re.compile(r"traced\.lessons\.\w+\.solutions")


@dataclass
class Program:
    """An answer as it is shown, what the page has of it above, and its finding, if any."""

    source: str
    above: str
    finding: str = ""
    solved: frozenset[str] = frozenset()  # names by which the page has something else

    @property
    def length(self) -> int:
        """The number of its lines."""
        return len(self.source.splitlines())


@dataclass
class Page:
    """What a lesson's cells import and define, and which exercises they check."""

    imports: list[str] = field(default_factory=list)
    defined: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    exercises: list[str] = field(default_factory=list)
    given: dict[str, set[str]] = field(default_factory=dict)  # the statements of each stub


@cache
def read_page(notebook: Path) -> Page:
    """Read the cells of a lesson."""
    page = Page()
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            code = "".join(cell["source"])
            for name in CHECK.findall(code):
                page.exercises.append(name)
                page.given[name] = statements(RAISES.sub("", code))
            for node in ast.parse(re.sub("^%.*$", "", code, flags=re.MULTILINE)).body:
                if is_import(node):
                    page.imports += map(ast.unparse, single(node))
                page.defined.add(ast.unparse(node))
                page.names |= bound(node)
    return page


def statements(code: str) -> set[str]:
    """Return the statements of code that are no imports, without comments and docstrings.

    Of a stub that has nothing to repair, where its `raise` was taken away, there are none.
    """
    try:
        body = ast.parse(without_comments(code)).body
    except SyntaxError:
        return set()
    return {ast.unparse(node) for node in body if not is_import(node)}


def is_import(node: ast.AST) -> bool:
    """Tell whether a statement is an import."""
    return isinstance(node, ast.Import | ast.ImportFrom)


def single(node: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the import of each name of an import."""
    assert isinstance(node, ast.Import | ast.ImportFrom)
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield ast.Import([alias])
        else:
            yield ast.ImportFrom(node.module, [alias], node.level)


def used(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that statements mention."""
    return {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}


def free(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that statements mention, and neither define nor take as an argument."""
    each = [part for node in nodes if not is_import(node) for part in ast.walk(node)]
    own = {part.arg for part in each if isinstance(part, ast.arg)}
    own |= {part.name for part in each if isinstance(part, ast.FunctionDef)}
    return used(nodes) - own


def is_given(node: ast.stmt, page: Page) -> bool:
    """Tell whether the page has what an import takes from a solution, or asks for it."""
    assert isinstance(node, ast.ImportFrom)
    assert node.module is not None
    name = node.names[0].name
    value = inspect.unwrap(getattr(import_module(node.module), name))
    if name in page.exercises or not inspect.isfunction(value):
        return True
    return ast.unparse(ast.parse(inspect.getsource(value))) in page.defined


def program(answer: Any, exercise: Exercise, page: Page) -> Program | None:
    """Return an answer under the name of its exercise, without comments, if it can be given one.

    What the page imports or defines is left out, and stands `above`.
    """
    name = getattr(answer, "__name__", "")
    if not name.isidentifier():
        return None
    code = without_comments(source_of(answer))
    above: list[str] = []
    kept: list[str] = []
    solved: set[str] = set()
    statements = ast.parse(code).body
    needed = used([node for node in statements if not is_import(node)])
    for node in statements:
        if is_import(node):
            for each in single(node):
                (alias,) = bound(each)
                if alias in needed:
                    from_solution = SOLUTIONS.search(ast.unparse(each)) and alias in page.names
                    known = from_solution or ast.unparse(each) in page.imports
                    if from_solution and alias in free(statements) and not is_given(each, page):
                        solved.add(alias)
                    (above if known else kept).append(ast.unparse(each))
        else:
            (above if ast.unparse(node) in page.defined else kept).append(text_of(node, code))
    source = merged("\n".join(kept), name)
    if source is None or (name != exercise.name and mentions(source, exercise.name)):
        return None
    own = re.sub(rf"\b{name}\b", exercise.name, source)
    return Program(own, "\n".join(above), solved=frozenset(solved))


def mentions(source: str, name: str) -> bool:
    """Tell whether code has a name already."""
    return re.search(rf"\b{name}\b", source) is not None


def without_comments(code: str) -> str:
    """Return code without its comments and docstrings, which say what is wrong with it."""
    lines = code.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            said = node.body[0]
            assert said.end_lineno is not None
            emptied = [""] * (said.end_lineno - said.lineno + 1)
            emptied[0] = " " * said.col_offset + "pass" if len(node.body) == 1 else ""
            lines[said.lineno - 1 : said.end_lineno] = emptied
    return "\n".join(line for line in lines if line.strip())


def text_of(node: ast.stmt, code: str) -> str:
    """Return the lines of a statement, with those of its decorators."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return "\n".join(code.splitlines()[first - 1 : node.end_lineno])


def merged(code: str, name: str) -> str | None:
    """Return code in which a class has what it inherits from another one of the code.

    That is nothing where the class calls what it inherits.
    """
    body = ast.parse(code).body
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    own = classes.get(name)
    names = [base.id for base in own.bases if isinstance(base, ast.Name)] if own else []
    base = next((classes[each] for each in names if each in classes), None)
    if own is None or base is None:
        return code
    if "super" in used([own]):
        return None
    methods = {each.name for each in own.body if isinstance(each, ast.FunctionDef)}
    parts = [*(each for each in base.body if getattr(each, "name", "") not in methods), *own.body]
    parts = [each for each in parts if not isinstance(each, ast.Pass)]
    parts.sort(key=lambda each: (hasattr(each, "name"), getattr(each, "name", "") != "__init__"))
    bases = ", ".join(map(ast.unparse, base.bases))
    header = f"class {name}({bases}):" if bases else f"class {name}:"
    marks = [f"@{ast.unparse(each)}" for each in [*own.decorator_list, *base.decorator_list]]
    whole = "\n".join([*marks, header, *(text_of(each, code) for each in parts)])
    rest = [text_of(each, code) for each in body if each is not own and each is not base]
    return merged("\n".join([*rest, whole]), name)


@cache
def formatted(code: str) -> str:
    """Return code as ruff formats it."""
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or "ruff"
    command = [ruff, "format", f"--line-length={WIDTH}", "--no-cache", "-"]
    run = subprocess.run(command, input=code, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def candidates(
    answers: Sequence[Any], others: set[str], exercise: Exercise, page: Page, finding: str = ""
) -> Iterator[Program]:
    """Yield those answers that can be shown: they need no other one, and are not the stub."""
    for answer in answers:
        shown = program(answer, exercise, page)
        if shown is None or statements(shown.source) <= page.given.get(exercise.name, set()):
            continue
        if not used([ast.parse(shown.source)]) & others:
            yield Program(formatted(shown.source), shown.above, finding, shown.solved)


def shortest(
    wrong: dict[str, Sequence[Any]], others: set[str], exercise: Exercise, page: Page
) -> list[Program]:
    """Return of each finding the first answer that is short, or else the shortest."""
    found = []
    for code, some in wrong.items():
        if code in UNSTEADY:
            continue
        if best := shortest_of(candidates(some, others, exercise, page, code)):
            found.append(best)
    return found


def shortest_of(answers: Iterable[Program]) -> Program | None:
    """Return the first that is short, and look at no later one, or else the shortest."""
    best = None
    for each in answers:
        if each.length <= SHORT:
            return each
        best = min(best or each, each, key=lambda one: one.length)
    return best


def choose(exercise: Exercise, answers: ModuleType, page: Page) -> list[Program]:
    """Return the answers to choose from, in an order that nobody can guess and that stays."""
    right, wrong = answers.RIGHT[exercise.name], answers.WRONG[exercise.name]
    every = [*right, *(each for some in wrong.values() for each in some)]
    others = {getattr(each, "__name__", "") for each in every} - {exercise.name}
    found = shortest(wrong, others, exercise, page)
    found.sort(key=lambda one: max(one.length, SHORT))
    chosen = [one for at, one in enumerate(found[:WRONG]) if at < WRONG - 1 or one.length <= LONG]
    usual = sum(one.length for one in chosen) / len(chosen)
    passing = candidates([*right, exercise.answer], others, exercise, page)
    chosen.append(min(passing, key=lambda one: abs(one.length - usual)))
    return sorted(chosen, key=lambda one: hashlib.sha256(one.source.encode()).digest())


def said_of(shown: Program, exercise: Exercise, page: Page) -> str:
    """Return what the check says of an answer, as HTML.

    Raises `ValueError` if it says something else than the tests require.
    """
    namespace: dict[str, Any] = {"__name__": "page"}
    exec("\n".join([*page.imports, shown.above]), namespace)
    lines = shown.source.splitlines(keepends=True)
    linecache.cache["cell"] = (len(shown.source), None, lines, "cell")
    exec(compile(shown.source, "cell", "exec"), namespace)
    with contextlib.redirect_stdout(io.StringIO()):
        feedback = exercise.check(namespace[exercise.name])
    finding = feedback.finding.code if feedback.finding else ""
    if feedback.state not in ("passed", "not yet") or finding != shown.finding:
        raise ValueError(f"{exercise.name}: {shown.finding or 'passed'} was due, got\n{feedback}")
    # A temporary folder has another name each time.
    return TEMPORARY.sub("…", feedback._repr_html_())


def executed(exercise: Exercise, answers: ModuleType, page: Page) -> dict[str, Any]:
    """Return what the page shows beside an exercise."""
    chosen = choose(exercise, answers, page)
    rows = [
        {
            "source": each.source,
            "passes": not each.finding,
            "said": said_of(each, exercise, page),
        }
        for each in chosen
    ]
    solved = sorted(frozenset().union(*(each.solved for each in chosen)))
    told = {"solved": solved} if solved else {}
    return {"hints": exercise.folded_hints(), **told, "answers": rows}


def lessons(names: Sequence[str] = ()) -> list[Path]:
    """List the named lessons, or all of them, by their notebooks."""
    every = sorted((ROOT / "notebooks").glob("[0-9][0-9]*_*.ipynb"))
    return [path for path in every if not names or path.stem in names]


def lesson_executed(notebook: Path) -> dict[str, Any]:
    """Return what a lesson's page shows beside its exercises, by their names."""
    name, page = notebook.stem.partition("_")[2], read_page(notebook)
    asked, answers = (import_module(f"{where}.lessons.{name}") for where in ("traced", "tests"))
    exercises = {each.name: each for each in asked.EXERCISES}
    return {
        each: executed(exercises[each], answers, page) for each in dict.fromkeys(page.exercises)
    }


def main(names: Sequence[str]) -> None:
    """Store what the pages show, and say which of them have changed."""
    # As in the tests: one process runs the exercises of all lessons, and lesson 15 needs them.
    jax.config.update("jax_num_cpu_devices", 8)
    FOLDER.mkdir(exist_ok=True)
    for notebook in lessons(names):
        text = json.dumps(lesson_executed(notebook), indent=1, ensure_ascii=False) + "\n"
        stored = FOLDER / f"{notebook.stem}.json"
        if not stored.exists() or stored.read_text("utf-8") != text:
            stored.write_text(text, "utf-8")
            print(f"stored {stored.name}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NN_name", help="lessons; all if none is named")
    main(parser.parse_args().names)
