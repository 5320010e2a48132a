"""Differentiate where an iteration settles, and not the way there."""

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import fault, require
from traced.lessons.own_derivatives.solutions.equilibrium import equilibrium as solution
from traced.programs.memory import measure_program
from traced.pytrees.questions import compare_within
from traced.questions import can_be_traced
from traced.running.attempt import attempt

_LINEAR = {
    "pull": jnp.array([[0.5, 0.2, 0.0], [-0.3, 0.4, 0.1], [0.1, 0.0, 0.6]]),
    "push": (jnp.array([1.0, -2.0, 0.5]),),
}
_NET = [jnp.array([[0.6, -0.5], [0.7, 0.2]]), jnp.array([0.3, -0.8])]
_SLOW, _RATES = jnp.array([3.0, -1.0, 0.5, 2.0]), jnp.array([0.004, 0.1, 0.3, 0.5])
_ENDS, _GAINS = jnp.array([2.5, 11000.5]), (jnp.array([1.5, 2.0, 1.5, 2.0]),)
_WEIGHTS = {2: np.array([1.0, -2.0]), 3: np.array([2.0, 1.0, -1.0]), 4: np.ones(4)}
#: A `scan` of a thousand rounds would keep as many bytes for each of the four entries.
_BYTES = 8_000
#: What does without the rounds, and where to read of it.
_RULE = "the slope of a root is that of its equation, and needs no step of the way there"
_READ = "09b_own_derivatives, “The equation knows the slope, however the root was found”"


def _linear(params: Any, x: Any) -> Any:
    return params["pull"] @ x + params["push"][0]


def _net(params: Any, x: Any) -> Any:
    return jnp.tanh(params[0] @ x + params[1])


def _slow(target: Any, x: Any) -> Any:
    return x + _RATES * (target - x - 0.1 * x**3)


def _count(ends: Any, x: Any) -> Any:
    """Count to `ends`, which takes as many rounds, and which no slope of a round leads to."""
    return jnp.minimum(x + 1, ends)


def _fork(gains: Any, x: Any) -> Any:
    """Settle on the side of zero on which it began; begun on both, the changes add up to zero."""
    return jnp.tanh(gains[0] * x)


_CASES = (
    ("a linear map", _linear, _LINEAR, jnp.zeros(3)),
    ("the hyperbolic tangent of one", _net, _NET, jnp.array([2.0, -1.0])),
    ("a part of the way, a small one in one entry", _slow, _SLOW, jnp.zeros(4)),
    ("a count to 2.5 and to 11000.5", _count, _ENDS, jnp.zeros(2)),
    ("a place on either side of zero", _fork, _GAINS, jnp.array([-0.5, 0.3, 0.5, -0.3])),
)


def _in_numpy(f: Any, params: Any, x: Any) -> tuple[Any, Any, Any]:
    """Return where a map settles, its slopes there in `x`, and how slopes go back to `params`.

    In NumPy, so that nothing is compiled for it: the map of each case once more, and derived by
    hand.
    """
    params, x = jax.tree.map(lambda leaf: np.asarray(leaf, float), (params, x))
    if f is _linear:
        x = np.linalg.solve(np.eye(3) - params["pull"], params["push"][0])
        return x, params["pull"], lambda g: {"pull": np.outer(g, x), "push": (g,)}
    if f is _net:
        for _ in range(200):
            x = np.tanh(params[0] @ x + params[1])
        slope = 1 - x**2
        return x, slope[:, None] * params[0], lambda g: [np.outer(g * slope, x), g * slope]
    rates = np.asarray(_RATES, float)
    if f is _slow:
        for _ in range(60):  # by Newton's method: the map itself takes thousands of rounds
            x = x + (params - x - 0.1 * x**3) / (1 + 0.3 * x**2)
        return x, np.diag(1 - rates * (1 + 0.3 * x**2)), lambda g: g * rates
    if f is _count:
        return params, np.zeros((2, 2)), lambda g: g
    for _ in range(400):
        x = np.tanh(params[0] * x)
    slope = 1 - x**2
    return x, np.diag(slope * params[0]), lambda g: (g * slope * x,)


