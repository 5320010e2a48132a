"""A solution of `decay`."""

import jax


def decay(params, rate):
    def shrink(path, leaf):
        return leaf * (1 - rate) if getattr(path[-1], "key", None) == "kernel" else leaf

    return jax.tree.map_with_path(shrink, params)
