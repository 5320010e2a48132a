"""A solution of `newton`."""

import jax
import jax.numpy as jnp
from jax import lax


def newton(f, x, most):
    def move(x):
        return x - f(x) / jax.grad(f)(x)

    def step(x, _):
        return lax.cond(jnp.abs(f(x)) > 1e-4, move, lambda x: x, x), None

    return lax.scan(step, x, None, length=most)[0]
