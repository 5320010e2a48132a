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


class Squared:
    """An object that is called like a function."""

    def __call__(self, x):
        return jnp.average(jax.vmap(jnp.square)(x))


as_an_object = Squared()
as_a_scan = jax.jit(lambda x: jax.lax.scan(lambda c, e: (c + e * e, None), 0.0, x)[0] / x.size)


def passing_over_nan(x):
    return jnp.nanmean(x**2)


def of_the_first_eight(x):
    return jnp.mean(x[:8] ** 2)


def large_entries_clipped(x):
    return jnp.mean(jnp.minimum(x, 10.0) ** 2)


def by_the_logarithm(x):
    return jnp.mean(jnp.exp(2 * jnp.log(jnp.abs(x))))


def by_the_norm(x):
    return jnp.linalg.norm(x) ** 2 / len(x)


def infinite_entries_left_out(x):
    return jnp.mean(jnp.where(jnp.isinf(x), 0, x) ** 2)


def a_little_added(x):
    return jnp.mean(x**2 + 1e-5)


def squares_cut_off(x):
    return jnp.mean(jnp.minimum(x**2, 1e4))


def of_256_at_most(x):
    return jnp.mean(x[:256] ** 2) if x.size > 300 else jnp.mean(x**2)


def each_number_once(x):
    return jnp.mean(jnp.unique(x, size=x.size, fill_value=0.0) ** 2)


def scaled_by_the_largest(x):
    largest = jnp.max(jnp.abs(x))
    largest = jnp.where(jnp.isfinite(largest), largest, 1.0)
    return largest**2 * jnp.mean((x / largest) ** 2)


RIGHT = {
    "mean_square": [
        with_dot,
        with_a_loop_of_lax,
        with_numpy_methods,
        as_an_object,
        as_a_scan,
        by_the_norm,
        by_the_logarithm,
    ]
}
WRONG = {
    "mean_square": {
        "loops/unrolled": [unrolled, unrolled_in_a_comprehension],
        "value/differs": [
            not_divided,
            passing_over_nan,
            of_the_first_eight,
            large_entries_clipped,
            infinite_entries_left_out,
            a_little_added,
            squares_cut_off,
            of_256_at_most,
            each_number_once,
            scaled_by_the_largest,
        ],
        "value/shape": [not_summed],
        "value/nothing": [not_returned],
        "value/dtype": [integer],
        "value/structure": [in_a_tuple],
        "tracing/value-needed": [python_float],
        "tracing/numpy-on-tracer": [through_numpy],
        "runs/raised": [misspelt],
        "runs/exited": [leaves],
        "runs/not-callable": [7.0],
    },
}
