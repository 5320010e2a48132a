"""A solution of `median_gaps`."""

import jax
import jax.numpy as jnp
from jax import lax


def median_gaps(rows):
    def gap(row):
        return jnp.median(jnp.abs(row[:, None] - row))

    return lax.map(jax.checkpoint(gap), rows, batch_size=8)
