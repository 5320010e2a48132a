"""A solution of `keep_best`."""

import jax
from jax import lax


@jax.jit
def keep_best(best, loss, params):
    new = {"loss": loss, "params": params, "age": 0}
    old = best | {"age": best["age"] + 1}
    return lax.cond(loss < best["loss"], lambda: new, lambda: old)
