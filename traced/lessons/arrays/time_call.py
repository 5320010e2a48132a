"""Time the second call of a function, until all of its result is there."""

import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Question, fault, require
from traced.lessons.arrays.solutions.time_call import time_call as solution
from traced.lessons.arrays.timed import COPYING, SLACK, TimedFunction
from traced.questions import compare
from traced.running.attempt import attempt

#: What the function is called with: no number that another array holds by itself.
_X = 0.75

#: Seconds that the check sleeps for the work of the first call and of the others.
WORK = (0.15, 0.05)


class _OfATuple(TimedFunction):
    """A function that returns a tuple, and whose first call is the shorter one."""

    def __call__(self, *args: float) -> Any:
        tree = super().__call__(*args)
        return tree["first"], *tree["rest"][:-1]


def _array(given: str) -> TimedFunction:
    return TimedFunction(given, work=WORK, compiling=0.1, leaves=1)


def _tree(given: str) -> TimedFunction:
    return TimedFunction(given, work=WORK, compiling=0.0, leaves=3)


def _tuple(given: str) -> TimedFunction:
    return _OfATuple(given, work=(0.02, 0.06), compiling=0.0, leaves=3)


def _is_timed_in_full(given: str, make: Callable[[str], TimedFunction]) -> Question:
    """Ask for the time of the second call with its result, after a first one."""

    def question(answer: Any) -> None:
        f = make(given)
        got = attempt(answer, f, _X)
        # A number of NumPy or JAX tells the seconds as well.
        is_number = isinstance(got, float | np.floating | jax.Array)
        compare(0.0, 0.0 * got if is_number else got, given=given)
        calls = len(f.begun)
        saw = {"given": given, "calls": calls, "wanted": "two, the first of them not timed"}
        require(calls == 2, "cost/calls-timed", **saw)
        # An array of another shape or dtype would not even have been compiled for.
        for number, args in enumerate(f.args, start=1):
            given_to_f = float(sum(args))
            saw = {"given": given, "call": number, "of": f"f({given_to_f})", "wanted": f"f({_X})"}
            require(given_to_f == _X, "cost/calls-timed", **saw)
        f.require_results()
        _require_time(f, float(got))

    return question


def _require_time(f: TimedFunction, got: float) -> None:
    """Require a time that is neither shorter nor longer than that of the second call."""
    own, saw = f.times()[1], {"given": f.given, "the second call": f"{f.work[1]} s"}
    if got < 0.9 * own:
        raise fault("cost/undercounted", **saw, got="less than that")
    saw |= {"the first call": f"{f.work[0]} s", "compiling": f"{f.compiling} s"}
    # Milliseconds for seconds are told by the size of the number.
    limit = f"{f.work[1] + SLACK:.2f}" if got < 1.0 else f"{10 ** math.floor(math.log10(got))}"
    saw |= {"a copy to the host": f"{COPYING} s", "got": f"more than {limit} s"}
    # What is left to do of the first call is done before the second one.
    is_alone = f.done[0] <= f.begun[1]
    require(is_alone and got < own + SLACK, "cost/overcounted", **saw)


time_call = Exercise(
    name="time_call",
    questions=(
        _is_timed_in_full("a function that returns one array", _array),
        _is_timed_in_full("a function that returns a tree", _tree),
        _is_timed_in_full("a function that returns a tuple", _tuple),
    ),
    hints=(
        "Two calls. When is the work of the first one done, and when that of the second?",
        "`jax.block_until_ready` takes any tree of arrays, waits for all of them and returns it. "
        "`perf_counter` reads the clock.",
        "A call that is waited for. Then the clock; a call that is waited for; and the difference "
        "of the clock now and before.",
    ),
    verified="the time of a second call with all of its result, after a first one, be it longer or "
    "shorter; no copies in it",
    answer=solution,
)
