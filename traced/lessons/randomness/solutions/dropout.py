"""A solution of `dropout`."""

import jax
import jax.numpy as jnp
from jax import random


def dropout(key, ids, batch):
    def drop(i, row):
        kept = random.bernoulli(random.fold_in(key, i), shape=row.shape)
        return jnp.where(kept, 2 * row, 0)

    return jax.vmap(drop)(ids, batch)
