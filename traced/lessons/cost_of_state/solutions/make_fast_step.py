"""A solution of `make_fast_step`."""

import jax.numpy as jnp
from flax import nnx


def step(model, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(lambda model: jnp.mean((model(x) - y) ** 2))(model)
    optimizer.update(model, gradients)
    return loss


def make_fast_step(model, optimizer):
    return nnx.jit_partial(step, model, optimizer, graph_updates=False)
