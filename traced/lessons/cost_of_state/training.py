"""The training that answers are compared with: a model, its optimizer, batches, a plain loop."""

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]  # it has none
from flax import nnx

from traced.lessons.cost_of_state.solutions.make_fast_step import step

STEP: Any = step  # a solution has no types

#: One for all trainings: each with functions of its own would be compiled anew.
_SGD = optax.sgd(0.1, momentum=0.9)


class Net(nnx.Module):
    """Two layers, made without the random numbers that would have to be compiled.

    Those of a model that is `tied` have one kernel, in two places.
    """

    def __init__(self, tied: bool = False) -> None:
        weights = np.sin(np.arange(128, dtype=np.float32)).reshape(2, 8, 8) / 2
        kernels = [nnx.Param(jax.device_put(each)) for each in weights]
        self.kernels = nnx.List([kernels[0], kernels[0] if tied else kernels[1]])
        self.biases = nnx.List(
            [nnx.Param(jax.device_put(np.zeros(8, np.float32))) for _ in weights]
        )

    def __call__(self, x: jax.Array) -> jax.Array:
        """Return what the layers make of `x`."""
        for kernel, bias in zip(self.kernels, self.biases, strict=True):
            x = nnx.tanh(x @ kernel[...] + bias[...])
        return x

    def loss(self, x: jax.Array, y: jax.Array) -> jax.Array:
        """Return the mean squared error."""
        return jnp.mean((self(x) - y) ** 2)


def start(tied: bool = False) -> tuple[Net, nnx.Optimizer[Net]]:
    """Return a model and its optimizer, as each training begins."""
    model = Net(tied)
    return model, nnx.Optimizer(model, _SGD, wrt=nnx.Param)


def batches(count: int) -> tuple[jax.Array, jax.Array]:
    """Return so many batches of inputs and targets."""
    x = np.linspace(-1.0, 1.0, count * 4 * 8, dtype=np.float32).reshape(count, 4, 8)
    return jax.device_put(np.sin(7 * x)), jax.device_put(x)


def one_batch() -> tuple[jax.Array, jax.Array]:
    """Return the inputs and the targets of one batch."""
    xs, ys = batches(1)
    return xs[0], ys[0]


@cache
def trained(count: int, tied: bool = False) -> tuple[list[np.ndarray], list[list[np.ndarray]]]:
    """Return the losses of the plain loop, and the leaves of the state after each step."""
    objects, step = start(tied), nnx.jit(STEP)
    losses, states = [], []
    for x, y in zip(*batches(count), strict=True):
        losses.append(np.asarray(step(*objects, x, y)))
        states.append(list(map(np.asarray, jax.tree.leaves(nnx.state(objects)))))
    return losses, states
