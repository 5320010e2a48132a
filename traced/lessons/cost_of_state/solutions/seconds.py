"""A solution of `seconds`."""

from time import perf_counter

import jax


def seconds(f, *args):
    jax.block_until_ready(f(*args))
    times = []
    for _ in range(5):
        start = perf_counter()
        jax.block_until_ready(f(*args))
        times.append(perf_counter() - start)
    return min(times)
