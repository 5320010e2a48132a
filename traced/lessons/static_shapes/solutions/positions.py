"""A solution of `positions`."""

import jax
import jax.numpy as jnp


@jax.jit(static_argnames="most")
def positions(x, most):
    (found,) = jnp.nonzero(x[::-1] > 0, size=most, fill_value=x.size)
    return x.size - 1 - found
