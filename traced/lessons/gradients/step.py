"""Repair a training step whose parameters hold integers and whose loss returns extra results."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.edge_cases import vectors
from traced.lessons.gradients.solutions.step import step as solution
from traced.questions import can_be_traced, compare
from traced.running.attempt import attempt


def _line(params: Any, batch: Any) -> Any:
    predicted = batch["x"] * params["slope"] + params["offset"]
    return jnp.mean((predicted - batch["y"]) ** 2), predicted


def _lookup(params: Any, batch: Any) -> Any:
    rows = params["layers"][0]["table"][params["order"][batch["word"]]]
    scores = rows @ params["layers"][1]
    counts = {"scores": scores, "seen": params["steps"] + 1}
    halves = jnp.sum(params["half"] * _SLOPES).astype(jnp.float32)
    return jnp.sum(jnp.where(params["mask"], scores, 0.0) ** 2) + halves, counts


def _nothing_more(params: Any, batch: Any) -> Any:
    return jnp.sum(params * batch), ()


#: Of a leaf in half precision: a tenth of each, and what is left of the leaf, are exact in it.
_SLOPES = jnp.array([10.0, 1000.0], jnp.bfloat16)
_LINE = (
    _line,
    {"slope": jnp.float32(2.0), "offset": jnp.float32(-1.0)},
    {"x": jnp.array([1.0, 2.0, -0.5]), "y": jnp.array([0.0, 1.0, 4.0])},
)
#: A tree with integers of three kinds, and with floats of two.
_LOOKUP = (
    _lookup,
    {
        "layers": (
            {"table": jnp.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]])},
            jnp.array([[1.0, 0.5], [-2.0, 1.0]]),
            None,
        ),
        "order": jnp.array([2, 0, 1]),
        # No float32 number is equal to it.
        "seed": jnp.array(2**24 + 1),
        "steps": jnp.uint8(7),
        "mask": jnp.array([True, False]),
        # Of NumPy, so that each call has one of its own: none is guarded from being donated.
        "half": np.array([3.0, 228.0], jnp.bfloat16),
    },
    {"word": jnp.array([0, 2, 2])},
)
_ARRAY = (_nothing_more, jnp.array([1.0, -2.0]), jnp.array([10.0, 0.5]))
#: The same parameters with another batch.
_AGAIN = (*_ARRAY[:2], jnp.array([-100.0, 3.0]))
_LONG = (_nothing_more, *map(jax.device_put, (vectors()["257 entries"], np.full(257, -100, "f4"))))


@partial(jax.jit, static_argnums=0)
def _stepped(loss: Callable[..., Any], params: Any, batch: Any) -> Any:
    """Return the step, with a derivative for each leaf of floats on its own."""
    leaves, structure = jax.tree.flatten(params)
    moved = []
    for i, leaf in enumerate(leaves):
        if jnp.issubdtype(leaf.dtype, jnp.floating):

            def of_leaf(value: Any, i: int = i) -> Any:
                others = [*leaves[:i], value, *leaves[i + 1 :]]
                return loss(jax.tree.unflatten(structure, others), batch)[0]

            leaf = leaf - 0.1 * jax.grad(of_leaf)(leaf)
        moved.append(leaf)
    return jax.tree.unflatten(structure, moved), loss(params, batch)[1]


def _steps(*cases: tuple[Any, ...]) -> Any:
    def question(answer: Any) -> None:
        for loss, params, batch in cases:
            given = ", ".join(f"{x.dtype}{list(x.shape)}" for x in jax.tree.leaves(params))
            wanted = _stepped(loss, params, batch)
            # Of one program, so that an answer without `jit` compiles few.
            got = attempt(answer, jax.jit(loss), jax.tree.map(jnp.asarray, params), batch)
            compare(wanted, got, given=f"params of {given}")

    return question


def _can_be_traced(answer: Any) -> None:
    for loss, params, batch in (_LINE, _LOOKUP):

        def of_arrays(params: Any, batch: Any, loss: Any = loss) -> Any:
            return answer(loss, params, batch)

        can_be_traced(jax.tree.map(jnp.asarray, params), batch)(of_arrays)


step = Exercise(
    name="step",
    questions=(_steps(_LINE, _ARRAY, _AGAIN), _steps(_LOOKUP, _LONG), _can_be_traced),
    hints=(
        "Three things differ from a plain loss: what it returns besides the number, what `grad` "
        "is asked to accept, and what it returns for an integer.",
        "`has_aux=True` and `allow_int=True` are arguments of `jax.grad`. The dtype of the "
        "gradient of an integer is `jax.dtypes.float0`.",
        "One call that gives a pair. A function of a leaf and its gradient, which leaves the leaf "
        "alone where the gradient has no numbers; mapped over both trees.",
    ),
    verified="right steps for three losses and four trees, with integers of three dtypes and "
    "floats of two in a nested one; they can be traced",
    answer=solution,
)
