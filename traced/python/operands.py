"""The objects that a line of Python was at work on when it raised: what it called, and on what.

Nothing is called to find them. Names are looked up in the frame, attributes only where reading them
runs no code, and what cannot be found that way is `UNKNOWN`.
"""

import ast
import builtins
import inspect
import linecache
import sys
import traceback
from collections.abc import Iterator
from functools import lru_cache
from types import FrameType, ModuleType, TracebackType
from typing import Any

import numpy as np

from traced.python.places import is_library


class Unknown:
    """Stand in for an object that is not to be had without running code."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()
#: Lines, and bytes within them: where an expression begins and ends.
Span = tuple[int, int, int, int]


def operands_at(entry: TracebackType) -> list[Any]:
    """Return the function that was called at a traceback's entry, or what was operated on.

    A line that raises by itself works on nothing. Where the source is not known, nor is the object.

    >>> try:
    ...     float([3])
    ... except TypeError as error:
    ...     operands_at(error.__traceback__)[0]
    <class 'float'>
    """
    found = node_at(entry)
    if found is None:
        return [UNKNOWN]
    return list(_operands(*found, entry.tb_frame))


def node_at(entry: TracebackType) -> tuple[ast.AST, ast.AST] | None:
    """Return the node that was under way at a traceback's entry, and the node around it."""
    spot = traceback.extract_tb(entry, limit=1)[0]
    span = (spot.lineno or 0, spot.colno or 0, spot.end_lineno or 0, spot.end_colno or 0)
    return _nodes("".join(linecache.getlines(spot.filename))).get(span)


def calls_on_line(entry: TracebackType) -> list[Any]:
    """Return the functions that the line at a traceback's entry calls, as far as they are known."""
    spot = traceback.extract_tb(entry, limit=1)[0]
    nodes = _nodes("".join(linecache.getlines(spot.filename)))
    calls = [node for node, _ in nodes.values() if isinstance(node, ast.Call)]
    at = spot.lineno or 0
    on_line = (each for each in calls if each.lineno <= at <= (each.end_lineno or 0))
    return [resolved(each.func, entry.tb_frame) for each in on_line]


@lru_cache(maxsize=8)
def _nodes(source: str) -> dict[Span, tuple[ast.AST, ast.AST]]:
    """Return the nodes of a program by where they stand, each with the node around it."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a cell with a command of IPython, or a file that is no Python
        return {}
    return {
        (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0): (
            node,
            above,
        )
        for above in ast.walk(tree)
        for node in ast.iter_child_nodes(above)
        if isinstance(node, ast.expr | ast.stmt)
    }


def _operands(node: ast.AST, above: ast.AST, frame: FrameType) -> Iterator[Any]:
    match node:
        case ast.Raise() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return
        case ast.expr() if isinstance(above, ast.Assert) and node is above.test:
            return
        case ast.Tuple(ctx=ast.Store()) if isinstance(above, ast.Assign):
            yield from _operand(above.value, frame)
        case ast.Call():
            yield from _called(node, frame)
        # Python 3.11 names the whole loop where newer ones name what cannot be iterated over.
        case ast.For(iter=iterated):
            yield from _operands(iterated, node, frame)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield from _operands(node.generators[0].iter, node, frame)
        case ast.expr():
            parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
            if not parts:
                yield resolved(node, frame)
            for part in parts:
                yield from _operand(part, frame)
        case ast.AugAssign():
            # Nothing was assigned yet.
            yield from _operand(node.target, frame)
            yield from _operand(node.value, frame)
        case _:
            yield UNKNOWN


def _operand(node: ast.expr, frame: FrameType) -> Iterator[Any]:
    """Yield what is operated on: a container that is written out is Python's, whatever it holds."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            yield [each for part in parts for each in _operand(part, frame)]
        case ast.Dict(values=parts):
            yield {at: [*_operand(part, frame)] for at, part in enumerate(parts)}
        case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.DictComp(value=part):
            yield [*_operand(part, frame)]
        case ast.Starred(value=part):
            yield from _operand(part, frame)
        case ast.BinOp(left=left, right=right):
            yield from _operand(left, frame)
            yield from _operand(right, frame)
        case _:
            yield from sources(node, frame)


