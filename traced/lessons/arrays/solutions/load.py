"""A solution of `load`."""

import jax.numpy as jnp
import numpy as np


def load(rows):
    filled = np.zeros((len(rows), max(map(len, rows))), dtype="float32")
    for i, row in enumerate(rows):
        filled[i, : len(row)] = row / 255
    return jnp.asarray(filled)
