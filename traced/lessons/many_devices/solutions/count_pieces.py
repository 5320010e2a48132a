"""A solution of `count_pieces`."""

import math

import jax


def count_pieces(f, *args):
    compiled = jax.jit(f).lower(*args).compile()
    shape = jax.eval_shape(f, *args).shape
    piece = compiled.output_shardings.shard_shape(shape)
    return math.prod(shape) // math.prod(piece)
