"""Repair a clock that does not wait for the result, and counts the call that compiles."""

import time
from typing import Any

import jax

from traced.course.exercise import Exercise
from traced.findings.feedback import Question, fault, require
from traced.lessons.cost_of_state.pending import Pending
from traced.lessons.cost_of_state.solutions.seconds import seconds as solution
from traced.questions import compare
from traced.running.attempt import attempt

# The check sleeps for work, in seconds: what a first call compiles, a copy to the host, and the
# work of each call. One of those that count is the shortest; a first call may be shorter still.
COMPILING, COPYING = 0.1, 0.1
WORK = (0.0, 0.1, 0.1, 0.05, 0.1, 0.1)
CALLS = len(WORK)
CALLING = 0.4  # of the work of a call, the part that is done before it returns
SLACK = 0.03  # between what a call took, which is measured too, and what the answer says of it


class _Function:
    """A function that hands its work over, and measures what each call takes until it is done."""

    def __init__(self, given: str, *, compiling: float, leaves: int) -> None:
        self.given, self.compiling, self.leaves = given, compiling, leaves
        self.begun: list[float] = []
        self.done: list[float] = []
        self.waited: set[tuple[int, int]] = set()

    def __call__(self, x: float, y: float) -> Any:
        if isinstance(x, jax.core.Tracer):
            raise fault("cost/calls-timed", given=self.given, calls="of a trace of the function")
        number = len(self.begun)
        self.begun.append(time.perf_counter())
        if number == 0:
            time.sleep(self.compiling)
        # What was handed over before is done first.
        free = max([time.perf_counter(), *self.done])
        work = WORK[min(number, CALLS - 1)]
        self.done.append(free + work)
        time.sleep(CALLING * work)
        parts = [self._part(x + y, number, leaf) for leaf in range(self.leaves)]
        return parts[0] if self.leaves == 1 else {"first": parts[0], "rest": (*parts[1:], None)}

    def _part(self, value: float, number: int, leaf: int) -> Pending:
        # The first arrays of a tree are there before the last one.
        early = self.done[number] - 0.1 * WORK[3] * (self.leaves - 1 - leaf)

        def wait() -> None:
            time.sleep(max(0.0, early - time.perf_counter()))
            if (number, leaf) not in self.waited:
                self.waited.add((number, leaf))
                self.done[number] = max(self.done[number], time.perf_counter())

        return Pending(value, wait, COPYING)

    def is_waited_for(self, number: int) -> bool:
        """Return whether somebody waited for all that a call returned."""
        return all((number, leaf) in self.waited for leaf in range(self.leaves))

    def times(self) -> list[float]:
        """Return what each call took, to the moment at which its result was there."""
        return [done - begun for begun, done in zip(self.begun, self.done, strict=True)]


def _is_timed_in_full(given: str, *, compiling: float, leaves: int) -> Question:
    """Ask for the shortest time of five calls with their results, after a first call."""

    def question(answer: Any) -> None:
        f = _Function(given, compiling=compiling, leaves=leaves)
        got = attempt(answer, f, 1.0, 2.0)
        compare(0.0, 0.0 * got if isinstance(got, float) else got, given=given)
        _require_results(f, given)
        _require_time(f, float(got), given)
        _require_calls(f, float(got), given)

    return question


def _require_results(f: _Function, given: str) -> None:
    """Require that each call that counts was waited for, with all of its result."""
    for number in range(1, len(f.begun)):
        saw = {"given": given, "its arrays": f.leaves, "not waited for": f"call {number + 1}"}
        require(f.is_waited_for(number), "cost/not-awaited", **saw)


def _require_time(f: _Function, got: float, given: str) -> None:
    """Require a time that is neither shorter nor longer than that of the shortest call."""
    taken = f.times()
    saw = {"given": given, "its shortest call": f"{min(WORK[1:])} s"}
    if taken and got < 0.9 * min(taken):
        raise fault("cost/undercounted", **saw, got="less than that")
    saw |= {"its other calls": f"{max(WORK)} s", "compiling": f"{f.compiling} s"}
    saw |= {"a copy to the host": f"{COPYING} s", "got": f"more than {min(WORK[1:]) + SLACK} s"}
    require(got < min(taken[1:] or taken or [0.0]) + SLACK, "cost/overcounted", **saw)


def _require_calls(f: _Function, got: float, given: str) -> None:
    """Require six calls, of which the first is not the one whose time is returned."""
    saw = {"given": given, "calls": len(f.begun), "wanted": f"{CALLS}, the first of them not timed"}
    require(len(f.begun) == CALLS, "cost/calls-timed", **saw)
    saw |= {"its first call": f"{WORK[0]} s", "the shortest of the others": f"{min(WORK[1:])} s"}
    counts = got < 0.9 * min(f.times()[1:])
    require(not counts, "cost/calls-timed", **saw, got="the time of the first call")


seconds = Exercise(
    name="seconds",
    questions=(
        _is_timed_in_full("a function that returns one array", compiling=COMPILING, leaves=1),
        _is_timed_in_full("a function with nothing to compile", compiling=0.0, leaves=3),
    ),
    hints=(
        "Two things are wrong: where the clock stops, and what becomes of the first of the times.",
        "`jax.block_until_ready` takes any tree of arrays, and waits for all of them. "
        "The shortest of some numbers is `min`.",
        "One call before the loop, waited for. In the loop: start, call and wait, stop. "
        "After it, the least of the five.",
    ),
    verified="the shortest of five calls with all of their results, after a first one; no copies",
    answer=solution,
)
