"""A solution of `split_rows`."""

import jax
import jax.numpy as jnp


def split_rows(x, mesh):
    missing = -len(x) % mesh.shape["data"]
    padded = jnp.pad(x, [(0, missing)] + [(0, 0)] * (x.ndim - 1))
    mask = jnp.arange(len(padded)) < len(x)
    return jax.device_put((padded, mask), jax.NamedSharding(mesh, jax.P("data")))
