"""Run the reader's code so that whatever it does becomes a result or a finding."""

import contextlib
import io
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from traced.diagnosis import TimeLimit, diagnose
from traced.feedback import Found, NotAttempted, fault
from traced.guard import guard, guard_arrays
from traced.probes.endless import EndlessLoop, names_loop
from traced.rehearsal import rehearse

SECONDS = 20.0  # small inputs take milliseconds, and the first compilation a second or two
PRINTED = 2_000  # characters of the answer's own output that are passed on


def attempt(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return `call(*args, **kwargs)`, where `call` runs the reader's code or is that code.

    Raises `NotAttempted` where the code is still a stub, and `Found` for any other error, a call
    of `exit`, or more than 20 seconds, in the main thread, where Python can be interrupted. A
    program that XLA runs cannot be: code that names a `while_loop` or a `fori_loop`, or a `scan`
    and a number of a million or more, runs once before, with loops that stop after half that time,
    so that those of more than some four seconds are stopped. What `find_endless_loop` does not see
    can still block the kernel. `KeyboardInterrupt` is passed on: it is the reader's.

    >>> attempt(lambda: 1 / 0)
    Traceback (most recent call last):
    traced.feedback.Found: runs/raised
    """
    if not callable(call):
        raise fault("runs/not-callable", got=f"an object of type `{type(call).__name__}`")
    try:
        with guard_arrays():
            if names_loop(call, *args) and (loop := _find_endless_loop(call, args, kwargs)):
                raise _endless(loop)
            with (
                guard() as changed, contextlib.redirect_stdout(_Tap(sys.stdout)),
                time_limit(SECONDS),
            ):  # fmt: skip
                result = call(*args, **kwargs)
    except (Found, NotAttempted, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise diagnose(error) from None
    if changed:
        raise fault("effects/outside", changed=", ".join(changed))
    return result


def _find_endless_loop(call: Any, args: Any, kwargs: Any) -> EndlessLoop | None:
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
    """Raise `TimeLimit` in the `with` block after so many seconds, where signals can do that."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _time_is_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _time_is_up(*_: Any) -> None:
    raise TimeLimit(f"still running after {SECONDS:g} seconds")


class _Tap(io.TextIOBase):
    """Passes the answer's output on, up to a limit: a flood would bury the feedback."""

    def __init__(self, out: Any) -> None:
        self.out, self.left = out, PRINTED

    def write(self, text: str) -> int:
        if self.left > 0:
            self.out.write(text[: self.left])
            self.left -= len(text)
            if self.left <= 0:
                self.out.write(f"\n… more than {PRINTED} characters of output, the rest left out\n")
        return len(text)
