"""A solution of `smooth`."""

import jax.numpy as jnp
from jax import lax


def smooth(x):
    def step(above, row):
        new = 0.5 * above + 0.5 * row
        return new, new

    start = lax.pcast(jnp.zeros(x.shape[1:], x.dtype), "data", to="varying")
    return lax.scan(step, start, x)[1]
