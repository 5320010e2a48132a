"""A solution of `split_step`."""

import jax
from flax import nnx


def step(model, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(lambda model: model.loss(x, y))(model)
    optimizer.update(model, gradients)
    return loss


@jax.jit
def split_step(graphdef, state, x, y):
    model, optimizer = nnx.merge(graphdef, state)
    loss = step(model, optimizer, x, y)
    return nnx.state((model, optimizer)), loss
