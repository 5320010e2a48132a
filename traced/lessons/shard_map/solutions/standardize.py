"""A solution of `standardize`."""

import jax.numpy as jnp
from jax import lax


def standardize(x):
    mean = lax.pmean(x.mean(axis=0), "data")
    variance = lax.pmean(jnp.mean((x - mean) ** 2, axis=0), "data")
    return (x - mean) / jnp.sqrt(variance)
