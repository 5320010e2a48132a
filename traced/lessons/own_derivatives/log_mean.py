"""Write a mean whose formula fails where its arguments meet, with derivatives that do not."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found
from traced.lessons.own_derivatives.slopes import require_slope, require_slopes
from traced.lessons.own_derivatives.solutions.log_mean import log_mean as solution
from traced.pytrees.questions import compare_within
from traced.questions import can_be_traced
from traced.running.attempt import attempt

#: Apart, equal, and nearly equal: a float32 near 2 has neighbours at a distance of 2e-7.
_GIVEN = np.array(
    [
        *([3.0, 1.0], [0.01, 1000.0], [50.0, 0.5], [2.0, 2.0], [0.03, 0.03], [2.0, 2.000001]),
        *([2.0, 2.0001], [2.001, 2.0], [700.0, 700.5], [1.0, 1.05], [5.0, 4.0]),
        # Near each other only as numbers go, and apart as far as a short series bends.
        *([0.012, 0.01], [1.0, 7.0]),
        # Ratios in steps from 1.3 to 4: where a series ends, on either side of one.
        *([4.0, 3.0], [2.0, 3.0], [8.0, 5.0], [0.3, 0.6], [90.0, 36.0], [0.25, 1.0]),
    ],
    np.float32,
)
#: What tells of a right value whose derivative is another function's.
_READ = "09b_own_derivatives, “A right value may have a wrong slope next to it”"

#: A difference of two logarithms keeps the fewer digits, the nearer the arguments are to each
#: other and the further from 1. So neighbours are asked at several sizes and distances.
_APART = (0.0, 1e-7, 3e-7, 8e-7, 2e-6, 5e-6, 1e-5, 3e-5, 1e-4, 1e-3)
_NEAR = [
    ((size, size * (1 + d)) if i % 2 else (size * (1 + d), size))
    for size in (0.0123, 0.31, 31.7, 713.0)
    for i, d in enumerate(_APART)
]

_PAIRS = [(float(a), float(b)) for a, b in _GIVEN]
_MANY = jax.device_put(tuple(np.resize(_GIVEN, (301, 2)).T))
#: What is asked in one program: the few that are equal or apart, and then the neighbours.
_ROWS = np.array([*_PAIRS[1:5], *_NEAR], np.float32).T.reshape(2, 2, -1)
_A, _B = _GIVEN[1:5].T.reshape(2, 1, 4)


def _half(a: Any, b: Any) -> Any:
    return np.log(np.float64(a) / np.float64(b)) / 2


def _mean(a: Any, b: Any) -> Any:
    half, middle = _half(a, b), np.sqrt(np.float64(a) * np.float64(b))
    safe = np.where(np.abs(half) < 1e-3, 1.0, half)
    return middle * np.where(np.abs(half) < 1e-3, 1 + half**2 / 6, np.sinh(safe) / safe)


def _slopes(a: float, b: float) -> tuple[float, float]:
    """Return both derivatives, in double precision."""
    half, middle = _half(a, b), np.sqrt(np.float64(a) * np.float64(b))
    exact = (half * np.cosh(half) - np.sinh(half)) / (half or 1.0) ** 2
    bend = half / 3 if abs(half) < 1e-3 else exact
    mean = _mean(a, b)
    return (mean + middle * bend) / (2 * a), (mean - middle * bend) / (2 * b)


def _averages(answer: Any) -> None:
    for a, b in _PAIRS:
        got = attempt(answer, jnp.float32(a), jnp.float32(b))
        wanted = np.float32(_mean(a, b))
        compare_within(wanted, got, 0.01, near_zero=0, given=f"a = {a:.7g}, b = {b:.7g}")


def _averages_many_under_jit(answer: Any) -> None:
    jitted = jax.jit(lambda a, b: answer(a, b))
    got = attempt(jitted, *jax.device_put((_A, _B)))
    given = f"a = {_A.tolist()}, b = {_B.tolist()}, under `jit`"
    compare_within(_mean(_A, _B).astype(np.float32), got, 0.01, near_zero=0, given=given)
    got = attempt(jitted, *_MANY)
    given = "301 such numbers for a and as many for b, under `jit`"
    compare_within(_mean(*_MANY).astype(np.float32), got, 0.01, near_zero=0, given=given)


def _has_derivatives(answer: Any) -> None:
    with _reading_of_slopes():
        require_slopes(answer, ("a", "b"), _slopes, _PAIRS, 0.01, near_zero=0)


def _is_right_for_neighbours_under_jit(answer: Any) -> None:
    def total(a: Any, b: Any) -> Any:
        means = answer(a, b)
        return jnp.sum(means), means

    slopes, means = attempt(jax.jit(jax.grad(total, (0, 1), has_aux=True)), *_ROWS)
    for a, b, mean, *pair in zip(*map(np.ravel, (*_ROWS, means, *slopes)), strict=True):
        given = f"a = {a!s}, b = {b!s}, in two arrays, under `jit`"
        compare_within(np.float32(_mean(a, b)), mean, 0.01, near_zero=0, given=given)
        for name, wanted, slope in zip("ab", _slopes(float(a), float(b)), pair, strict=True):
            with _reading_of_slopes():
                at = f"{given}, with respect to {name}"
                require_slope(wanted, slope, 0.01, near_zero=0, given=at)


@contextmanager
def _reading_of_slopes() -> Iterator[None]:
    try:
        yield
    except Found as found:
        is_wrong = found.finding.code == "derivatives/wrong"
        raise (found.saying(read=_READ) if is_wrong else found) from None


log_mean = Exercise(
    name="log_mean",
    questions=(
        _averages,
        can_be_traced(jnp.float32(2.0), jnp.float32(3.0)),
        _averages_many_under_jit,
        _has_derivatives,
        _is_right_for_neighbours_under_jit,
    ),
    hints=(
        "Write the mean with one logarithm: that of the ratio of `a` and `b`. What is left besides "
        "is a function of this logarithm alone, which this section has met.",
        "`mean_exp` of the page has the value and the slope that are needed at 0. So the mean is "
        "one number times `mean_exp` of one logarithm.",
        "One line: `b`, times the function of the section, at the logarithm of a ratio. A series "
        "near 0, with an inner `where`, will do as well.",
    ),
    verified="right values for nineteen pairs and two arrays, and right derivatives for both, in "
    "both modes, where they are equal and nearly equal too",
    answer=solution,
)
