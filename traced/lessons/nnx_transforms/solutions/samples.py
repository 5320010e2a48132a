"""A solution of `samples`."""

from flax import nnx


def samples(net, x, rngs, n):
    def sample(rngs):
        return net(x, rngs=rngs)

    return nnx.vmap(sample)(rngs.split(n))
