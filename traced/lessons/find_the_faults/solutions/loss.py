"""A solution of `loss`."""

import jax
import jax.numpy as jnp


def predict(params, key, x, train=True):
    for name in ("first", "second"):
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
        if train:
            key, subkey = jax.random.split(key)
            x = jnp.where(jax.random.bernoulli(subkey, 0.8, x.shape), x / 0.8, 0.0)
    return x @ params["last"]["w"] + params["last"]["b"]


def length(leaf):
    squares = jnp.sum(leaf**2)
    is_positive = squares > 0
    return jnp.where(is_positive, jnp.sqrt(jnp.where(is_positive, squares, 1.0)), 0.0)


def loss(params, key, x, y):
    def one(key, x, y):
        return -jax.nn.log_softmax(predict(params, key, x))[y]

    losses = jax.vmap(one)(jax.random.split(key, len(x)), x, y)
    return losses.mean() + 1e-3 * sum(length(leaf) for leaf in jax.tree.leaves(params))
