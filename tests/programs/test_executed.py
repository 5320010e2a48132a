"""What runs is told from what a jaxpr holds."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from traced.programs.executed import find_executed

WITHOUT_NEGATIVE, WITH_ONE = jnp.array([1.0, 4.0]), jnp.array([1.0, -4.0])


def row_by_row(x):
    return lax.map(lambda x: lax.cond(x < 0, jnp.exp, jnp.sqrt, x), x)


def in_a_while_loop(x):
    return lax.while_loop(lambda x: (x < 0).any(), lambda x: jnp.exp(x), x)


def both_under_vmap(x):
    return jax.vmap(lambda x: lax.cond(x < 0, jnp.exp, jnp.sqrt, x))(x)


@pytest.mark.parametrize(
    ("f", "without", "with_one"),
    [
        (jnp.exp, True, True),
        (row_by_row, False, True),
        (jax.jit(row_by_row), False, True),
        (in_a_while_loop, False, True),
        (both_under_vmap, True, True),
        (lambda x: lax.switch(7, [jnp.exp, jnp.sqrt], x), False, False),
        (lambda x: lax.scan(lambda c, y: (c, jnp.exp(y)), 0, x[:0]), False, False),
    ],
)
def test_a_branch_not_taken_does_not_run(f, without, with_one):
    assert ("exp" in find_executed(f, WITHOUT_NEGATIVE)) == without
    assert ("exp" in find_executed(f, WITH_ONE)) == with_one


def test_the_line_is_the_readers():
    place = find_executed(in_a_while_loop, WITH_ONE)["exp"]
    assert "jnp.exp(x)" in place.source


def test_results_are_carried_and_stacked_in_order():
    def f(x):
        total, sums = lax.scan(lambda c, y: (c + y, c - y), 0.0, x, reverse=True)
        return lax.cond(total * sums[0] == -2.0, jnp.exp, jnp.sqrt, total)

    assert "exp" in find_executed(f, jnp.array([1.5, 0.5]))
