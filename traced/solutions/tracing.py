"""Solutions of 02_tracing."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp


def read_back(x, y):
    return -jnp.max(x * y - x)


@jax.jit(static_argnames="n")
def head_mean(x, n, scale):
    return scale * jnp.mean(x[:n])


@jax.tree_util.register_dataclass
@dataclass
class Gain:
    gain: float

    @jax.jit
    def __call__(self, x):
        return self.gain * x


@jax.jit
def energy(batch):
    return jnp.sum(batch**2)


def total_energy(batches):
    return sum(energy(batch) for batch in batches)
