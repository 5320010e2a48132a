"""A solution of `samples`."""

from flax import nnx


def samples(net, rows, rngs, n):
    def sample(row, rngs):
        return net(row, rngs=rngs)

    each_row = nnx.vmap(sample)
    return nnx.vmap(each_row, in_axes=(None, 0))(rows, rngs.split((n, len(rows))))
