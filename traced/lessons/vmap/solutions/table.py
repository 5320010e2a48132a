"""A solution of `table`."""

import jax


def table(f, xs, ys):
    row = jax.vmap(f, in_axes=(None, 0))
    return jax.vmap(row, in_axes=(0, None))(xs, ys)
