"""A solution of `kepler`."""

import jax
import jax.numpy as jnp
from jax import lax


@jax.custom_jvp
def kepler(m, e):
    def halve(bounds, _):
        low, high = bounds
        middle = (low + high) / 2
        below = middle - e * jnp.sin(middle) < m
        return (jnp.where(below, middle, low), jnp.where(below, high, middle)), None

    (low, high), _ = lax.scan(halve, (m - e, m + e), None, length=30)
    return (low + high) / 2


@kepler.defjvp
def kepler_rule(primals, tangents):
    (m, e), (dm, de) = primals, tangents
    x = kepler(m, e)
    return x, (dm + jnp.sin(x) * de) / (1 - e * jnp.cos(x))
