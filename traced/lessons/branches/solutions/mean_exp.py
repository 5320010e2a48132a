"""A solution of `mean_exp`."""

import jax.numpy as jnp


def mean_exp(x):
    near = jnp.abs(x) < 0.01
    safe = jnp.where(near, 1.0, x)
    return jnp.where(near, 1 + x / 2 + x**2 / 6, jnp.expm1(safe) / safe)
