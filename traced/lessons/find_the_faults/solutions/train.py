"""A solution of `train`."""

from functools import partial

import jax
import jax.numpy as jnp
import optax

adam = optax.adam(1.0)


@partial(jax.jit, static_argnames="loss")
def step(loss, params, opt_state, total, key, x, y, rate):
    value, slopes = jax.value_and_grad(loss)(params, key, x, y)
    updates, opt_state = adam.update(slopes, opt_state)
    params = jax.tree.map(lambda p, u: p + rate * u, params, updates)
    return params, opt_state, total + value, optax.tree.norm(slopes)


def train(loss, params, key, x, y, first_rate, epochs, debug=False):
    opt_state, total, curve, norms = adam.init(params), jnp.float32(0), [], []
    for epoch in range(epochs):
        rate = first_rate / 2**epoch
        for i in range(0, len(x), 500):
            key, subkey = jax.random.split(key)
            batch = x[i : i + 500], y[i : i + 500]
            params, opt_state, total, norm = step(
                loss, params, opt_state, total, subkey, *batch, rate
            )
            curve.append(total / (len(curve) + 1))
            norms += [norm] if debug else []
    return params, curve, norms