def _called(node: ast.Call, frame: FrameType) -> Iterator[Any]:
    function = resolved(node.func, frame)
    if function is UNKNOWN and isinstance(node.func, ast.Attribute):
        methods = list(_method(node.func, frame))
        yield from methods
        # What cannot be called was no method, and raised whatever its owner is.
        yield from sources(node.func.value, frame) if all(map(callable, methods)) else ()
        return
    if function is not UNKNOWN and not callable(function):
        yield function
        return
    if isinstance(node.func, ast.Call):
        # What made the function stands for it: `jax.jit(f)(x)` calls what `jit` returned.
        yield from sources(node.func, frame)
        return
    yield function
    if inspect.isfunction(function) or function is UNKNOWN:
        return
    # What is written in C raises for what it was given.
    owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    given = (each for part in [*owner, *node.args] for each in sources(part, frame))
    if any(function is each for each in (sorted, min, max)):
        yield from (each for part in node.args for each in _operand(part, frame))
    elif getattr(function, "__module__", "") == "builtins":
        yield from given
    else:
        yield from (each for each in given if each is not UNKNOWN)


def _method(node: ast.Attribute, frame: FrameType) -> Iterator[Any]:
    """Yield the method of an object that the line itself made: `Model(2).step(x)`."""
    made = resolved(node.value.func, frame) if isinstance(node.value, ast.Call) else UNKNOWN
    method = attribute(made, node.attr) if isinstance(made, type) else UNKNOWN
    if method is not UNKNOWN:
        yield method


def sources(node: ast.expr, frame: FrameType) -> Iterator[Any]:
    """Yield what a value is made of: objects, library functions that gave it, `UNKNOWN`."""
    exact = resolved(node, frame)
    match node:
        case _ if exact is not UNKNOWN:
            yield exact
        case ast.Call():
            function = resolved(node.func, frame)
            if function is np.asarray:
                yield from (each for part in node.args for each in sources(part, frame))
            elif getattr(function, "__module__", "") == "builtins":
                yield from (each for part in node.args for each in _operand(part, frame))
            elif function is UNKNOWN and isinstance(node.func, ast.Attribute):
                yield from sources(node.func.value, frame)
            elif isinstance(node.func, ast.Call):
                yield from sources(node.func, frame)
            else:
                yield function if is_installed(function) else UNKNOWN
        case ast.Attribute():
            owner = resolved(node.value, frame)
            if owner is UNKNOWN:
                yield from sources(node.value, frame)
            else:
                yield owner if is_installed(type(owner)) else UNKNOWN
        case ast.Subscript():
            yield from sources(node.value, frame)
        case _:
            yield from _parts(node, frame)


def _parts(node: ast.expr, frame: FrameType) -> Iterator[Any]:
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    if not parts:
        yield resolved(node, frame)
    for part in parts:
        yield from sources(part, frame)


def is_installed(thing: Any) -> bool:
    """Return whether a function or a class was written in a library, and not by the reader."""
    if inspect.isfunction(thing):  # one that a library has wrapped keeps the reader's module
        return is_library(thing.__code__.co_filename)
    module = sys.modules.get(getattr(thing, "__module__", None) or "")
    file = getattr(module, "__file__", None)
    return file is not None and is_library(file)


def resolved(node: ast.expr, frame: FrameType) -> Any:
    """Return the very object that an expression stands for in a frame, or `UNKNOWN`."""
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            for names in (frame.f_locals, frame.f_globals, vars(builtins)):
                if node.id in names:
                    return names[node.id]
        case ast.Attribute():
            return attribute(resolved(node.value, frame), node.attr)
        case ast.Subscript(slice=ast.Constant(key)):
            return _item(resolved(node.value, frame), key)
    return UNKNOWN


def attribute(owner: Any, name: str) -> Any:
    """Return an attribute where reading it runs no code, or `UNKNOWN`.

    >>> import math
    >>> attribute(math, "pi"), attribute(3, "real")
    (3.141592653589793, UNKNOWN)
    """
    if isinstance(owner, ModuleType):
        return vars(owner).get(name, UNKNOWN)
    if isinstance(owner, tuple) and name in getattr(owner, "_fields", ()):
        return owner[owner._fields.index(name)]  # type: ignore[attr-defined]  # a namedtuple
    found = inspect.getattr_static(owner, name, UNKNOWN)
    if isinstance(found, property) or inspect.isdatadescriptor(found):
        return UNKNOWN
    return found.__func__ if isinstance(found, staticmethod | classmethod) else found


def _item(owner: Any, key: Any) -> Any:
    # Other containers run code when an item is read.
    if type(owner) not in (dict, list, tuple):
        return UNKNOWN
    try:
        return owner[key]
    except (LookupError, TypeError):
        return UNKNOWN


def owner_of_memory(array: np.ndarray[Any, Any]) -> Any:
    """Return what the memory of a NumPy array belongs to: another object, or the array itself."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    return owner.obj if isinstance(owner, memoryview) else owner
