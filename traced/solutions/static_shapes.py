"""Solutions of 05_static_shapes."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit(static_argnames="blocks")
def block_means(x, blocks):
    size = x.shape[0] // blocks
    return x[: blocks * size].reshape(blocks, size).mean(axis=1)


def mean_log(x, lengths):
    given = jnp.arange(x.shape[1])[None, :] < lengths[:, None]
    safe = jnp.where(given, x, 1.0)
    return jnp.mean(jnp.log(safe), axis=1, where=given)


@jax.jit(static_argnames="most")
def positions(x, most):
    return jnp.nonzero(x > 0, size=most, fill_value=-1)[0]


@jax.jit(static_argnames="width")
def window(x, start, width):
    padded = jnp.pad(x, (0, width))
    return jax.lax.dynamic_slice_in_dim(padded, start, width)


@jax.jit
def log_total_of_padded(padded, length):
    given = jnp.arange(padded.size) < length
    return jax.nn.logsumexp(padded, where=given)


def log_total(x):
    size = max(8, 1 << (len(x) - 1).bit_length())
    return log_total_of_padded(np.pad(x, (0, size - len(x))), len(x))
