"""A solution of `counts`."""

import jax.numpy as jnp


def counts(labels, k):
    places = jnp.where(labels < 0, k, labels)
    return jnp.zeros(k, dtype="int32").at[places].add(1)
