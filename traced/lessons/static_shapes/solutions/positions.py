"""A solution of `positions`."""

import jax
import jax.numpy as jnp


@jax.jit(static_argnames="most")
def positions(x, most):
    return jnp.nonzero(x > 0, size=most, fill_value=-1)[0]
