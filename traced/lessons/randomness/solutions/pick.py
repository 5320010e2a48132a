"""A solution of `pick`."""

from jax import random


def pick(key, weights, k):
    chances = weights / weights.sum()
    return random.choice(key, weights.size, (k,), replace=False, p=chances)
