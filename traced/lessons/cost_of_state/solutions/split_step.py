"""A solution of `split_step`."""

import jax
from flax import nnx


def split_step(step):
    @jax.jit
    def run(graphdef, state, *batch):
        objects = nnx.merge(graphdef, state)
        result = step(*objects, *batch)
        return nnx.state(objects), result

    return run
