"""A solution of `fit`."""

import jax
import jax.numpy as jnp


def fit(advance, score, state, patience, limit):
    def goes_on(carry):
        return (carry["waited"] < patience) & (carry["calls"] < limit)

    def call(carry):
        state = advance(carry["state"])
        value = score(state)
        better = value < carry["lowest"]
        best = jax.tree.map(lambda new, old: jnp.where(better, new, old), state, carry["best"])
        return {
            "state": state,
            "best": best,
            "lowest": jnp.where(better, value, carry["lowest"]),
            "waited": jnp.where(better, 0, carry["waited"] + 1),
            "calls": carry["calls"] + 1,
        }

    carry = {"state": state, "best": state, "lowest": score(state), "waited": 0, "calls": 0}
    carry = jax.lax.while_loop(goes_on, call, carry)
    return carry["best"], carry["calls"]
