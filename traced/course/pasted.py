"""An error made again from the text of its traceback, for `explain`, which looks at errors.

What the text shows is made again: the class, the message, the frames with their lines, the causes.
The values in the frames are gone, so names stand for what they stand for in most programs.
"""

import ast
import builtins
import linecache
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import flax.errors
import flax.nnx
import jax.errors
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]  # it has no types

from traced.course.symptom import symptoms
from traced.python.origin import LIBRARIES, SHORTENED, STAND_INS, library_of_module
from traced.python.signature import REFUSED

CAUSE = "The above exception was the direct cause of the following exception:"
CONTEXT = "During handling of the above exception, another exception occurred:"
ESCAPE = re.compile(r"\x1b\[[\d;]*m|\r")
#: What pytest writes before the lines of an error, and of the program that raised it.
PYTEST = re.compile(r"^(?:E {3}|>(?= {3}))", re.MULTILINE)
#: How an entry begins: in Python, in Jupyter with a file and with a cell, and in pytest.
FRAME = re.compile(
    r'^\s*File "(?P<python>.+?)", line (?P<a>\d+)(?:, in (?P<f>\S+))?'
    r"|^\s*File (?P<jupyter>\S.*?):(?P<b>\d+)(?:, in (?P<g>[\w.<>]+))?"
    r"|^\s*(?P<cell>Cell In ?\[\d+\]), line (?P<c>\d+)(?:, in (?P<h>[\w.<>]+))?"
    r"|^(?P<pytest>\S+\.py):(?P<d>\d+): in (?P<i>\S+)"
)
#: The line of Jupyter's entries that was under way: `----> 3 x = f(2)`.
ARROW = re.compile(r"^-+> *(\d+) (.*)")
#: How a last line begins, after entries; without them it has to look like the name of an error.
HEAD = re.compile(r"^(?P<module>(?:[A-Za-z_]\w*\.)*)(?P<name>[A-Za-z_]\w*)(?:: ?|$)")
BARE = re.compile(
    r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|NotFound|Iteration|Group)(?:: ?|$)"
)
#: What Python could not call, look into or combine: `'Linear' object`, `'float' and 'State'`.
QUOTED = re.compile(r"(?:: |and |of )?'(\w+)'(?= object\b| and |$)")
REMOVED = re.compile(r"-{10,}\n(?:For simplicity, JAX has|The stack trace below excludes)")
NOTE = re.compile(r"\n-{10,}\nFor simplicity, JAX", re.DOTALL)
INSTALLED = re.compile(r"(?:site|dist)-packages/(.+)")
STANDARD = re.compile(r"/lib/python3|/Lib/|^<frozen")
#: What names stand for in most programs.
NAMES: dict[str, Any] = {
    "jax": jax,
    "jnp": jnp,
    "jr": jax.random,
    "lax": jax.lax,
    "nnx": flax.nnx,
    "np": np,
    "numpy": np,
    "optax": optax,
    "random": jax.random,
}
_TEXTS = count()


@dataclass
class Entry:
    """One entry of a traceback as it was printed."""

    file: str
    line: int
    function: str
    source: str = ""


@dataclass
class Block:
    """One error of a text, before the errors that it was raised from."""

    name: str
    module: str
    message: str
    entries: list[Entry] = field(default_factory=list)


def read_error(text: str) -> BaseException | None:
    """Return the error of a traceback's text, with its frames and causes, or None if it has none.

    >>> error = read_error("Traceback (most recent call last):\\n"
    ...     '  File "train.py", line 3, in <module>\\n    y = 1 / 0\\n'
    ...     "ZeroDivisionError: division by zero")
    >>> error, error.__traceback__.tb_lineno
    (ZeroDivisionError('division by zero'), 3)
    """
    text = _plain(text)
    error: BaseException | None = None
    for block in _blocks(text):
        made = _make(block, REMOVED.search(text) is not None)
        made.__cause__, error = error, made
    return error


def _plain(text: str) -> str:
    """Return a text without colours, and without what stands before each of its lines."""
    text = ESCAPE.sub("", text)
    if re.search(r"^E {3}", text, re.MULTILINE):
        return PYTEST.sub("", text)
    lines = text.splitlines()
    full = [re.match(r"[ \t>|]*", line).end() for line in lines if line.strip()]  # type: ignore[union-attr]  # matches anything
    return "\n".join(line[min(full, default=0) :] for line in lines)


