"""A solution of `fit`."""

import jax
import jax.numpy as jnp


@jax.jit
def step(w):
    return w - 0.2 * w, jnp.sum(w**2)


def fit(w, steps):
    losses = []
    for _ in range(steps):
        w, loss = step(w)
        losses.append(loss)
    return jnp.stack(losses)
