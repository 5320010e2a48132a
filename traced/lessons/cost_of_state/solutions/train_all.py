"""A solution of `train_all`."""

import jax
import jax.numpy as jnp
from flax import nnx


def step(model, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(lambda model: jnp.mean((model(x) - y) ** 2))(model)
    optimizer.update(model, gradients)
    return loss


def train_all(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    @jax.jit
    def run(state, xs, ys):
        def body(carry, batch):
            state, lowest, best = carry
            model, optimizer = nnx.merge(graphdef, state)
            now = nnx.to_pure_dict(nnx.state(model))
            loss = step(model, optimizer, *batch)
            best = jax.tree.map(lambda new, old: jnp.where(loss < lowest, new, old), now, best)
            return (nnx.state((model, optimizer)), jnp.minimum(loss, lowest), best), loss

        first = state, jnp.inf, nnx.to_pure_dict(state[0])
        (state, _, best), losses = jax.lax.scan(body, first, (xs, ys))
        return state, best, losses

    state, best, losses = run(state, xs, ys)
    nnx.update((model, optimizer), state)
    nnx.update(model, best)
    return losses
