"""A solution of `pick`."""

import jax
from jax import random


def pick(key, weights, k):
    def pick_in_row(key, weights):
        return random.choice(key, weights.size, (k,), replace=False, p=weights)

    return jax.vmap(pick_in_row)(random.split(key, len(weights)), weights)
