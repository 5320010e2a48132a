"""A solution of `quantize`."""

import jax
import jax.numpy as jnp


def quantize(x):
    inside = jnp.clip(x, -1.0, 1.0)
    rounded = jnp.round(4 * inside) / 4
    return inside + jax.lax.stop_gradient(rounded - inside)
