"""A solution of `activation`."""

import jax
import jax.numpy as jnp
from jax import lax


def activation(i, x):
    known = lax.switch(i, [jax.nn.relu, jnp.tanh, lambda x: x], x)
    return jnp.where((i >= 0) & (i < 3), known, jnp.nan)
