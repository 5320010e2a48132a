"""A solution of `equilibrium`."""

import jax
import jax.numpy as jnp
from jax import lax


def equilibrium(f, params, start):
    def move(x):
        return f(params, x) - x

    def solve(move, x):
        def unsettled(x):
            return jnp.any(jnp.abs(move(x)) > 1e-5)

        return lax.while_loop(unsettled, lambda x: x + move(x), x)

    def divide(linear, y):
        return jnp.linalg.solve(jax.jacfwd(linear)(y), y)

    return lax.custom_root(move, start, solve, divide)
