"""A solution of `train_all`."""

import jax
from flax import nnx


def step(model, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(lambda model: model.loss(x, y))(model)
    optimizer.update(model, gradients)
    return loss


def train_all(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    @jax.jit
    def run(state, xs, ys):
        def body(state, batch):
            model, optimizer = nnx.merge(graphdef, state)
            loss = step(model, optimizer, *batch)
            return nnx.state((model, optimizer)), loss

        return jax.lax.scan(body, state, (xs, ys))

    state, losses = run(state, xs, ys)
    nnx.update((model, optimizer), state)
    return losses
