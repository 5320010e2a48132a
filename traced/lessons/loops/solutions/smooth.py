"""A solution of `smooth`."""

from jax import lax


def smooth(signal):
    def step(level, value):
        level = 0.9 * level + 0.1 * value
        return level, level

    return lax.scan(step, signal[0], signal)[1]
