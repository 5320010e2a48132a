"""A solution of `init_layers`."""

from itertools import pairwise

import jax.numpy as jnp
from jax import random


def init_layers(key, sizes):
    layers = []
    for rows, columns in pairwise(sizes):
        key, layer_key = random.split(key)
        layers.append(random.normal(layer_key, (rows, columns)) / jnp.sqrt(rows))
    return layers
