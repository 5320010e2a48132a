"""Solutions of 13_nnx_transforms."""

import jax.numpy as jnp
from flax import nnx


def pure_call(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    return module(x), nnx.state(module)


class RunningMean(nnx.Module):
    def __init__(self):
        self.n = nnx.Variable(jnp.zeros((), int))
        self.mean = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] += 1
        self.mean[...] += (x - self.mean[...]) / self.n[...]


def mse(net, x, y):
    return jnp.mean((net(x) - y) ** 2)


def train_step(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    view = nnx.view(net, deterministic=True, use_running_average=True)
    return loss, mse(view, x, y)


def samples(net, x, rngs, n):
    def sample(rngs):
        return net(x, rngs=rngs)

    return nnx.vmap(sample)(rngs.split(n))


def through(block, carry):
    h, rngs = carry
    return block(h, rngs), rngs


def deep(blocks, h, rngs):
    scan = nnx.scan(through, in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
    return scan(blocks, (h, rngs))[0]
