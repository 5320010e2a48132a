"""A solution of `sharpen`."""

import jax


@jax.jit
def sharpen(x, temperature):
    return jax.nn.softmax(x / temperature)
