"""A solution of `Stack`."""

import jax.numpy as jnp
from flax import nnx


class Stack(nnx.Module):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List([nnx.Linear(size, size, rngs=rngs) for _ in range(depth)])
        self.scale = nnx.Variable(jnp.float32(scale))

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.scale[...] * x
