"""A solution of `distance`."""

import jax.numpy as jnp


def distance(a, b):
    squared = jnp.sum((a - b) ** 2)
    apart = squared > 0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squared, 1.0)), 0.0)
