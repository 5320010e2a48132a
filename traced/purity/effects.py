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
from typing import Any, NamedTuple, TextIO

import jax
import jaxlib

from traced.internals.jaxprs import written_refs
from traced.purity.stale_reads import JITTED, retraced, without_self
from traced.python.calls import require_callable
from traced.python.mutables import WHOLE, Mutable
from traced.python.places import PACKAGE, Place, Spot, is_library_code, place_at, place_of_tracer
from traced.python.reachable import roots_of
from traced.python.snapshots import ChangedEntry, Snapshot, leaks
from traced.python.values import SHOWN, brief, brief_both

#: What is done to a file or a socket, by Python's name for the audit event.
FILES = {
    "open": "opened",
    "os.mkdir": "made",
    "os.remove": "removed",
    "os.rename": "renamed",
    "os.rmdir": "removed",
    "os.truncate": "cut",
}
SOCKETS = {"socket.bind": "bound", "socket.connect": "connected", "socket.sendto": "sent to"}

#: So many entries are compared while `f` runs; writes after that are found, but not their lines.
ENTRIES = 5_000_000

#: Whatever these do on behalf of the reader's code is none of its effects.
ALOOF = (*jax.__path__, *jaxlib.__path__, "<frozen importlib", linecache.__file__)
#: The time limit of a check, too, looks at files in the middle of the reader's code.
READS = (*ALOOF, str(PACKAGE))
LOAD = inspect.unwrap(jax.numpy.load).__code__

#: Who is told of audit events: the calls of `find_effects` that are running.
LISTENERS: list[Callable[[str, tuple[Any, ...]], None]] = []


@dataclass(frozen=True)
class Effect:
    """One effect: its kind, on what, at which line, and what was there before and after.

    `kind` is `global write`, `closure write`, `argument write`, `attribute write`, `leaked tracer`,
    `output`, `file` or `socket`. The target of a leaked tracer says what it leaked to, such as
    `global cache[0]`; `place` is the line that put it there, `made` the line that made it. The
    target of output is the stream, of a file its path, and `after` says what was written or done.
    A place is None where it is not known. `traced` says that it was done while JAX traced, and so
    is done once for each trace, and not at each call.
    """

    kind: str
    target: str
    place: Place | None
    before: str = ""
    after: str = ""
    made: Place | None = None
    traced: bool = False


def find_effects(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Effect]:
    """Run `f` once and return what it does besides returning a value, in the order it is done.

    A jitted function is traced, afresh, and not run: its callbacks are not called, and of the
    writes to a `jax.Ref`, which are equations, those to refs that it captures are listed. Any other
    is called. What was written is put back, what was printed is swallowed, but for the output of
    `jax.debug.print`, which is passed on and is no effect. Raises whatever `f` raises.

    Seen are writes to the arguments, to what `f` closes over or names and to what is inside, up
    to 10,000 objects, as far as it differs at the end, draws of random numbers from NumPy and
    Python included. Not seen are iterators, the insides of libraries, caches such as
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
    require_callable(f)
    snapshot = Snapshot(roots_of(f, args, kwargs))
    record = _Record(snapshot)
    try:
        with record.running(), retraced():
            refs = _run(f, args, kwargs)
        drafts = [*record.drafts(), *record.later_writes(refs)]
    finally:
        snapshot.put_back()
    # Only now is what was there before as it was: its insides may have been written to as well.
    return [_with_before(draft, *values) if values else draft for draft, values in drafts]


def _with_before(draft: Effect, before: object, now: object) -> Effect:
    old = brief(before)
    # What was put there may have been put back as well, and only its text is as it was.
    if old[:SHOWN] != draft.after[:SHOWN]:
        return replace(draft, before=old)
    old, new = brief_both(before, now)
    return replace(draft, before=old, after=new)


def _run(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[jax.Ref]:
    """Run `f`, or trace it, and return the refs that its program would write to."""
    f, args = without_self(f, args)
    if isinstance(f, JITTED):
        return written_refs(f.trace(*args, **kwargs).jaxpr)
    f(*args, **kwargs)
    return []


class _Seen(NamedTuple):
    """When something was done: the line, the text that was written, whether JAX was tracing."""

    line: Spot | None
    text: str
    traced: bool


class _Record:
    """Takes down what happens, in its order, with the line of the reader's code that did it.

    Python tells before each line that it comes. What changed since the last time, then, was
    written by the line before it, or by a library that this line has called.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot, self.looks = snapshot, ENTRIES // (snapshot.size + 1)
        self.thread = threading.get_ident()
        self.line: Spot | None = None
        # Of writes by where something changed, of all else by kind, target and line.
        self.found: dict[tuple[Any, ...], _Seen] = {}

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        _add_hook()
        trace, out, err = sys.gettrace(), sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (
            _ObservedOutput("stdout", out, self.note),
            _ObservedOutput("stderr", err, self.note),
        )
        LISTENERS.append(self.hear)
        sys.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(trace)
            LISTENERS.remove(self.hear)
            sys.stdout, sys.stderr = out, err
            self.look()

    def trace(self, frame: FrameType, event: str, _: object) -> Any:
        if is_library_code(frame.f_code):
            return None
        self.look()
        # Each look costs as much as there are entries: after so many the lines are not worth it.
        self.looks -= 1
        if self.looks < 0:
            self.line = None
            return sys.settrace(None)
        _, self.line = _culprit(frame.f_back if event == "return" else frame, aloof=())
        return self.trace

    def look(self) -> None:
        for change in self.snapshot.changes():
            if change not in self.found:
                self.found[change] = _Seen(self.line, "", is_tracing())

    def note(self, kind: str, target: str, text: str) -> bool:
        """Take down what is no write, if the reader's code is behind it, and return whether."""
        # The audit hook hears of every thread; what the others do is none of this call's.
        found, line = _culprit(sys._getframe(1), ALOOF if kind == "output" else READS)
        if found := found and threading.get_ident() == self.thread:
            seen = self.found.get((kind, target, line)) or _Seen(line, "", is_tracing())
            text = seen.text + text if kind == "output" else text
            self.found[kind, target, line] = seen._replace(text=text)
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
        for key, seen in self.found.items():
            if not isinstance(key[0], int):
                place = _place(seen.line)
                yield Effect(key[0], key[1], place, after=seen.text, traced=seen.traced), ()
                continue
            for change in _alike(key, net):
                draft, before = _draft(seen.line, *net.pop(change))
                yield replace(draft, traced=seen.traced), before

    def later_writes(self, refs: list[jax.Ref]) -> Iterator[tuple[Effect, tuple[Any, ...]]]:
        """Yield an effect for each of these refs, which the program of a trace writes to."""
        for mutable in self.snapshot.mutables:
            if any(mutable.thing is ref for ref in refs):
                yield Effect(mutable.kind, mutable.entry(WHOLE), None, after="at each call"), ()


