"""A solution of `step`."""

import jax


def step(loss, params, batch):
    differentiate = jax.grad(loss, has_aux=True, allow_int=True)
    gradients, extra = differentiate(params, batch)

    def moved(p, g):
        return p if g.dtype == jax.dtypes.float0 else p - 0.1 * g

    return jax.tree.map(moved, params, gradients), extra
