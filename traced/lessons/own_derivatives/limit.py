"""Repair a limit on what goes back, whose argument may not be traced."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from traced.course.exercise import Exercise
from traced.lessons.edge_cases import vectors
from traced.lessons.own_derivatives.solutions.limit import limit as solution
from traced.questions import compare
from traced.running.attempt import attempt

_TREE = {"w": jnp.array([[3.0, 0.0], [0.0, -4.0]]), "b": (jnp.array([12.0]),)}
_ROWS = np.array([[3.0, 4.0], [0.3, 0.4], [-30.0, 40.0]], np.float32)
_MOST = np.array([1.0, 1.0, 5.0], np.float32)


def _half_of_squares(tree: Any) -> Any:
    """Return a number whose slopes are the numbers in the tree themselves."""
    return 0.5 * sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(tree))


def _shortened(most: Any, tree: Any) -> Any:
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]
    length = np.sqrt(sum(np.sum(leaf.astype(float) ** 2) for leaf in leaves))
    factor = most / length if length > most else 1.0
    return jax.tree.map(lambda leaf: np.float32(factor) * np.asarray(leaf), tree)


def _changes_no_value(answer: Any) -> None:
    for tree in (_TREE, _ROWS, jnp.float32(7.0), jax.device_put(vectors()["257 entries"])):
        wanted = jax.tree.map(np.asarray, tree)
        compare(wanted, attempt(answer, jnp.float32(1.0), tree), given="most = 1.0")


def _shortens(answer: Any) -> None:
    """Require the slopes of a tree, of numbers that are short enough, and of zeros.

    The value that goes with them is that of the forward function.
    """

    def slopes(most: Any, tree: Any) -> Any:
        value, pull_back = jax.vjp(lambda tree: answer(most, tree), tree)
        # Slopes that are the numbers in the tree themselves.
        return value, pull_back(tree)[0]

    zeros = jax.tree.map(jnp.zeros_like, _TREE)
    small = jax.tree.map(lambda x: 0.01 * x, _TREE)
    cases: list[tuple[float, Any]] = [(6.5, _TREE), (20.0, _TREE), (0.5, _TREE), (1.0, zeros)]
    # Hardly too long, and so short that an epsilon is not small next to it.
    large = jax.tree.map(lambda x: 1000 * x, _TREE)
    cases += [(10.0, _ROWS), (2.0, -7.0), (12.9, _TREE), (0.02, small), (300.0, large)]
    for most, tree in cases:
        tree = jax.tree.map(jnp.float32, tree)
        given = f"most = {most}, slopes of {jax.tree.map(lambda x: np.asarray(x).tolist(), tree)}"
        value, got = attempt(slopes, most, tree)
        wanted = jax.tree.map(np.asarray, tree)
        compare(wanted, value, given=f"the value under `grad`, most = {most}")
        compare(_shortened(most, tree), got, given=given)


def _accepts_tracers(answer: Any) -> None:
    """Require the same where `most` comes in as an argument of `jit`, of `vmap` and of `scan`."""

    def slopes(most: Any, x: Any) -> Any:
        return jax.grad(lambda x: _half_of_squares(answer(most, x)))(x)

    one = jnp.float32(1.0)
    got = attempt(jax.jit(slopes), one, _TREE)
    compare(_shortened(1.0, _TREE), got, given="most = 1.0, under `jit`")
    wanted = [_shortened(most, row) for most, row in zip(_MOST, _ROWS, strict=True)]
    got = attempt(jax.jit(jax.vmap(slopes)), _MOST, _ROWS)
    compare(np.stack(wanted), got, given=f"a row each, most = {_MOST.tolist()}, under `vmap`")

    def repeated(x: Any, limits: Any) -> Any:
        return _half_of_squares(lax.scan(lambda x, most: (answer(most, x), None), x, limits)[0])

    # The way back meets the limits from the last to the first.
    got = attempt(jax.jit(jax.grad(repeated)), _ROWS[2], np.array([2, 9], np.float32))
    compare(_shortened(2.0, _ROWS[2]), got, given="most = 2.0 and then 9.0, in a `scan`")


def _has_no_slope_by_its_limit(answer: Any) -> None:
    def by_most(most: Any) -> Any:
        return jax.grad(lambda most: _half_of_squares(answer(most, _TREE)))(most)

    compare(
        np.float32(0),
        attempt(jax.jit(by_most), jnp.float32(1.0)),
        given="the slope with respect to `most`",
    )


limit = Exercise(
    name="limit",
    questions=(_changes_no_value, _shortens, _accepts_tracers, _has_no_slope_by_its_limit),
    hints=(
        "What makes `most` static? An ordinary argument reaches the backward function by another "
        "way, which is there already and carries nothing yet.",
        "What the forward function returns in second place is handed to the backward function, "
        "which returns one entry for each argument. `None` is a slope of zero.",
        "A plain `custom_vjp`. Forward: `x`, and what is to be kept. Backward, of two arguments: "
        "a pair, of nothing for the limit and of the scaled tree.",
    ),
    verified="values unchanged; slopes shortened over whole trees, zeros too, with a traced limit "
    "under `jit`, `vmap` and `scan`; no slope for the limit",
    answer=solution,
)