def _blocks(text: str) -> Iterator[Block]:
    """Yield the errors of a text, each after the one that it was raised from."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip() == CAUSE:
            found.append([])
        elif line.strip() == CONTEXT:
            # What was handled meanwhile is another story.
            found = [[]]
        else:
            found[-1].append(line)
    blocks = (_read_block(lines) for lines in found)
    yield from (each for each in blocks if each and each.name not in STAND_INS)


def _read_block(lines: list[str]) -> Block | None:
    starts = [at for at, line in enumerate(lines) if FRAME.match(line)]
    head = HEAD if starts else BARE
    after = range(starts[0] + 1 if starts else 0, len(lines))
    ends = (at for at in after if head.match(lines[at]) and not _is_entry(lines[at]))
    # A message may hold a traceback of its own: the first line that is no entry's is the error's.
    end = next(ends, None)
    if end is None or not (first := HEAD.match(lines[end])):
        return None
    message = NOTE.split("\n".join([lines[end][first.end() :], *lines[end + 1 :]]))[0].strip()
    inner = [at for at in starts if at < end]
    entries = [_read_entry(lines[at:stop]) for at, stop in pairwise([*inner, end])]
    return Block(first["name"], first["module"].rstrip("."), message, entries)


def _is_entry(line: str) -> bool:
    return bool(FRAME.match(line)) or line.startswith("Traceback")


def _read_entry(lines: list[str]) -> Entry:
    found = FRAME.match(lines[0])
    assert found
    file, line, function = (
        next(filter(None, (found[name] for name in names)), "")
        for names in (("python", "jupyter", "cell", "pytest"), "abcd", "fghi")
    )
    arrows = (ARROW.match(each) for each in lines[1:])
    if arrow := next(filter(None, arrows), None):
        return Entry(file, int(arrow[1]), function, arrow[2].strip())
    shown = [each.strip() for each in lines[1:] if re.match(r"\s+\S", each)]
    # Below the line is a line of marks that shows where in it Python was.
    shown = [each for each in shown if not re.fullmatch(r"[~^. ]+", each)]
    return Entry(file, int(line), function, shown[0] if shown else "")


def _make(block: Block, shortened: bool) -> BaseException:
    """Return an error like the one that a text shows."""
    found = _class_of(block)
    module = found.__module__
    if not block.entries and not any(library_of_module(module)):
        # Without any entry, the message alone says whose error it is.
        module = _library_by_message(found, block.message) or module
    told = REFUSED.match(block.message)
    named = [told[1].partition(".")[0]] if told and "." in told[1] else []
    if found is TypeError:
        named += QUOTED.findall(block.message)
    if any(hasattr(flax.nnx, name) for name in named):
        module = "flax.nnx"  # Python says it of an object of Flax, without a frame of Flax
    members = {
        "__module__": module,
        "__init__": lambda self: None,
        "__str__": lambda self: block.message,
        "__repr__": lambda self: f"{block.name}({block.message!r})",
    }
    kind: Any = type(block.name, (found,), members)
    error: BaseException = kind.__new__(kind)
    _name_objects(error, block.message)
    if shortened:
        error.add_note(SHORTENED)
    error.__traceback__ = _traceback(block.entries, _refusing(block))
    return error


def _class_of(block: Block) -> type[BaseException]:
    known: Any = getattr(builtins, block.name, None) if not block.module else None
    if not _is_error(known):
        modules = [block.module] if any(library_of_module(block.module)) else []
        known = next(
            (
                each
                for name in modules
                if _is_error(each := getattr(sys.modules.get(name), block.name, None))
            ),
            _classes().get(block.name),
        )
    # A group is made of its errors, which a text does not tell apart.
    if known is None or issubclass(known, BaseExceptionGroup):
        return type(block.name, (Exception,), {"__module__": block.module or "__main__"})
    kind: type[BaseException] = known
    return kind


def _is_error(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, BaseException)


@cache
def _classes() -> dict[str, type[BaseException]]:
    """Return the errors of the libraries by their names, which Jupyter shows without a module."""
    todo: list[type[BaseException]] = [Exception]
    for each in todo:
        todo += [kind for kind in each.__subclasses__() if kind not in todo]
    own = [each for each in todo if any(library_of_module(each.__module__))]
    return {each.__name__: each for each in own}


def _library_by_message(kind: type[BaseException], message: str) -> str | None:
    """Return the library of the first row whose error and message these are."""
    names = {each.__name__ for each in kind.__mro__}
    rows = (
        each.library.partition(".")[0]
        for each in symptoms()
        if each.error in names and len(each.message) > 7 and each.says(message)
    )
    return next(rows, None)


def _name_objects(error: BaseException, message: str) -> None:
    """Give an error of an import or of an attribute what the interpreter does."""
    if isinstance(error, ImportError):
        named = re.search(r"No module named '([\w.]+)'|from '([\w.]+)'", message)
        error.name = next(filter(None, named.groups()), None) if named else None
    if isinstance(error, AttributeError):
        named = re.match(r"module '([\w.]+)'", message)
        if named and any(library_of_module(named[1])):
            error.obj = sys.modules.get(named[1]) or sys.modules.get(named[1].partition(".")[0])
        if owner := re.match(r"'(\w+)' object", message):
            # For what belongs to a library, the class of an object is as good as the object.
            error.obj = getattr(flax.nnx, owner[1], None)


def _refusing(block: Block) -> dict[str, Any]:
    """Return a function like that of the reader's which did not take its arguments, by its name."""
    told = REFUSED.match(block.message) if block.name == "TypeError" else None
    if told is None:
        return {}
    of_class, _, method = told[1].rpartition("<locals>.")[2].partition(".")
    own = [each.source for each in block.entries if not _local_file(each.file)]
    if told[1].startswith("jaxlib."):
        return {}
    homes = NAMES.values() if method else (jax, jax.lax)
    called = re.search(rf"\.{of_class}\(", own[-1]) if own and not method else None
    if called or any(hasattr(home, of_class) for home in homes):
        return {}
    function = eval(compile("lambda: None", "<pasted>", "eval"), {})
    function.__qualname__ = told[1]
    return {of_class: function}


