"""See with what arguments a function is entered, as tracers and as values."""

import contextlib
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import CodeType, FrameType
from typing import Any

import jax

from traced.python.mutables import is_readers_module
from traced.python.places import Place, place_of_definition
from traced.pytrees.differences import find_tree_differences

#: The arguments of one entry by name: a tracer is replaced by its type.
Entry = Mapping[str, Any]


class _Enough(BaseException):
    """Leaves the code that is run, once it has shown enough; no `except Exception` swallows it."""


def record_entries(run: Callable[[], Any], place: Place, most: int) -> list[Entry]:
    """Return the arguments of the first `most` different calls of the function at `place`.

    Where a jitted function is called, its code is entered at each trace: with tracers, and with
    its static arguments as they are. What `run` raises is of no interest.

    >>> from traced.python.places import place_at
    >>> f = jax.jit(lambda x, n: n * x, static_argnums=1)
    >>> code = f.__wrapped__.__code__
    >>> place = place_at(code.co_filename, code.co_firstlineno)
    >>> told_changes(record_entries(lambda: [f(1.0, 2), f(1.0, 3)], place, 2))
    'n is 3, was 2'
    """
    entries: list[Entry] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename == place.file and _is_defined_at(code, place.line):
            entry = _arguments(frame)
            if all(_changes(entry, each) for each in entries):
                entries.append(entry)
            if len(entries) == most:
                raise _Enough

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        with contextlib.suppress(Exception, _Enough):
            run()
    finally:
        sys.setprofile(before)
    return entries


def _is_defined_at(code: CodeType, line: int) -> bool:
    # A generator on the line of a function has one argument, which nobody passes.
    if code.co_varnames[:1] == (".0",):
        return False
    return place_of_definition(code.co_filename, code.co_firstlineno).line == line


def _arguments(frame: FrameType) -> Entry:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # `*args`, `**kwargs`
    passed = {name: frame.f_locals.get(name) for name in code.co_varnames[:count]}
    return {name: jax.tree.map(_without_tracer, value) for name, value in passed.items()}


def _without_tracer(leaf: Any) -> Any:
    if not isinstance(leaf, jax.core.Tracer):
        return _with_attributes(leaf) if is_readers_module(type(leaf).__module__) else leaf
    # A tracer that is kept would be a leak.
    kind: Any = jax.ShapeDtypeStruct  # JAX gives it no types
    return kind(leaf.shape, leaf.dtype, weak_type=jax.typeof(leaf).weak_type)


def _with_attributes(thing: Any) -> Any:
    """Return an object's attributes as they are now, since the object may change."""
    inside = vars(thing) if hasattr(thing, "__dict__") else {}
    return _kind(type(thing).__name__, tuple(inside))(*inside.values()) if inside else thing


@cache
def _kind(name: str, attributes: tuple[str, ...]) -> Any:
    # Objects of one class have to become trees of one class, or nothing else is compared.
    return namedtuple(name, attributes, rename=True)


def told_changes(entries: list[Entry]) -> str:
    """Return how each entry but the first differs from the most similar one before it.

    The names are those of the arguments, and each value stands before the one that it replaced.
    """
    pairs = [
        min((_changes(now, before) for before in entries[:i]), key=len)
        for i, now in enumerate(entries)
        if i
    ]
    return "; ".join(text for changes in pairs for text in changes)


def _changes(now: Entry, before: Entry) -> list[str]:
    return [text for name in now for text in _differences(name, now[name], before.get(name))]


def _differences(name: str, now: Any, before: Any) -> Iterator[str]:
    if isinstance(now, list | tuple) and type(now) is type(before) and len(now) != len(before):
        yield f"{name} has {len(now)} entries, had {len(before)}"
        return
    for each in find_tree_differences(before, now):
        is_now = f"is {each.got}" if each.got else "is gone"
        yield f"{name}{each.path} {is_now}, was {each.wanted or 'not there'}"
