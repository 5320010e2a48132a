"""A solution of `differences`."""

import jax
import jax.numpy as jnp
from jax import lax


def differences(x, mesh):
    count = mesh.shape["data"]
    to_the_one_before = [(i, (i - 1) % count) for i in range(count)]

    def local(part):
        first_of_next = lax.ppermute(part[:1], "data", to_the_one_before)
        return jnp.concatenate([part[1:], first_of_next]) - part

    rows = jax.P("data")
    return jax.shard_map(local, mesh=mesh, in_specs=rows, out_specs=rows)(x)
