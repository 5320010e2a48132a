"""Find what a function does besides returning a value: writes, leaks, output, files, sockets."""

import contextlib
import inspect
import io
import linecache
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from types import FrameType
from typing import Any

import jax
import jaxlib

from traced.probes.boxes import WHOLE, Box
from traced.probes.internals.effects import tracer_frames
from traced.probes.places import Place, first_place, is_library, place_at
from traced.probes.reach import things_of
from traced.probes.snapshots import Change, Snapshot, leaks
from traced.probes.staleness import JITTED, retraced, without_self
from traced.probes.values import brief

#: Every kind that an effect can have.
KINDS = (
    "global write", "closure write", "argument write", "attribute write", "leaked tracer",
    "output", "file", "socket",
)  # fmt: skip

#: What is done to a file or a socket, by Python's name for the audit event.
FILES = {
    "open": "opened", "os.mkdir": "made", "os.remove": "removed", "os.rename": "renamed",
    "os.rmdir": "removed", "os.truncate": "cut",
}  # fmt: skip
SOCKETS = {"socket.bind": "bound", "socket.connect": "connected", "socket.sendto": "sent to"}

#: So many entries are compared while `f` runs; writes after that are found, but not their lines.
ENTRIES = 5_000_000

#: Whatever these do on behalf of the reader's code is none of its effects.
ALOOF = (*jax.__path__, *jaxlib.__path__, "<frozen importlib", linecache.__file__)
LOAD = inspect.unwrap(jax.numpy.load).__code__

#: Who is told of audit events: the calls of `find_effects` that are running.
LISTENERS: list[Callable[[str, tuple[Any, ...]], None]] = []

Line = tuple[str, int]


@dataclass(frozen=True)
class Effect:
    """One effect: its kind, on what, at which line, and what was there before and after.

    `kind` is one of `KINDS`. The target of a leaked tracer says what it leaked to, such as
    `global cache[0]`; `place` is the line that put it there, `made` the line that made it. The
    target of output is the stream, of a file its path, and `after` says what was written or done.
    A place is None where it is not known.
    """

    kind: str
    target: str
    place: Place | None
    before: str = ""
    after: str = ""
    made: Place | None = None


def find_effects(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Effect]:
    """Run `f` once and return what it does besides returning a value, in the order it is done.

    A jitted function is traced, afresh, and not run: its callbacks are not called. Any other is
    called. What was written is put back, what was printed is swallowed, but for the output of
    `jax.debug.print`, which is passed on and is no effect. Raises whatever `f` raises.

    Seen are writes to the arguments, to what `f` closes over or names and to what is inside, up
    to 10,000 objects, as far as it differs at the end, draws of random numbers from NumPy and
    Python included. Not seen are iterators, a `jax.Ref`, the insides of libraries, caches such as
    `functools.cache`, other threads and processes, and output past `sys.stdout` and `sys.stderr`.
    The first call adds an audit hook, which Python cannot remove: 0.1 µs for each audited event.

    >>> calls = []
    >>> def f(x):
    ...     calls.append(x)
    ...     return 2 * x
    >>> [(each.kind, each.target, each.before, each.after) for each in find_effects(f, 3)]
    [('global write', 'calls', '[]', '[3]')]
    >>> leak = find_effects(jax.jit(f), 3)[0]
    >>> leak.kind, leak.target, leak.place.source, calls
    ('leaked tracer', 'global calls[0]', 'calls.append(x)', [])
    """
    if not callable(f):
        raise TypeError(f"`f` must be a callable, got {type(f).__name__}")
    snapshot = Snapshot(things_of(f, args, kwargs))
    record = _Record(snapshot)
    try:
        with record.running(), retraced():
            _run(f, args, kwargs)
        drafts = list(record.drafts())
    finally:
        snapshot.put_back()
    # Only now is what was there before as it was: its insides may have been written to as well.
    return [replace(draft, before=brief(*before)) if before else draft for draft, before in drafts]


