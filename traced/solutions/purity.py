"""Solutions of 03_purity."""

from dataclasses import dataclass

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


@jax.jit
def sharpen(x, temperature):
    return jax.nn.softmax(x / temperature)


@jax.tree_util.register_dataclass
@dataclass
class RunningMean:
    mean: jax.Array

    @jax.jit
    def __call__(self, x):
        mean = 0.9 * self.mean + 0.1 * x.mean()
        return RunningMean(mean), x - mean


@jax.jit
def record(log, i, w):
    log[i] = jnp.sum(w**2)
    return w - 0.2 * w


@jax.jit
def clip(g):
    norm = jnp.linalg.norm(g)
    jax.debug.print("norm {norm}", norm=norm)
    return g / jnp.maximum(norm, 1.0)
