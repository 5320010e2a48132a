"""A solution of `row_medians`."""

import jax
import jax.numpy as jnp


def median(row, length):
    used = jnp.arange(row.size) < length
    ordered = jnp.sort(jnp.where(used, row, jnp.inf))
    return (ordered[(length - 1) // 2] + ordered[length // 2]) / 2


def row_medians(rows, lengths):
    return jax.vmap(median)(rows, lengths)
