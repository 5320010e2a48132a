"""Write a `while` with a bound, for any state, which reverse mode can differentiate."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault, require
from traced.lessons.loops.equations import place_of_first
from traced.lessons.loops.solutions.bounded_while import bounded_while as solution
from traced.numbers.nans import find_first_nan
from traced.programs.questions import require_bounded_growth
from traced.questions import compare
from traced.running.attempt import attempt

#: What is passed: its text, the condition, the body, where to begin, and how many steps at most.
_CASES: tuple[tuple[str, Any, Any, Any, int], ...] = (
    ("halve 200 while above 1", lambda x: x > 1, lambda x: x / 2, jnp.float32(200), 9),
    ("halve 20 while above 1", lambda x: x > 1, lambda x: x / 2, jnp.float32(20), 5),
    ("halve 20 while above 1", lambda x: x > 1, lambda x: x / 2, jnp.float32(20), 1),
    ("halve 1 while above 1", lambda x: x > 1, lambda x: x / 2, jnp.float32(1), 4),
    ("halve 20 while above 1", lambda x: x > 1, lambda x: x / 2, jnp.float32(20), 0),
    # Cut off by bounds that are no multiples of one another.
    ("count up without an end", lambda n: n >= 0, lambda n: n + 1, jnp.int32(0), 9),
    ("count up without an end", lambda n: n >= 0, lambda n: n + 1, jnp.int32(0), 37),
    # More steps than a byte can count.
    ("add 3 while below 2700", lambda n: n < 2700, lambda n: n + 3, jnp.int32(0), 1000),
    (
        "a pair: double the first, count up, while the count is below 4",
        lambda s: s[1] < 4,
        lambda s: (2 * s[0], s[1] + 1),
        (jnp.array([1.0, -3.0]), jnp.int32(1)),
        20,
    ),
    (
        "a dict: add v to x, weaken v, while v is above 0.1",
        lambda s: s["v"] > 0.1,
        lambda s: {"x": s["x"] + s["v"], "v": 0.5 * s["v"]},
        {"x": jnp.zeros((2, 1)), "v": jnp.float32(1)},
        20,
    ),
)


def _last_state(goes_on: Any, body: Any, state: Any, most: int) -> tuple[Any, Any]:
    steps = 0
    while steps < most and goes_on(state):
        state, steps = body(state), steps + 1
    return state, np.int32(steps)


def _stops_where_it_should(answer: Any) -> None:
    """Require the last state and the number of steps of each case."""
    for text, goes_on, body, state, most in _CASES:
        wanted = _last_state(goes_on, body, state, most)
        got = attempt(answer, goes_on, body, state, most)
        compare(wanted, got, given=f"{text}, most = {most}")


def _does_not_grow_with_its_bound(answer: Any) -> None:
    """Require as many equations for 63 steps at most as for one."""

    def halved(x: Any, most: int) -> Any:
        return answer(lambda x: x > 1, lambda x: x / 2, x, most)

    # All bits of 63 are ones, which tells a loop for each of them from one loop.
    require_bounded_growth(lambda most: (partial(halved, most=most), 20.0), 1, 63, size="most = {}")


def _derives_every_step(answer: Any) -> None:
    """Require the slopes by where it begins and by what the body closes over, under `jit`."""
    for most, steps in ((20, 4), (2, 2)):
        # From 5, four factors of 2 lead to 80: the slopes are 2**4, and 5 * 4 * 2**3.

        def last(x: Any, factor: Any, most: int = most) -> Any:
            return answer(lambda y: y < 50, lambda y: factor * y, x, most)[0]

        ways = (
            ("the start", lambda x, last=last: last(x, 2.0), 5.0, 2.0**steps),
            ("the factor", partial(last, jnp.float32(5)), 2.0, 5.0 * steps * 2.0 ** (steps - 1)),
        )
        for name, f, at, wanted in ways:
            slope = _slope(f, at)
            given = f"double 5 while below 50, most = {most}"
            seen = {"given": given, "with_respect_to": name, "wanted": f"{wanted:.3f}"}
            close = np.isclose(slope, wanted, rtol=1e-3)
            require(close, "derivatives/wrong", **seen, got=f"{slope:.3f}")


def _derives_through_containers(answer: Any) -> None:
    """Require the slope where the state is a dictionary, and where it is a tuple."""

    def in_a_dict(x: Any) -> Any:
        state = {"x": x, "n": jnp.int32(0)}
        return answer(lambda s: s["n"] < 3, lambda s: {"x": 2 * s["x"], "n": s["n"] + 1}, state, 5)

    def in_a_tuple(x: Any) -> Any:
        return answer(lambda s: s[1] < 3, lambda s: (2 * s[0], s[1] + 1), (x, jnp.int32(0)), 5)

    def total(x: Any) -> Any:
        return in_a_dict(x)[0]["x"] + 10 * in_a_tuple(x)[0][0]

    slope = _slope(total, 1.0)
    given = "double x three times, in a dict, and ten times that in a tuple"
    close = np.isclose(slope, 88, rtol=1e-3)
    require(close, "derivatives/wrong", given=given, wanted=88.0, got=f"{slope:.3f}")


def _takes_no_harm_beyond_the_end(answer: Any) -> None:
    """Require finite states and slopes where the body has none beyond the end."""
    for x, most, wanted in ((5.0, 6, 0.125), (0.5, 3, 1.0)):
        given = f"take the root of x - 1 while x is 1.5 or more, from {x}, most = {most}"

        def last(x: Any, most: int = most) -> Any:
            return answer(lambda x: x >= 1.5, lambda x: jnp.sqrt(x - 1), x, most)[0]

        got = attempt(last, jnp.float32(x))
        require(not np.any(np.isnan(got)), "value/nan", given=given, got=got)
        slope = _slope(last, x)
        if not np.isfinite(slope):
            first = attempt(find_first_nan, jax.grad(last), x)
            saw = {"given": given, "derivative with respect to x": slope}
            raise fault("derivatives/not-finite", first and first.place, **saw)
        close = np.isclose(slope, wanted, rtol=1e-3)
        require(close, "derivatives/wrong", given=given, wanted=wanted, got=f"{slope:.3f}")


def _slope(f: Callable[[Any], Any], at: float) -> Any:
    try:
        return attempt(jax.jit(jax.grad(f)), at)
    except Found as found:
        code = found.finding.code
        if code == "tracing/leaked" and (place := place_of_first(("custom_vjp_call",), f, at)):
            raise found.saying(where=(place,), rule=CLOSED, read=READ) from None
        if code != "loops/reverse-mode":
            raise
        # JAX raises on the way back, where no line of the answer is on the stack.
        place, saw = place_of_first(("while",), f, at), dict(found.finding.saw)
        raise fault("loops/reverse-mode", place, **saw) from None


#: What is said where `custom_vjp` meets a traced value that is none of its arguments.
CLOSED = "`custom_vjp` has slopes for its arguments, and none for what the function closes over"
READ = "09b_own_derivatives, “`custom_vjp` says what goes back, for one example”"


bounded_while = Exercise(
    name="bounded_while",
    questions=(
        # First, since to run a thousand rounds that Python unrolled takes minutes.
        _does_not_grow_with_its_bound,
        _stops_where_it_should,
        _derives_every_step,
        _derives_through_containers,
        _takes_no_harm_beyond_the_end,
    ),
    hints=(
        "`settle_bounded` has the form: a loop of known length in which a finished value is kept. "
        "Which of its lines fit a state that is a tuple, or a body that may be NaN?",
        "`lax.cond` takes and returns whole trees, and differentiates only the branch that it "
        "took. The number of steps can be carried beside the state.",
        "The carry is a pair of state and count. One branch gives `body` the state and adds one "
        "to the count, the other returns the pair. A `scan` with a `length` repeats it.",
    ),
    verified="right states and counts for ten loops; one loop in the trace; reverse mode works, "
    "also where the body would be NaN beyond the end",
    answer=solution,
)
