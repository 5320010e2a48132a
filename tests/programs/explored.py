"""Functions that `tests/show/test_explore.py` explores, in a file of their own."""

import functools

import jax
import jax.numpy as jnp


def scale(w, x):
    return jnp.tanh(x @ w)


def logged(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args) * 2.0

    return wrapper


@logged
def decorated(x):
    return jnp.sin(x)


@jax.jit
def jitted(x):
    return scale(x, x)


def nested(x):
    def inner(y):
        return jnp.cos(y)

    return inner(x) + 1.0


def long(x):
    for _ in range(2500):
        x = jnp.sin(x)
        x = x * x
    return x
