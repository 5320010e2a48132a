"""A solution of `combine`."""

import jax


def combine(left, right):
    def pick(a, b):
        return b if a is None else a

    return jax.tree.map(pick, left, right, is_leaf=lambda leaf: leaf is None)
