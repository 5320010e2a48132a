"""A solution of `prepare`."""

import jax.numpy as jnp


def prepare(images, labels):
    x, y = jnp.asarray(images / 16, jnp.float32), jnp.asarray(labels, jnp.int32)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])
