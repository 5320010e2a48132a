"""A solution of `log_total`."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def log_total_of_padded(padded, length):
    given = jnp.arange(padded.size) < length
    return jax.nn.logsumexp(padded, where=given)


def log_total(x):
    size = max(8, 1 << (len(x) - 1).bit_length())
    return log_total_of_padded(np.pad(x, (0, size - len(x))), len(x))
