"""A solution of `head_mean`."""

import jax
import jax.numpy as jnp


@jax.jit(static_argnames="n")
def head_mean(x, n, scale):
    return scale * jnp.mean(x[:n])
