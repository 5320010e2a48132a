"""A module that counts its calls twice: in a Variable and in a static attribute."""

import jax.numpy as jnp
from flax import nnx


class Counter(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.count = nnx.Variable(jnp.array(0))
        self.calls = 0

    def __call__(self, x):
        self.count[...] += 1
        self.calls += 1
        return self.linear(x)
