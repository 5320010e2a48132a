"""A solution of `limit`."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def limit(most, x):
    return x


def limit_forward(most, x):
    return x, most


def limit_backward(most, slopes):
    length = jnp.sqrt(sum(jnp.sum(s**2) for s in jax.tree.leaves(slopes)))
    factor = most / jnp.maximum(length, most)
    return None, jax.tree.map(lambda s: s * factor, slopes)


limit.defvjp(limit_forward, limit_backward)
