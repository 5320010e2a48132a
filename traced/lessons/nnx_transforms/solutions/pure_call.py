"""A solution of `pure_call`."""

from flax import nnx


def pure_call(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    return module(x), nnx.state(module)
