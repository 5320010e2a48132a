"""A solution of `forecast`."""

import jax
import jax.numpy as jnp


def forecast(wave, key, steps):
    starts = jnp.arange(len(wave) - 8)
    rows = jax.vmap(lambda i: jax.lax.dynamic_slice_in_dim(wave, i, 9))(starts)
    x, y = rows[:, :8], rows[:, 8]

    @jax.jit
    def step(weights, key):
        noise = 0.2 * jax.random.normal(key, x.shape)

        def loss(weights):
            return jnp.mean(((x + noise) @ weights - y) ** 2)

        return weights - 0.1 * jax.grad(loss)(weights)

    weights = jnp.zeros(8).at[7].set(1.0)
    for number in range(steps):
        weights = step(weights, jax.random.fold_in(key, number))
    return weights
