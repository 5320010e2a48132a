"""Repair the fields of a class whose arrays are static, so that its objects share one trace."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.edge_cases import vectors
from traced.lessons.pytrees.solutions.standardizer import Standardizer as Solution
from traced.questions import compare, traces_at_most
from traced.running.attempt import attempt

# Entries that are not clipped, that are, and that are no numbers one can compute with.
_x = np.asarray([[-4, 1.5, 8], [3, 1, -0.5], [np.inf, np.nan, 0]], np.float32)
_std = np.asarray([2, 0.5, 4], np.float32)
_means = [np.asarray(mean, np.float32) for mean in ([1, 1, 1], [2, -1, 0], [-100, 0.5, 100])]


def _standardized(mean: Any, clip: float | None, x: Any = _x) -> Any:
    z = (x - mean) / _std
    return z if clip is None else np.clip(z, -clip, clip)


def _made(answer: Any, mean: Any, *clip: float, std: Any = _std) -> Any:
    return attempt(answer, jnp.asarray(mean), jnp.asarray(std), *clip)


def _given(mean: Any, clip: float | None) -> str:
    return f"mean {mean}, std {_std}, clip {clip}"


def _applied(made: Any, x: Any) -> Any:
    """Call an object; JAX's message on an object that is no pytree names this function."""
    return made(x)


def _keeps_its_arrays_among_the_leaves(answer: Any) -> None:
    """Require the mean and the standard deviation to be leaves of an object."""
    made = _made(answer, _means[0], 1.5)
    attempt(jax.jit(_applied), made, _x)
    leaves = attempt(jax.tree.leaves, made)
    for name in ("mean", "std"):
        require(hasattr(made, name), "value/no-attribute", missing=name)
        # A Variable of Flax holds the array.
        held = jax.tree.leaves(getattr(made, name))
        found = bool(held) and all(any(each is leaf for leaf in leaves) for each in held)
        require(found, "trees/static-array", field=name, leaves=len(leaves))


def _standardizes_and_clips(answer: Any) -> None:
    """Require the values of three objects, all of which are arguments of one jitted function."""
    all_made = [_made(answer, mean, 1.5) for mean in _means]
    # The reader's own function, since traces of ours are not counted.
    jitted = jax.jit(type(all_made[0]).__call__)
    for mean, made in zip(_means, all_made, strict=True):
        wanted = _standardized(mean, 1.5)
        compare(wanted, attempt(jitted, made, _x), given=_given(mean, 1.5))


def _leaves_out_the_clip(answer: Any) -> None:
    """Require the values of an object that has no clip, and of one whose clip is zero."""
    mean = _means[1]
    got = attempt(jax.jit(_applied), _made(answer, mean), _x)
    compare(_standardized(mean, None), got, given=_given(mean, None))
    got = attempt(_applied, _made(answer, mean, 0.0), _x)
    compare(_standardized(mean, 0.0), got, given=_given(mean, 0.0))


def _scales_by_a_small_deviation(answer: Any) -> None:
    """Require the values where a number added to the deviation would show, and a wide clip."""
    mean, std = _means[1], np.asarray([1e-4, 1e-3, 7], np.float32)
    x = mean + std * np.asarray([0.7, -3.1, 33], np.float32)
    got = attempt(_applied, _made(answer, mean, 20.7, std=std), x)
    wanted = np.clip((x - mean) / std, -20.7, 20.7)
    compare(wanted, got, given=f"mean {mean}, std {std}, clip 20.7")
    # A single number, and one for each of many rows.
    one, many = np.full(1, 2, np.float32), (100 * vectors()["257 entries"]).reshape(257, 1)
    got = attempt(_applied, _made(answer, one, 30.5, std=2 * one), many)
    compare(np.clip((many - 2) / 4, -30.5, 30.5), got, given="mean [2.], std [4.], 257 rows")


def _differentiates(answer: Any) -> None:
    """Require the derivative by mean, std and x, which is zero where the result is clipped."""
    mean, x = _means[0], np.asarray([-4, 1.5, 3], np.float32)
    made = _made(answer, mean, 1.5)
    by_fields, by_x = attempt(jax.grad(_sum, argnums=(0, 1)), made, x)
    z = _standardized(mean, None, x)
    slope = np.where(np.abs(z) < 1.5, 1 / _std, np.float32(0))
    for name, wanted in (("mean", -slope), ("std", -slope * z)):
        got = _leaf_like(name, made, by_fields)
        compare(wanted, got, given=_given(mean, 1.5), at=f"gradient.{name}")
    compare(slope, by_x, given=_given(mean, 1.5), at="gradient by x")


def _sum(made: Any, x: Any) -> Any:
    return jnp.sum(made(x))


def _leaf_like(name: str, made: Any, tree: Any) -> Any:
    """Return the leaf of a tree that is where a field is in an object."""
    (field,) = jax.tree.leaves(getattr(made, name))
    sides = zip(jax.tree.leaves(made), jax.tree.leaves(tree), strict=True)
    return next(there for here, there in sides if here is field)


Standardizer = Exercise(
    name="Standardizer",
    questions=(
        _keeps_its_arrays_among_the_leaves,
        traces_at_most(
            1, _standardizes_and_clips, "three objects with other means and the same clip"
        ),
        _leaves_out_the_clip,
        _scales_by_a_small_deviation,
        _differentiates,
    ),
    hints=(
        "Ask of each field: is it an array, or does it decide which program there is?",
        "What a dataclass does not mark static is a child of the node, and is traced.",
        "Two fields without anything behind their type. The third can stay as it is: "
        "numbers and `None` compare with `==`.",
    ),
    verified="mean and std are leaves; one trace for three objects; right with a clip, with a clip "
    "of zero and without; the right gradient with respect to mean, std and x",
    answer=Solution,
)
