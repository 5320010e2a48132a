"""A solution of `local_noise`."""

import jax
from jax import lax


def local_noise(key, x):
    own = jax.random.fold_in(key, lax.axis_index("data"))
    return x + jax.random.normal(own, x.shape, x.dtype)
