"""Run the reader's code so that whatever it does becomes a result or a finding."""

import contextlib
import io
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TextIO

import numpy as np

from traced.findings.feedback import Found, NotAttempted, fault
from traced.internals.canary import CouldNotTell
from traced.internals.refused_tracers import whole_tracebacks
from traced.python.reachable import Named, roots_of
from traced.python.snapshots import Snapshot
from traced.python.values import brief, brief_both
from traced.running.clocks import Meter, Reading
from traced.running.diagnosis import TimeLimit, diagnose, first_sentence, is_of_a_probe
from traced.running.endless import EndlessLoop, names_loop
from traced.running.guard import guard, guard_arrays
from traced.running.rehearsal import rehearse

SECONDS = 20.0  # small inputs take milliseconds, and the first compilation a second or two
LOOKS = 8  # at the clocks, while the time passes
PRINTED = 2_000  # characters of the answer's own output that are passed on, of one call
PRINTED_IN_ALL = 4 * PRINTED  # of all calls of one check


def attempt(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return `call(*args, **kwargs)`, where `call` runs the reader's code or is that code.

    Raises `NotAttempted` where the code is still a stub, and `Found` for any other error, a change
    of a container among the arguments, a call of `exit`, or more than 20 seconds of work or of
    waiting, in the main thread, where Python can be interrupted. A program that XLA runs cannot be:
    code that names a `while_loop` or a `fori_loop`, or a `scan` and a number of a million or more,
    runs once before, with loops that stop after half that time, so that those of more than some
    four seconds are stopped. What `find_first_endless_loop` does not see can still block the
    kernel. `KeyboardInterrupt` is passed on: it is the reader's.

    >>> attempt(lambda: 1 / 0)
    Traceback (most recent call last):
    traced.findings.feedback.Found: runs/raised
    """
    if not callable(call):
        raise fault("runs/not-callable", got=f"an object of type `{type(call).__name__}`")
    try:
        with guard_arrays() as deleted:
            if names_loop(call, *args) and (loop := _find_first_endless_loop(call, args, kwargs)):
                raise _endless(loop)
            with (
                _containers_kept(call, args, kwargs) as containers,
                guard() as changed,
                # Without JAX's own frames its errors look as if a probe had raised them.
                whole_tracebacks(),
                contextlib.redirect_stdout(LimitedOutput(sys.stdout, PRINTED)),
                time_limit(SECONDS),
            ):
                result = call(*args, **kwargs)
    except (Found, NotAttempted, CouldNotTell, KeyboardInterrupt):
        raise
    except BaseException as error:
        if is_of_a_probe(error):
            saw = f"{type(error).__name__}: {first_sentence(error)}"
            raise CouldNotTell("what the check looks for", saw=saw) from error
        raise diagnose(error) from None
    for array in deleted:
        raise fault("effects/deleted", deleted=brief(array))
    if changed:
        raise fault("effects/outside", changed=", ".join(changed))
    for name, before, now in containers:
        raise fault("effects/argument", changed=name, before=before, after=now)
    return result


#: What an answer is given and could change in place, other than objects and refs.
CONTAINERS = (dict, list, set, np.ndarray)


@contextlib.contextmanager
def _containers_kept(
    call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[list[tuple[str, str, str]]]:
    """Put back what the `with` block changes in the containers among the arguments, and list it.

    Whoever passed them goes on, as the next check does. Listed is the name, and in short what was
    there and what was put there.
    """
    roots = [each for root in roots_of(call, args, kwargs)[:-1] for each in _containers_in(*root)]
    snapshot = Snapshot(roots, lambda thing: isinstance(thing, CONTAINERS))
    changes: list[tuple[str, str, str]] = []
    try:
        yield changes
    finally:
        found = list(snapshot.net_changes())
        changes += [(name, *brief_both(before, now)) for _, (_, name, before, now) in found]
        if found:
            snapshot.put_back()


def _containers_in(kind: str, name: str, value: Any) -> Iterator[Named]:
    # A tuple is what `*args` gathers. A function among them is no container, and may be the answer,
    # whose globals are no arguments.
    if isinstance(value, tuple):
        for i, each in enumerate(value):
            yield from _containers_in(kind, f"{name}[{i}]", each)
    elif isinstance(value, CONTAINERS):
        yield kind, name, value


def _find_first_endless_loop(
    call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> EndlessLoop | None:
    with time_limit(SECONDS):
        return rehearse(partial(call, **kwargs), *args, seconds=SECONDS / 2)


def _endless(loop: EndlessLoop) -> Found:
    if loop.length:
        steps = f"{loop.rounds:,} of {loop.length:,} in {SECONDS / 2:g} seconds"
        return fault("runs/too-long", loop.place, steps=steps)
    if loop.repeats:
        saw = {"rounds": loop.rounds, "and_then": "a carry that the loop has had before"}
    else:
        saw = {"rounds": f"{loop.rounds:,}", "and_then": "the condition is still true"}
    return fault("loops/endless", loop.place, **saw)


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeLimit` in the `with` block after so many seconds, where signals can do that.

    Seconds count in which the thread works, or in which nobody works and it waits for something
    else. Those in which it waits for a processor, on a busy machine, do not. XLA's threads may work
    three times as long, however many they are.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    meters: list[Meter] = []

    # Reading the clocks of forty threads takes as long as a small attempt, and most of these end
    # before the first look.
    def look(*_: Any) -> None:
        if not meters:
            meters.append(Meter(Reading.now()))
            return
        meters[0].read(Reading.now())
        if meters[0].spent >= 0.99 * seconds:  # the clocks are not one
            raise TimeLimit(f"still running after {SECONDS:g} seconds")

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, seconds / 100, seconds / LOOKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class LimitedOutput(io.TextIOBase):
    """Passes the answer's output on, up to a limit: a flood would bury the feedback."""

    def __init__(self, out: TextIO, limit: int) -> None:
        self.out, self.limit, self.left = out, limit, limit

    def write(self, text: str) -> int:
        """Write what there is room for, and return the length of all."""
        if self.left > 0:
            self.out.write(text[: self.left])
            self.left -= len(text)
            if self.left <= 0:
                told = f"more than {self.limit} characters of output, the rest left out"
                self.out.write(f"\n… {told}\n")
        return len(text)
