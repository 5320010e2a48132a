"""A solution of `clip`."""

import jax
import jax.numpy as jnp


@jax.jit
def clip(g):
    norm = jnp.linalg.norm(g)
    jax.debug.print("norm {norm}", norm=norm)
    return g / jnp.maximum(norm, 1.0)
