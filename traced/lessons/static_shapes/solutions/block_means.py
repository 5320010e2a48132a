"""A solution of `block_means`."""

import jax


@jax.jit(static_argnames="blocks")
def block_means(x, blocks):
    size = x.shape[0] // blocks
    return x[: blocks * size].reshape(blocks, size).mean(axis=1)