def _run(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    f, args = without_self(f, args)
    run = f.trace if isinstance(f, JITTED) else f
    run(*args, **kwargs)


class _Record:
    """Takes down what happens, in its order, with the line of the reader's code that did it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot, self.looks = snapshot, ENTRIES // (snapshot.size + 1)
        self.thread = threading.get_ident()
        self.line: Line | None = None
        # Writes by number of the box and key, all else by kind, target and line: line and text.
        self.found: dict[tuple[Any, ...], tuple[Line | None, str]] = {}

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        _add_hook()
        trace, out, err = sys.gettrace(), sys.stdout, sys.stderr
        sys.stdout, sys.stderr = _Tap("stdout", out, self.note), _Tap("stderr", err, self.note)
        LISTENERS.append(self.hear)
        sys.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(trace)
            LISTENERS.remove(self.hear)
            sys.stdout, sys.stderr = out, err
            self.look()

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if is_library(frame.f_code.co_filename):
            return None
        self.look()
        self.looks -= 1
        if self.looks < 0:
            self.line = None
            return sys.settrace(None)
        _, self.line = _culprit(frame.f_back if event == "return" else frame, aloof=())
        return self.trace

    def look(self) -> None:
        for change in self.snapshot.changes():
            self.found.setdefault(change, (self.line, ""))

    def note(self, kind: str, target: str, text: str) -> bool:
        """Take down what is no write, if the reader's code is behind it, and return whether."""
        found, line = _culprit(sys._getframe(1))
        if found := found and threading.get_ident() == self.thread:
            _, before = self.found.get((kind, target, line), (line, ""))
            self.found[kind, target, line] = line, before + text if kind == "output" else text
        return found

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        if event in FILES and isinstance(args[0], str | bytes | os.PathLike):
            mode = f" {args[1]!r}" if event == "open" and args[1] else ""
            self.note("file", os.fsdecode(args[0]), FILES[event] + mode)
        elif event in SOCKETS:
            address = args[1] if isinstance(args[1], tuple) else args[1:2]
            self.note("socket", ":".join(map(str, address[:2])), SOCKETS[event])

    def drafts(self) -> Iterator[tuple[Effect, tuple[Any, ...]]]:
        """Yield each effect, a write without the text of what was there before, but with that."""
        net = dict(self.snapshot.net_changes())
        for key, (line, text) in self.found.items():
            if not isinstance(key[0], int):
                yield Effect(key[0], key[1], _place(line), after=text), ()
                continue
            for change in _alike(key, net):
                yield _draft(line, *net.pop(change))


def _alike(change: Change, net: dict[Change, Any]) -> list[Change]:
    """Return what is left at the end of a change: a row may have grown only for a while."""
    number, key = change
    if key == WHOLE:
        return [each for each in net if each[0] == number]
    return [each for each in (change, (number, WHOLE)) if each in net]


def _draft(
    line: Line | None, box: Box, name: str, before: Any, now: Any
) -> tuple[Effect, tuple[Any, ...]]:
    leak, tracer = next(iter(leaks(name, before, now)), (name, None))
    if tracer is None:
        return Effect(box.kind, name, _place(line), after=brief(now)), (before,)
    # A closure that holds the tracer calls it by a name that is not known here.
    target = f"{box.kind.removesuffix(' write')} {leak if leak.startswith(name) else name}"
    made, stored = place_of_tracer(tracer), _place(line, "stored here")
    effect = Effect("leaked tracer", target, stored, "", brief(now), made)
    return effect, (before,)


def place_of_tracer(tracer: Any) -> Place | None:
    """Return the line of the reader's code that made `tracer`, or None where JAX does not know.

    >>> kept = []
    >>> _ = jax.jit(lambda x: kept.append(2 * x))(1.0)
    >>> place_of_tracer(kept[0]).note
    'made here'
    """
    made = first_place(tracer_frames(tracer, is_library))
    return made and replace(made, note="made here")


def _place(line: Line | None, note: str = "") -> Place | None:
    return place_at(*line, note) if line else None


def _culprit(frame: FrameType | None, aloof: tuple[str, ...] = ALOOF) -> tuple[bool, Line | None]:
    """Return whether the reader's code is behind what `frame` does, and the line of it."""
    while frame is not None and frame.f_code is not _run.__code__:
        file = frame.f_code.co_filename
        if not is_library(file):
            return True, (file, frame.f_lineno)
        if file.startswith(aloof) and frame.f_code is not LOAD:
            return False, None
        frame = frame.f_back
    return frame is not None, None


class _Tap(io.TextIOBase):
    """Swallows what the reader's code writes to a stream, and passes all else on."""

    def __init__(self, name: str, out: Any, note: Callable[[str, str, str], bool]) -> None:
        self.stream, self.out, self.note = name, out, note

    def write(self, text: str) -> int:
        if not self.note("output", self.stream, text):
            self.out.write(text)
        return len(text)


@cache
def _add_hook() -> None:
    sys.addaudithook(_audit)


def _audit(event: str, args: tuple[Any, ...]) -> None:
    # Python has no way to remove a hook: without listeners it does nothing.
    if LISTENERS and (event in FILES or event in SOCKETS):
        for listen in LISTENERS:
            listen(event, args)
