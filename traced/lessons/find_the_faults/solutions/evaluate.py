"""A solution of `evaluate`."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="predict")
def evaluate(predict, params, x, y):
    def is_right(digit):
        x, y = digit
        scores = predict(params, jax.random.key(0), x[None], train=False)
        return jnp.argmax(scores[0]) == y

    return jnp.mean(jax.lax.map(is_right, (x, y), batch_size=33))
