"""Clip the gradient of each example, over its whole tree, and take the mean."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.gradients.solutions.clipped_mean import clipped_mean as solution
from traced.questions import can_be_traced, compare, keeps_its_size
from traced.running.attempt import attempt


def _loss(params: Any, row: Any) -> Any:
    return (jnp.dot(row["x"], params["w"]) + params["b"] - row["y"]) ** 2


def _linear(w: Any, row: Any) -> Any:
    return jnp.sum(w * row)


_PARAMS = {"w": jnp.array([1.0, -2.0]), "b": jnp.float32(0.5)}


def _batch(n: int) -> Any:
    x = np.arange(2.0 * n).reshape(n, 2) / 3 - 1
    return jax.device_put({"x": np.float32(x), "y": np.sin(np.arange(n, dtype=np.float32))})


#: One row fits exactly, so that its gradient is zero.
_FITTING = {
    "x": jnp.array([[1.0, 1.0], [2.0, 0.0], [0.0, 0.5]]),
    "y": jnp.array([-0.5, 0.0, 0.0]),
}
_ROWS = jnp.array([[3.0, 4.0], [0.3, 0.4], [-30.0, 40.0]])
#: Short rows, next to which an epsilon is not small; the last one is hardly longer than 0.012.
_SHORT = jnp.array([[0.006, 0.008], [0.0, -0.04], [0.012, -0.002]])


@partial(jax.jit, static_argnums=0)
def _gradient(loss: Any, params: Any, row: Any) -> Any:
    return jax.grad(loss)(params, row)


def _clipped_mean(loss: Any, params: Any, batch: Any, limit: float) -> Any:
    """Return the mean of the clipped gradients, row after row."""
    batch = jax.tree.map(np.asarray, batch)
    clipped = []
    for i in range(len(jax.tree.leaves(batch)[0])):
        gradient = _gradient(loss, params, jax.tree.map(lambda leaf, i=i: leaf[i], batch))
        length = np.sqrt(sum(np.sum(np.square(g)) for g in jax.tree.leaves(gradient)))
        factor = np.float32(limit / length if length > limit else 1)
        clipped.append(jax.tree.map(lambda g, factor=factor: np.asarray(g) * factor, gradient))
    return jax.tree.map(lambda *each: np.mean(each, axis=0, dtype=np.float32), *clipped)


def _clips(*cases: tuple[Any, ...]) -> Any:
    def question(answer: Any) -> None:
        for loss, params, batch, limit in cases:
            rows = jax.tree.map(lambda leaf: np.asarray(leaf).tolist(), batch)
            wanted = _clipped_mean(loss, params, batch, limit)
            # Of one program, so that an answer without `jit` compiles few.
            got = attempt(answer, jax.jit(loss), params, batch, limit)
            compare(wanted, got, given=f"limit = {limit}, batch = {rows}")

    return question


def _clips_many(answer: Any) -> None:
    """Require the mean of hundreds of rows, half of which are longer than the limit."""
    rows = np.abs(np.sin(np.arange(257 * 301.0))).reshape(257, 301) * np.arange(1, 258)[:, None]
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    limit = float(np.median(lengths))
    wanted = np.mean(rows * np.minimum(1, limit / lengths), axis=0)
    batch = jax.device_put(rows.astype(np.float32))
    ones = jax.device_put(np.ones(301, np.float32))
    # Of one program: it can be traced, as was asked before.
    got = attempt(jax.jit(lambda ones, batch: answer(_linear, ones, batch, limit)), ones, batch)
    given = f"limit = {limit:.6g}, batch = {len(rows)} rows of {rows.shape[1]} entries"
    compare(wanted.astype(np.float32), got, given=given)


def _of_batch(answer: Any) -> Any:
    return lambda batch, limit: answer(_loss, _PARAMS, batch, limit)


def _can_be_traced(answer: Any) -> None:
    can_be_traced(_batch(4), 1.0)(_of_batch(answer))


def _keeps_its_size(answer: Any) -> None:
    keeps_its_size(lambda n: (_batch(n), 1.0))(_of_batch(answer))


clipped_mean = Exercise(
    name="clipped_mean",
    questions=(
        _clips((_linear, jnp.ones(2), _ROWS, 1.0), (_linear, jnp.ones(2), _ROWS, 10.0)),
        _clips((_loss, _PARAMS, _batch(3), 2.0), (_loss, _PARAMS, _batch(1), 0.5)),
        _clips((_loss, _PARAMS, _FITTING, 1.0), (_linear, jnp.ones(2), 0 * _ROWS, 0.5)),
        _clips(*((_linear, jnp.ones(2), _SHORT, limit) for limit in (0.005, 0.012))),
        _can_be_traced,
        _keeps_its_size,
        # Last, since a loop in Python takes long.
        _clips_many,
    ),
    hints=(
        "What is done for one row? Its gradient, one length for the whole tree, one factor. "
        "What is that factor where the length is zero?",
        "`jax.vmap` does it for all rows. `jax.tree.leaves` lists the arrays of a gradient, and "
        "`jnp.minimum` keeps a factor from exceeding one.",
        "A function of one row that returns its shortened gradient, mapped over the batch; then "
        "the mean over the first axis of each leaf.",
    ),
    verified="right means for nine batches, with trees, short gradients and zero ones; the "
    "trace does not grow with the batch",
    answer=solution,
)
