"""A solution of `window`."""

import jax
import jax.numpy as jnp


@jax.jit(static_argnames="width")
def window(x, start, width):
    padded = jnp.pad(x, (0, width))
    return jax.lax.dynamic_slice_in_dim(padded, start, width)
