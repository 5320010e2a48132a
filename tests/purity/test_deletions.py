"""The arrays of its caller that a call deletes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from traced.purity.deletions import find_deleted

double = jax.jit(lambda x: 2 * x, donate_argnums=0)
total = jax.jit(jnp.sum, donate_argnums=0)
X, KEY = jnp.ones(3), jax.random.key(0)


def test_a_print_is_not_shown(capsys):
    assert find_deleted(lambda x: jax.debug.print("{}", x) or print(x), X) == []
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("f", "args", "deleted"),
    [
        (double, (X,), ["x"]),
        (lambda x: double(x), (X,), ["x"]),
        (lambda tree: double(tree["w"]), ({"w": X, "b": X},), ["tree['w']"]),
        (lambda x: x.delete(), (X,), ["x"]),
        (jax.jit(lambda key: jax.random.split(key)[0], donate_argnums=0), (KEY,), ["key"]),
        (lambda x: double(x + 1), (X,), []),
        (lambda x: double(double(2 * x)), (X,), []),
        (lambda x: total(x), (X,), []),  # no result fits into the memory
        (lambda x: jax.jit(jnp.negative)(x), (X,), []),
        (lambda x, n: n * x, (np.ones(3), 2), []),
    ],
)
def test_an_array_that_a_call_deletes_is_named(f, args, deleted):
    assert find_deleted(f, *args) == deleted
    arrays = [leaf for leaf in jax.tree.leaves(args) if isinstance(leaf, jax.Array)]
    assert not any(array.is_deleted() for array in arrays)
