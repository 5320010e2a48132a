"""A solution of `mean_log`."""

import jax.numpy as jnp


def mean_log(x, lengths):
    given = jnp.arange(x.shape[1])[None, :] < lengths[:, None]
    safe = jnp.where(given, x, 1.0)
    return jnp.mean(jnp.log(safe), axis=1, where=given)
