"""A solution of `running_mean`."""

import jax.numpy as jnp
from jax import lax


def running_mean(rows):
    def step(carry, row):
        count, mean = carry
        count = count + 1
        mean = mean + (row - mean) / count
        return (count, mean), mean

    (count, _), means = lax.scan(step, (jnp.int32(0), jnp.zeros_like(rows[0])), rows)
    return count, means
