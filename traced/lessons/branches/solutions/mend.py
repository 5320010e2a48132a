"""A solution of `mend`."""

import jax
import jax.numpy as jnp
from jax import lax


def mend(rows):
    broken = jnp.any(rows < 0, axis=1, keepdims=True)

    def replaced(rows):
        return jnp.where(broken, jax.nn.softmax(rows), rows)

    return lax.cond(jnp.any(broken), replaced, lambda rows: rows, rows)