def _alike(change: ChangedEntry, net: dict[ChangedEntry, Any]) -> list[ChangedEntry]:
    """Return what is left at the end of a change: a row may have grown only for a while."""
    number, key = change
    if key == WHOLE:
        return [each for each in net if each[0] == number]
    return [each for each in (change, (number, WHOLE)) if each in net]


def _draft(
    line: Spot | None, mutable: Mutable, name: str, before: object, now: object
) -> tuple[Effect, tuple[Any, ...]]:
    leak, tracer = next(iter(leaks(name, before, now)), (name, None))
    if tracer is None:
        return Effect(mutable.kind, name, _place(line), after=brief(now)), (before, now)
    # A closure that holds the tracer calls it by a name that is not known here.
    target = f"{mutable.kind.removesuffix(' write')} {leak if leak.startswith(name) else name}"
    made, stored = place_of_tracer(tracer), _place(line, "stored here")
    effect = Effect("leaked tracer", target, stored, "", brief(now), made)
    return effect, (before, now)


def _place(line: Spot | None, note: str = "") -> Place | None:
    return place_at(*line, note) if line else None


def _culprit(frame: FrameType | None, aloof: tuple[str, ...] = ALOOF) -> tuple[bool, Spot | None]:
    """Return whether the reader's code is behind what `frame` does, and the line of it."""
    while frame is not None and frame.f_code is not _run.__code__:
        file = frame.f_code.co_filename
        if not is_library_code(frame.f_code):
            return True, (file, frame.f_lineno)
        # The frames of this file lead from the audit event to what has caused it.
        if file.startswith(aloof) and file != __file__ and frame.f_code is not LOAD:
            return False, None
        frame = frame.f_back
    return frame is not None, None


class _ObservedOutput(io.TextIOBase):
    """Swallows what the reader's code writes to a stream, and passes all else on."""

    def __init__(self, name: str, out: TextIO, note: Callable[[str, str, str], bool]) -> None:
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


def is_tracing() -> bool:
    """Return whether the line that calls this is part of a trace that `jit` or a loop makes.

    >>> seen = []
    >>> _ = jax.jit(lambda: seen.append(is_tracing())).trace()
    >>> is_tracing(), seen
    (False, [True])
    """
    # What is made while tracing is a tracer. In a trace that is left as it was, this is one more.
    return isinstance(jax.lax.full((), 0), jax.core.Tracer)
