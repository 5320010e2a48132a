"""A solution of `run`."""

import jax
from flax import nnx


@jax.jit
def called(graphdef, state, x):
    model = nnx.merge(graphdef, state)
    return model(x), nnx.state(model)


def run(model, x):
    outcome, state = called(*nnx.split(model), x)
    nnx.update(model, state)
    return outcome
