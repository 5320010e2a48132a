"""Repair a solver whose values are right and whose derivatives are not."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.own_derivatives.slopes import require_slope, require_slopes
from traced.lessons.own_derivatives.solutions.kepler import kepler as solution
from traced.questions import can_be_traced, compare
from traced.running.attempt import attempt

#: Where the slope is largest and where it is smallest, of all `m` and all `e` up to 0.9.
_ENDS = ((0.0, 0.9), (-0.02, 0.9), (22.0, 0.9))
_POINTS = ((0.5, 0.3), (-14.0, 0.8), (-6.5, 0.9), (3.0, 0.0), (0.1, 0.9), (100.5, 0.6), *_ENDS)
_M = np.array([0.25, 1.5, -2.5], np.float32)
_E = np.array([0.1, 0.9, 0.5], np.float32)


def _position(m: Any, e: Any) -> Any:
    """Return the position by Newton's steps, in double precision."""
    m, e = np.float64(m), np.float64(e)
    x = m + e * np.sign(np.sin(m))
    for _ in range(50):
        x = x - (x - e * np.sin(x) - m) / (1 - e * np.cos(x))
    return x


def _first(m: float, e: float) -> tuple[float, float]:
    x = _position(m, e)
    return 1 / (1 - e * np.cos(x)), np.sin(x) / (1 - e * np.cos(x))


def _second(m: float, e: float) -> tuple[tuple[float, float], ...]:
    """Return the second derivatives, by the formulas that differentiating the first two gives."""
    x = _position(m, e)
    by_m, by_e = _first(m, e)
    sine, cosine = np.sin(x), np.cos(x)
    mixed = cosine * by_m**2 - e * sine * by_m**2 * by_e
    by_e_twice = (cosine * by_e) * by_m + sine * (cosine - e * sine * by_e) * by_m**2
    return ((-e * sine * by_m**3, mixed), (mixed, by_e_twice))


def _solves(answer: Any) -> None:
    for m, e in _POINTS:
        got = attempt(answer, jnp.float32(m), jnp.float32(e))
        compare(np.float32(_position(m, e)), got, given=f"m = {m}, e = {e}")


def _has_first_derivatives(answer: Any) -> None:
    require_slopes(answer, ("m", "e"), _first, _POINTS, 0.01)


def _has_second_derivatives(answer: Any) -> None:
    second = jax.jit(jax.hessian(answer, argnums=(0, 1)))
    for m, e in _POINTS:
        blocks = attempt(second, jnp.float32(m), jnp.float32(e))
        for i, one in enumerate("me"):
            for j, other in enumerate("me"):
                given = f"m = {m}, e = {e}, with respect to {one} and {other}"
                require_slope(_second(m, e)[i][j], blocks[i][j], 0.02, given=given)


def _can_be_mapped(answer: Any) -> None:
    """Require values and slopes of a batch, under `jit`."""
    got = attempt(jax.jit(jax.vmap(answer)), _M, _E)
    compare(_position(_M, _E).astype(np.float32), got, given="three rows under `jit` and `vmap`")
    slopes = attempt(jax.jit(jax.vmap(jax.grad(answer))), _M, _E)
    for m, e, slope in zip(_M, _E, slopes, strict=True):
        given = f"m = {m:.3g}, e = {e:.3g}, with respect to m, under `jit` and `vmap`"
        require_slope(_first(m, e)[0], slope, 0.01, given=given)


kepler = Exercise(
    name="kepler",
    questions=(
        _solves,
        can_be_traced(jnp.float32(0.5), jnp.float32(0.3)),
        _has_first_derivatives,
        _has_second_derivatives,
        _can_be_mapped,
    ),
    hints=(
        "If `m` and `e` change a little, how must `x` change so that the equation stays true? "
        "Both sides of it change by the same amount.",
        "`jax.custom_jvp` around the function that is there, and a rule whose tuples hold two "
        "numbers each. Its value of `x` needs a derivative as well.",
        "A rule with one fraction: above it the change of `m`, and that of `e` times a sine; below "
        "it one minus `e` times a cosine, both at the position.",
    ),
    verified="right values, first and second derivatives at eight points, for both arguments and "
    "in both modes; a batch under `jit`",
    answer=solution,
)
