"""Solutions of 04_randomness."""

from itertools import pairwise

import jax
import jax.numpy as jnp
from jax import random


def init_layers(key, sizes):
    layers = []
    for rows, columns in pairwise(sizes):
        key, layer_key = random.split(key)
        layers.append(random.normal(layer_key, (rows, columns)) / jnp.sqrt(rows))
    return layers


def rollout(key, n):
    def step(position, key):
        position = 0.5 * position + random.normal(key)
        return position, position

    _, positions = jax.lax.scan(step, 0.0, random.split(key, n))
    return positions


def dropout(key, ids, batch):
    def drop(i, row):
        kept = random.bernoulli(random.fold_in(key, i), shape=row.shape)
        return jnp.where(kept, 2 * row, 0)

    return jax.vmap(drop)(ids, batch)


def epoch_order(seed, epoch, n):
    key = random.fold_in(random.key(seed), epoch)
    return random.permutation(key, n)


def pick(key, weights, k):
    chances = weights / weights.sum()
    return random.choice(key, weights.size, (k,), replace=False, p=chances)
