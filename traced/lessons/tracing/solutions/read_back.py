"""A solution of `read_back`."""

import jax.numpy as jnp


def read_back(x, y):
    return -jnp.max(x * y - x)
