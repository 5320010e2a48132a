"""A solution of `agrees`."""

import jax.numpy as jnp


def agrees(f, gradient, x):
    h, slopes = 0.01, []
    for i in range(len(x)):
        slopes.append((f(x.at[i].add(h)) - f(x.at[i].add(-h))) / (2 * h))
    errors = jnp.abs(gradient(x) - jnp.array(slopes))
    return bool(jnp.all(errors < 0.05))
