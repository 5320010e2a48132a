"""A solution of `init_layers`."""

from itertools import pairwise

import jax.numpy as jnp
from jax import random


def init_layers(key, sizes):
    layers = []
    keys = random.split(key, len(sizes) - 1)
    for layer_key, (rows, columns) in zip(keys, pairwise(sizes), strict=True):
        layers.append(random.normal(layer_key, (rows, columns)) / jnp.sqrt(rows))
    return layers
