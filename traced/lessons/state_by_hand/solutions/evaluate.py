"""A solution of `evaluate`."""

import jax
import jax.numpy as jnp


def evaluate(predict, params, x, y, size):
    def in_batches(rows):
        padding = [(0, -len(rows) % size)] + [(0, 0)] * (rows.ndim - 1)
        return jnp.pad(rows, padding).reshape(-1, size, *rows.shape[1:])

    def count(batch):
        x, y, given = batch
        return jnp.sum((jnp.argmax(predict(params, x), axis=1) == y) & given)

    given = jnp.ones(len(x), bool)
    batches = jax.tree.map(in_batches, (x, y, given))
    return jnp.sum(jax.lax.map(count, batches)) / len(x)
