"""A function that stands for compiled work, and knows how long each of its calls took."""

import time
from collections.abc import Sequence
from typing import Any

import jax

from traced.findings.feedback import fault, require
from traced.lessons.pending import Pending

COPYING = 0.1  # seconds that a copy to the host takes
CALLING = 0.4  # of the work of a call, the part that is done before it returns
SLACK = 0.03  # between what a call took, which is measured too, and what an answer says of it


class TimedFunction:
    """A function that hands its work over, and measures what each call takes until it is done.

    `given` says what it is, `work` how many seconds each call works, and `compiling` how many more
    the first one takes. It returns the sum of its arguments, in a tree with `leaves` arrays.

    >>> f = TimedFunction("one array", work=(0.0, 0.0), compiling=0.0, leaves=1)
    >>> float(f(1.0, 2.0)), len(f.times())
    (3.0, 1)
    """

    def __init__(self, given: str, *, work: Sequence[float], compiling: float, leaves: int) -> None:
        self.given, self.work, self.compiling, self.leaves = given, work, compiling, leaves
        self.args: list[tuple[float, ...]] = []
        self.begun: list[float] = []
        self.done: list[float] = []
        self.waited: set[tuple[int, int]] = set()

    def __call__(self, *args: float) -> Any:
        if any(isinstance(each, jax.core.Tracer) for each in args):
            raise fault("cost/calls-timed", given=self.given, calls="only traced, not run")
        number = len(self.begun)
        self.args.append(args)
        self.begun.append(time.perf_counter())
        if number == 0:
            time.sleep(self.compiling)
        # What was handed over before is done first.
        free = max([time.perf_counter(), *self.done])
        work = self.work[min(number, len(self.work) - 1)]
        self.done.append(free + work)
        time.sleep(CALLING * work)
        parts = [self._part(sum(args), number, leaf) for leaf in range(self.leaves)]
        return parts[0] if self.leaves == 1 else {"first": parts[0], "rest": (*parts[1:], None)}

    def _part(self, value: float, number: int, leaf: int) -> Pending:
        # The first arrays of a tree are there before the last one.
        early = self.done[number] - 0.1 * min(self.work[1:]) * (self.leaves - 1 - leaf)

        def wait() -> None:
            time.sleep(max(0.0, early - time.perf_counter()))
            if (number, leaf) not in self.waited:
                self.waited.add((number, leaf))
                self.done[number] = max(self.done[number], time.perf_counter())

        return Pending(value, wait, copy=COPYING)

    def require_results(self) -> None:
        """Raise `Found` unless each call but the first was waited for, with all of its result."""
        for number in range(1, len(self.begun)):
            missing = f"call {number + 1}"
            saw = {"given": self.given, "its arrays": self.leaves, "not waited for": missing}
            waited = all((number, leaf) in self.waited for leaf in range(self.leaves))
            require(waited, "cost/not-awaited", **saw)

    def times(self) -> list[float]:
        """Return what each call took, to the moment at which its result was there."""
        return [done - begun for begun, done in zip(self.begun, self.done, strict=True)]
