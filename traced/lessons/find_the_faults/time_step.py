"""Mend the clock: it is held against steps whose time is known."""

from typing import Any

import jax
import jax.numpy as jnp

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.arrays.timed import SLACK, TimedFunction
from traced.lessons.find_the_faults.solutions.time_step import time_step as solution
from traced.lessons.find_the_faults.symptoms import shows_none
from traced.running.attempt import attempt

#: Seconds that a step works for.
_WORK = 0.08


class _Mixed(TimedFunction):
    """A step whose last array is there first, and whose first call is the shorter one."""

    def __init__(self) -> None:
        super().__init__("a step", work=(_WORK / 2, _WORK), compiling=0.0, leaves=5)

    def __call__(self, *args: float) -> Any:
        tree = super().__call__(*args)
        return {"a": tree["rest"], "b": tree["first"]}


def _step(compiling: float) -> TimedFunction:
    return TimedFunction("a step", work=(_WORK, _WORK), compiling=compiling, leaves=1)


def _calls_twice(answer: Any) -> None:
    step = _step(0.0)
    got = attempt(answer, step, 1.0, 2.0)
    kinds = {"wanted": "a float", "got": f"an object of type `{type(got).__name__}`"}
    require(isinstance(got, float), "value/dtype", given="a step", **kinds)
    saw = {"given": "a step", "calls": len(step.begun), "wanted": "two, the second one timed"}
    require(len(step.begun) == 2, "cost/calls-timed", **saw)
    saw = {"given": "a step of two arguments", "wanted": "two calls with `args` as they are"}
    require(step.args == [(1.0, 2.0)] * 2, "cost/calls-timed", **saw, got="one with others")


def _known_time(answer: Any) -> str:
    known = _time_told(answer, _step(0.1)) or _time_told(answer, _Mixed())
    return known or _compiling_told(answer)


def _compiling_told(answer: Any) -> str:
    shapes = []

    @jax.jit
    def step(x: jax.Array) -> jax.Array:
        shapes.append(x.shape)
        return x + 1

    attempt(answer, step, jnp.ones(2))
    return "" if len(shapes) == 1 else "a jitted step is compiled again for the second call"


def _time_told(answer: Any, step: TimedFunction) -> str:
    got = attempt(answer, step, 1.0, 2.0)
    own = step.times()[-1]
    if got < 0.9 * own:
        return "a step of 80 milliseconds is said to take less"
    if got == round(got, 3):
        return "the time of a step is told in whole milliseconds"
    is_alone = step.done[0] <= step.begun[-1]
    more = got >= own + SLACK or not is_alone
    return "a step of 80 milliseconds is said to take more" if more else ""


time_step = Exercise(
    name="time_step",
    questions=(
        _calls_twice,
        shows_none(("symptom/clock", _known_time)),
    ),
    hints=(
        "A call has a begin and an end. When is the result of `step(*args)` there?",
        "Lesson 01 has a section on what a call returns, and a function that takes any tree of "
        "arrays.",
        "Both calls, each within the same function; the clock is read before and after the second.",
    ),
    verified="the time of the second step with all of its result, for two steps whose time is "
    "known",
    answer=solution,
)
