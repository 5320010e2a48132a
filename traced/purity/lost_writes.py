"""Find lists and dictionaries that a trace fills, and that stay empty for their owner."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import jax

from traced.purity.effects import is_tracing
from traced.purity.stale_reads import retraced
from traced.python.places import Place, is_library_code, place_at


@dataclass(frozen=True)
class LostWrite:
    """An argument that was empty, the line that filled it, and how many entries are lost."""

    name: str
    place: Place
    entries: int


def find_lost_writes(f: Callable[..., Any], *args: Any) -> list[LostWrite]:
    """Run `f` once, traced afresh, and return what is put into copies that `jit` has made.

    `jit` and the loops of JAX rebuild an empty list or dictionary among the arguments of a
    function. What a trace puts into the copy is lost, unless the function returns it. What `f`
    raises is of no interest here.

    >>> @jax.jit
    ... def step(w, losses):
    ...     losses.append(w**2)
    ...     return 0.8 * w
    >>> losses = []
    >>> [(each.name, each.entries) for each in find_lost_writes(step, 3.0, losses)], losses
    ([('losses', 1)], [])
    """
    found: list[LostWrite] = []

    def trace(frame: FrameType, event: str, _: object) -> Any:
        code, caller = frame.f_code, frame.f_back
        if caller is None or is_library_code(code) or not is_library_code(caller.f_code):
            return None
        empty = dict(_empty_copies(frame))
        return _Body(empty, found).trace if empty and is_tracing() else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with retraced(), contextlib.suppress(Exception):
            f(*args)
    finally:
        sys.settrace(before)
    return list(dict.fromkeys(found))


def _empty_copies(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """Yield the empty arguments of a function that no function around it has a name for."""
    for name, value in frame.f_locals.items():
        if type(value) in (list, dict) and not value and not _is_held(value, frame.f_back):
            yield name, value


def _is_held(thing: object, frame: FrameType | None) -> bool:
    while frame is not None:
        own = not is_library_code(frame.f_code)
        if own and any(value is thing for value in frame.f_locals.values()):
            return True
        frame = frame.f_back
    return False


class _Body:
    """Follows one run of a function's body: which line filled what, and what it returned."""

    def __init__(self, empty: dict[str, Any], found: list[LostWrite]) -> None:
        self.empty, self.found = empty, found
        self.filled: dict[str, Place] = {}
        self.line, self.raised = 0, False

    def trace(self, frame: FrameType, event: str, result: object) -> Any:
        for name, value in self.empty.items():
            if value and name not in self.filled:
                self.filled[name] = place_at(frame.f_code.co_filename, self.line)
        if event == "return" and not self.raised:
            self.found.extend(self._lost(result))
        # After an exception another line comes only where it was caught.
        self.raised = event == "exception" or (self.raised and event != "line")
        self.line = frame.f_lineno
        return self.trace

    def _lost(self, result: Any) -> Iterator[LostWrite]:
        returned = {id(leaf) for leaf in jax.tree.leaves(result)}
        for name, place in self.filled.items():
            if not returned & {id(leaf) for leaf in jax.tree.leaves(self.empty[name])}:
                yield LostWrite(name, place, len(self.empty[name]))
