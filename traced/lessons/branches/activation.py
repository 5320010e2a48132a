"""Apply the activation that a traced index chooses, and give NaN where there is none."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.branches.solutions.activation import activation as solution
from traced.questions import compare, traces_at_most
from traced.running.attempt import attempt

_X = jnp.array([-1.5, 0.0, 2.0, -100.0, 100.0, jnp.inf, -jnp.inf, jnp.nan])

_LONG = jnp.linspace(-3.0, 3.0, 301)

# Far out, a slope that is not chosen may be infinite.
_SLOPED = np.array([-1.5, 0.5, 2.0, -100.0, 100.0], np.float32)

#: Those of functions, then others: near them, counted from the end, and as far out as an int32 is.
_INDICES = (0, 1, 2, 3, -1, 100, 4, 5, 6, 7, 8, -2, -3, -4, 2**31 - 1, -(2**31))


def _activation(i: int, x: Any) -> Any:
    known = {0: np.maximum(x, 0), 1: np.tanh(x), 2: x}
    return known.get(i, np.full_like(x, np.nan))


def _activates_by_index(answer: Any) -> None:
    jitted = jax.jit(lambda i, x: answer(i, x))
    for i in _INDICES:
        got, given = attempt(jitted, jnp.int32(i), _X), f"i = {i}, x = {_X}"
        _require_no_clamping(i, got, given)
        compare(_activation(i, np.asarray(_X)), got, given=given)


def _require_no_clamping(i: int, got: Any, given: str) -> None:
    """Require that an index which is out of range does not get the nearest function."""
    nearest = min(max(i, 0), 2)
    # Far out, an index in a type of fewer bits is another one.
    if nearest == i or abs(nearest - i) > 100 or getattr(got, "shape", None) != _X.shape:
        return
    clamped = np.allclose(_activation(nearest, np.asarray(_X)), got, equal_nan=True)
    seen = {"given": given, "wanted": "NaN", "got": f"function number {nearest} of x"}
    require(not clamped, "branches/clamped", **seen)


def _keeps_any_shape(answer: Any) -> None:
    """Require results of the shape of `x`, whatever that is."""
    jitted = jax.jit(lambda i, x: answer(i, x))
    for x in (
        jnp.float32(-0.5),
        jnp.array([-0.5]),
        jnp.array([[2.0, 2.0, 2.0], [1.0, 1.000001, -0.5]]),
        _LONG,
    ):
        shown = x if x.size < 10 else f"{x.size} entries"
        for i in (1, 7):
            got = attempt(jitted, jnp.int32(i), x)
            compare(_activation(i, np.asarray(x)), got, given=f"i = {i}, x = {shown}")


def _derives_its_values(answer: Any) -> None:
    """Require the slope of the function that is chosen, where each of the three has one."""
    slope = jax.jit(jax.grad(lambda x, i: jnp.sum(answer(i, x))))
    for i, wanted in enumerate((_SLOPED > 0, 1 - np.tanh(_SLOPED) ** 2, np.ones_like(_SLOPED))):
        got, given = attempt(slope, _SLOPED, jnp.int32(i)), f"i = {i}, x = {_SLOPED}"
        seen = {"given": given, "wanted": np.array2string(wanted * 1.0, precision=3), "got": got}
        code = "derivatives/wrong" if np.isfinite(got).all() else "derivatives/not-finite"
        require(np.allclose(wanted, got, rtol=1e-3), code, **seen)


activation = Exercise(
    name="activation",
    questions=(
        traces_at_most(1, _activates_by_index, f"{len(_INDICES)} indices, under jit"),
        _keeps_any_shape,
        _derives_its_values,
    ),
    hints=(
        "`lax.switch` gives -1 the first branch and 100 the last one. Which calls does that spoil?",
        "Whether an index is in range is a boolean that can be computed. `jnp.where` takes it, "
        "and so does arithmetic on the index.",
        "Either a fourth branch that every bad index is sent to, or the result of three branches, "
        "replaced where the index is out of range.",
    ),
    verified="right values for sixteen indices, thirteen of them out of range, from one trace; "
    "right shapes and derivatives",
    answer=solution,
)
