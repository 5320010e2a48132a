"""A solution of `step_by_hand`."""

import jax
from jax import lax


def step_by_hand(loss, params, x, y):
    def mean_loss(params):
        return lax.pmean(loss(params, x, y), "data")

    value, slopes = jax.value_and_grad(mean_loss)(params)
    return jax.tree.map(lambda p, slope: p - 0.1 * slope, params, slopes), value
