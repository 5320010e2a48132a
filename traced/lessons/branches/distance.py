"""Write the distance of two vectors, whose gradient is zero where they are equal."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import fault, require
from traced.lessons.branches.solutions.distance import distance as solution
from traced.lessons.edge_cases import vectors
from traced.numbers.nans import find_first_nan
from traced.questions import compare, returns
from traced.running.attempt import attempt

_A, _B = np.array([[1, 2, 2], [1, -1, 6]], "float32")

_CLOSE = _A + np.array([0, -3e-4, 4e-4], "float32")

#: The gap is kept in full beside a zero only.
_ZERO, _GAP = np.zeros(3, "float32"), np.array([0.6, 0, -0.8], "float32")

#: Pairs of three entries, by what they are.
_PAIRS = {
    "a and b apart": (_A, _B),
    "a equal to b": (_A, _A),
    "a close to b": (_A, _CLOSE),
    "1e-15 apart": (1e-15 * _GAP, _ZERO),
    "1e15 apart": (1e15 * _GAP, _ZERO),
}


def _distance(a: Any, b: Any) -> Any:
    return np.float32(np.linalg.norm(np.asarray(a, float) - b))


def _gradients(a: Any, b: Any) -> tuple[Any, Any]:
    gap = np.asarray(a, float) - b
    unit = (gap / (np.linalg.norm(gap) or 1)).astype("float32")
    return unit, -unit


def _has_a_finite_gradient(answer: Any) -> None:
    """Require a finite gradient where `a` equals `b`."""
    gradient = jax.grad(lambda a, b: answer(a, b), argnums=(0, 1))
    at_zero = attempt(jax.jit(gradient), _A, _A)
    if not np.all(np.isfinite(at_zero)):
        first = attempt(find_first_nan, gradient, _A, _A)
        saw = {"gradient where a equals b": at_zero[0]}
        if first:
            saw |= {"first of it": f"{first.primitive} gives {first.result}"}
        raise fault("derivatives/not-finite", first and first.place, **saw)


def _is_derived_for_every_pair(answer: Any) -> None:
    """Require the gradient of each pair, under `jit` and `vmap`, and the values with it."""
    both = jax.jit(jax.vmap(jax.value_and_grad(lambda a, b: answer(a, b), argnums=(0, 1))))
    pairs = [np.stack(side) for side in zip(*_PAIRS.values(), strict=True)]
    _require_each(list(_PAIRS), pairs, attempt(both, *pairs))
    for name in ("one entry", "257 entries"):
        x = vectors()[name]
        pairs = [np.stack([x, x]), np.stack([x[::-1] + 1, x])]
        _require_each([name, f"{name}, a equal to b"], pairs, attempt(both, *pairs))


def _passes_the_outer_derivative_on(answer: Any) -> None:
    """Require the gradient of a multiple: a rule of one's own may leave out the outer factor."""
    multiple = jax.grad(lambda a, b: -2 * answer(a, b), argnums=(0, 1))
    wanted = [-2 * gradient for gradient in _gradients(_A, _B)]
    got = attempt(jax.jit(multiple), _A, _B)
    _require_gradients("-2 times the distance, a and b apart", wanted, got)


def _require_each(names: list[str], pairs: list[Any], results: Any) -> None:
    values, gradients = results
    for name, a, b, value, *got in zip(names, *pairs, values, *gradients, strict=True):
        compare(_distance(a, b), value, given=f"{name}, under jit and vmap")
        _require_gradients(name, _gradients(a, b), got)


def _require_gradients(given: str, wanted: Any, got: Any) -> None:
    for argument, left, right in zip("ab", wanted, got, strict=True):
        seen = {"given": given, "with_respect_to": argument, "wanted": _some(left)}
        close = np.allclose(left, right, rtol=1e-3, atol=1e-5)
        require(close, "derivatives/wrong", **seen, got=_some(right))


def _some(gradient: Any) -> str:
    return np.array2string(np.asarray(gradient), precision=4, threshold=8)


distance = Exercise(
    name="distance",
    questions=(
        returns(_distance, *((jnp.asarray(a), jnp.asarray(b)) for a, b in _PAIRS.values())),
        _has_a_finite_gradient,
        _is_derived_for_every_pair,
        _passes_the_outer_derivative_on,
    ),
    hints=(
        "The slope of the root at 0 is infinite, whatever is done with the root afterwards.",
        "One `jnp.where` makes the argument of the root harmless, a second one puts the 0 back.",
        "Four steps: the sum of squares; whether it is positive; the sum or else 1; "
        "the root of that or else 0.",
    ),
    verified="right distances and gradients for pairs that are equal, close and far apart, also "
    "under jit and vmap, and the gradient of a multiple",
    answer=solution,
)
