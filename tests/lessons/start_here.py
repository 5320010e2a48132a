"""Right and wrong answers to the exercises of 00_start_here."""

import jax
import jax.numpy as jnp
import numpy as np


def with_dot(x):
    return jnp.dot(x, x) / x.size


def with_a_loop_of_lax(x):
    def add(i, total):
        return total + x[i] ** 2

    return jax.lax.fori_loop(0, x.size, add, 0.0) / x.size


def with_numpy_methods(x):
    return (x * x).mean()


def stub(x):
    raise NotImplementedError


def unrolled(x):
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i] ** 2
    return total / x.shape[0]


def unrolled_in_a_comprehension(x):
    return sum(entry**2 for entry in x) / x.size


def not_divided(x):
    return jnp.sum(x**2)


def not_summed(x):
    return x**2


def not_returned(x):
    jnp.mean(x**2)


def python_float(x):
    return float(jnp.mean(x**2))


def through_numpy(x):
    return jnp.asarray(np.mean(np.square(np.asarray(x))))


def integer(x):
    return jnp.mean(x**2).astype(int)


def in_a_tuple(x):
    return (jnp.mean(x**2),)


def misspelt(x):
    return jnp.maen(x**2)


def leaves(x):
    raise SystemExit


STUBS = {"mean_square": stub}
RIGHT = {"mean_square": [with_dot, with_a_loop_of_lax, with_numpy_methods]}
WRONG = {
    "mean_square": [
        ("loops/unrolled", unrolled),
        ("loops/unrolled", unrolled_in_a_comprehension),
        ("value/differs", not_divided),
        ("value/shape", not_summed),
        ("value/nothing", not_returned),
        ("value/dtype", integer),
        ("value/structure", in_a_tuple),
        ("tracing/value-needed", python_float),
        ("tracing/numpy-on-tracer", through_numpy),
        ("runs/raised", misspelt),
        ("runs/exited", leaves),
        ("runs/not-callable", 7.0),
    ],
}
