"""A solution of `store`."""

import jax


@jax.jit(donate_argnums=0)
def store(buffer, i, row):
    return buffer.at[i % buffer.shape[0]].set(row)