def _traceback(entries: list[Entry], more: dict[str, Any]) -> TracebackType | None:
    traceback = None
    for number, entry in reversed(list(enumerate(entries))):
        frame = _frame(entry, f"<pasted {next(_TEXTS)}-{number}>", more)
        traceback = TracebackType(traceback, frame, frame.f_lasti, entry.line)
    return traceback


def _frame(entry: Entry, own: str, more: dict[str, Any]) -> FrameType:
    """Return a frame at an entry's line, at its outermost call or else its first expression.

    `more` are names that it has beside the usual ones.
    """
    file = _local_file(entry.file) or own
    if file == own:
        lines = ["\n"] * (entry.line - 1) + [f"{entry.source}\n"]
        linecache.cache[file] = (0, None, lines, file)
    tree = ast.parse("_frame()")
    _place(tree, entry)
    code = compile(tree, file, "exec")
    kept: list[FrameType] = []
    names = NAMES | more | {"_frame": lambda: kept.append(sys._getframe(1))}
    exec(code.replace(co_name=entry.function or code.co_name), names)
    return kept[0]


def _place(tree: ast.Module, entry: Entry) -> None:
    """Put a call at the place of the expression that an entry's line was at work on."""
    try:
        statement = ast.parse(entry.source).body[0]
    except (SyntaxError, IndexError):
        span = (0, 0, 0)
    else:
        node = _under_way(statement)
        span = (node.lineno - 1, node.col_offset, node.end_col_offset or 0)
    down, start, end = span
    for each in ast.walk(tree):
        if isinstance(each, ast.expr | ast.stmt):
            each.lineno = each.end_lineno = entry.line + down
            each.col_offset, each.end_col_offset = start, end


def _under_way(statement: ast.stmt) -> ast.expr | ast.stmt:
    """Return the outermost expression of a statement that can raise by itself."""
    if isinstance(statement, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom):
        return statement
    working = (ast.Call, ast.BinOp, ast.Compare, ast.Subscript, ast.UnaryOp, ast.Attribute)
    return next((each for each in ast.walk(statement) if isinstance(each, working)), statement)


def _local_file(file: str) -> str | None:
    """Return where a file of a library lies on this machine, or None for one of the reader's."""
    path = file.replace("\\", "/")
    if found := INSTALLED.search(path):
        package, _, rest = found[1].partition("/")
        known = any(package in packages for packages in LIBRARIES.values())
        folders = list(getattr(sys.modules.get(package), "__path__", ())) if known else []
        return str(Path(folders[0], rest)) if folders else f"<frozen {package}>"
    return "<frozen library>" if STANDARD.search(path) else None
