"""Somebody's training script on digits, as it was found: it runs, learns nothing, and gets slower.

The cells of 17_find_the_faults have the same functions, as a test makes sure. Nothing else is
imported from here but `script.py`, which runs the file as a reader's own.
"""

from functools import partial
from time import perf_counter

import jax
import jax.numpy as jnp
import optax


def prepare(images, labels):
    """Return digits to train on and digits held out: images from 0 to 1, and labels."""
    images /= 16
    x, y = jnp.asarray(images, jnp.float32), jnp.asarray(labels, jnp.int32)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def init(key):
    w = jax.random.normal(key, (138, 64)) / 6
    kernels = {"first": w[:64], "second": w[64:128], "last": w[128:].T}
    return {name: {"w": w, "b": jnp.zeros(w.shape[1])} for name, w in kernels.items()}


def predict(params, key, x, train=True):
    for name in ("first", "second"):
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
        if train:
            x = jnp.where(jax.random.bernoulli(key, 0.8, x.shape), x / 0.8, 0.0)
    return x @ params["last"]["w"] + params["last"]["b"]


def length(leaf):
    squares = jnp.sum(leaf**2)
    return jnp.where(squares > 0, jnp.sqrt(squares), 0.0)


def loss(params, key, x, y):
    """Return the mean loss of a batch, with a penalty for long parameters."""

    def one(key, x, y):
        return -jax.nn.log_softmax(predict(params, key, x))[y]

    keys = jax.random.split(key, len(x))
    losses = jax.vmap(one, in_axes=(0, 0, None))(keys, x, y)
    return losses.mean() + 1e-3 * sum(length(leaf) for leaf in jax.tree.leaves(params))


adam, rate, norms = optax.adam(1.0), 0.0, []


@partial(jax.jit, static_argnames=("loss", "debug"))
def step(loss, params, opt_state, losses, key, x, y, debug):
    value, slopes = jax.value_and_grad(loss)(params, key, x, y)
    if debug:
        norms.append(optax.tree.norm(slopes))
    updates, _ = adam.update(slopes, opt_state)
    params = jax.tree.map(lambda p, u: p + rate * u, params, updates)
    losses = [*losses, value]
    return params, opt_state, losses, sum(losses) / len(losses)


def train(loss, params, key, x, y, first_rate, epochs, debug=False):
    """Return the parameters, the mean loss up to each step, and lengths of gradients."""
    global rate
    rate, opt_state, losses, curve = first_rate, adam.init(params), [], []
    for _ in range(epochs):
        for i in range(0, len(x), 500):
            key, subkey = jax.random.split(key)
            batch = x[i : i + 500], y[i : i + 500]
            result = step(loss, params, opt_state, losses, subkey, *batch, debug)
            params, opt_state, losses, mean = result
            curve.append(mean)
        rate = rate / 2
    return params, curve, norms


@partial(jax.jit, static_argnames="predict")
def evaluate(predict, params, x, y):
    """Return the share of images whose largest score is that of their label."""
    key, right = jax.random.key(0), 0
    for i in range(0, len(x), 99):
        scores = predict(params, key, x[i : i + 99])
        right += jnp.sum(jnp.argmax(scores, axis=1) == y[i : i + 99])
    return right / len(x)


def time_step(step, *args):
    """Return how many seconds a step takes, once it is compiled."""
    step(*args)
    start = perf_counter()
    step(*args)
    return perf_counter() - start


def run(images, labels, epochs):
    """Return the share of right digits before and after training, and the curve."""
    data, held_out = prepare(images, labels)
    params = init(jax.random.key(0))
    before = evaluate(predict, params, *held_out)
    params, curve, _ = train(loss, params, jax.random.key(1), *data, 0.03, epochs)
    return before, evaluate(predict, params, *held_out), curve