@cache
def _wanted() -> list[tuple[Any, Any]]:
    """Return for each case where it settles, and the gradient of a weighted sum of that."""
    return [_place_and_gradient(*case) for _, *case in _CASES]


def _place_and_gradient(f: Any, params: Any, start: Any) -> tuple[Any, Any]:
    """Return that gradient, too, from the equation that `x` solves."""
    x, by_x, back = _in_numpy(f, params, start)
    adjoint = np.linalg.solve(np.eye(x.size) - by_x.T, _WEIGHTS[x.size])
    return x.astype("float32"), back(adjoint)


def _total(answer: Any, f: Any) -> Any:
    """Return a function of arrays alone: a weighted sum, and the place itself."""

    def total(params: Any, start: Any) -> Any:
        x = answer(f, params, start)
        return jnp.vdot(_WEIGHTS[start.size].astype("float32"), x), x

    return total


#: The case in which the gradient with respect to `start` is looked at.
_FORGETFUL = 1


def _settles(answer: Any) -> None:
    """Require one place outside `jit`; the others are looked at together with their gradients."""
    name, *case = _CASES[0]
    _compare_place(0, attempt(answer, *case), name)


def _compare_place(n: int, got: Any, name: str) -> None:
    # The last step may be 0.00001, and what is left to go as much as 110 times that.
    # If only the mean of the entries has to be as small, four times that is left.
    compare_within(_wanted()[n][0], got, 0.001, given=name)


def _derives_what_it_settles_at(answer: Any) -> None:
    """Require the places and slopes of all cases, in one program, since that is sooner compiled."""
    maps, params, starts = zip(*(case for _, *case in _CASES), strict=True)

    def gradients(params: Any, starts: Any) -> list[Any]:
        return [
            jax.grad(_total(answer, f), argnums=(0, 1), has_aux=True)(*case)
            for f, *case in zip(maps, params, starts, strict=True)
        ]

    by_start = []
    seen_of_each = attempt(jax.jit(gradients), params, starts)
    for n, ((got, slopes), place) in enumerate(seen_of_each):
        by_start.append(slopes)
        name = _CASES[n][0]
        _compare_place(n, place, name)
        wanted = _wanted()[n][1]
        for left, right in zip(jax.tree.leaves(wanted), jax.tree.leaves(got), strict=True):
            seen = {"given": name, "wanted": _row(left), "got": _row(right)}
            close = np.allclose(left, right, rtol=0.02, atol=0.005)
            require(close, "derivatives/wrong", **seen)
    # Here, since it is known already.
    given = "the gradient with respect to `start`"
    compare_within(np.zeros(2, "float32"), by_start[_FORGETFUL], 0.01, given=given)


def _row(leaf: Any) -> str:
    return np.array2string(np.ravel(leaf)[:4], precision=3)


def _keeps_no_round(answer: Any) -> None:
    _, f, params, start = _CASES[2]
    gradient = jax.grad(_total(answer, f), has_aux=True)
    needed = attempt(measure_program, gradient, params, start).temporary_bytes
    seen = {"bytes_for_the_gradient": needed, "allowed": _BYTES}
    if needed is not None and needed > _BYTES:
        raise fault("loops/residuals", **seen).saying(rule=_RULE, read=_READ)


def _can_be_traced(answer: Any) -> None:
    _, f, params, start = _CASES[0]
    can_be_traced(params, start)(lambda params, start: answer(f, params, start))


equilibrium = Exercise(
    name="equilibrium",
    questions=(
        _settles,
        _can_be_traced,
        _derives_what_it_settles_at,
        _keeps_no_round,
    ),
    hints=(
        "Which function of `x` is zero where `f(params, x)` is `x`? `custom_root` takes it first, "
        "and the loop that finds this place as its third argument.",
        "`lax.custom_root(f, start, solve, tangent_solve)`. Here `tangent_solve` is given a linear "
        "function of a vector: `jax.jacfwd` writes it as a matrix, `jnp.linalg.solve` divides.",
        "A residual, which is a step minus `x`. A `while_loop` that adds it until all of its "
        "entries are small. A division by a matrix.",
    ),
    verified="right values and gradients for five maps, one of which takes 11000 rounds; "
    "no round is kept, and where it began has no slope",
    answer=solution,
)
