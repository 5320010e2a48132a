"""A solution of `record`."""

import jax
import jax.numpy as jnp


@jax.jit
def record(log, i, w):
    log[i] = jnp.sum(w**2)
    return w - 0.2 * w
