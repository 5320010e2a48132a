"""Solutions of 06_branches."""

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit(static_argnames="enabled")
def clip_norm(g, limit, enabled):
    if not enabled:
        return g
    length = jnp.sqrt(jnp.sum(g**2))
    return jnp.where(length > limit, g * (limit / length), g)


@jax.jit
def keep_best(best, loss, params):
    new = {"loss": loss, "params": params, "age": 0}
    old = best | {"age": best["age"] + 1}
    return lax.cond(loss < best["loss"], lambda: new, lambda: old)


def activation(i, x):
    known = lax.switch(i, [jax.nn.relu, jnp.tanh, lambda x: x], x)
    return jnp.where((i >= 0) & (i < 3), known, jnp.nan)


def distance(a, b):
    squared = jnp.sum((a - b) ** 2)
    apart = squared > 0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squared, 1.0)), 0.0)


def mend(rows):
    broken = jnp.any(rows < 0, axis=1, keepdims=True)

    def replaced(rows):
        return jnp.where(broken, jax.nn.softmax(rows), rows)

    return lax.cond(jnp.any(broken), replaced, lambda rows: rows, rows)
