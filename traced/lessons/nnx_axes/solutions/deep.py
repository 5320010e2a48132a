"""A solution of `deep`."""

from flax import nnx


def through(block, carry):
    h, rngs = carry
    return block(h, rngs), rngs


def deep(blocks, h, rngs):
    scan = nnx.scan(through, in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
    return scan(blocks, (h, rngs))[0]
