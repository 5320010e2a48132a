"""The steps of a loop; the loop itself is the oracle."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from traced.control_flow.steps import KEPT, MOST, record_fori_loop, record_scan, record_while_loop

XS = {"a": jnp.arange(12.0), "b": jnp.ones((12, 2))}


def average(carry, x):
    count, mean = carry
    mean = mean + (x["a"] * x["b"].sum() - mean) / (count + 1)
    return (count + 1, mean), {"mean": mean}


def equal(left, right):
    jax.tree.map(np.testing.assert_array_equal, left, right)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [0, 1, 5, 6, 7, 12])
def test_the_steps_are_those_of_scan(length, reverse):
    xs = jax.tree.map(lambda x: x[:length], XS)
    carry, ys = lax.scan(average, (0.0, 0.0), xs, reverse=reverse)
    found = record_scan(average, (0.0, 0.0), xs, reverse=reverse)
    order = range(length)[:: -1 if reverse else 1]
    few = length <= 2 * KEPT
    assert found.count == length
    assert [s.index for s in found.steps] == list(order if few else [*order[:3], *order[-3:]])
    for step in found.steps:
        equal(step.y, jax.tree.map(lambda y, i=step.index: y[i], ys))
        equal(step.x, jax.tree.map(lambda x, i=step.index: x[i], xs))
    if length:
        equal(found.steps[-1].carried, carry)
    for step, after in zip(found.steps, found.steps[1:], strict=False):
        if abs(step.index - after.index) == 1:
            equal(step.carried, after.carry)


def test_a_scan_over_nothing_but_a_length():
    found = record_scan(lambda key, _: tuple(jax.random.split(key)), jax.random.key(0), length=2)
    assert [step.x for step in found.steps] == [None, None]


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ((lambda c, x: c, 0.0, jnp.ones(3)), TypeError),
        ((lambda c, x: (c + jnp.ones(2), x), 0.0, jnp.ones(3)), TypeError),
        ((lambda c, x: (c, x), 0.0, jnp.ones(3), 4), ValueError),
        ((lambda c, x: (c, x), 0.0), ValueError),
    ],
)
def test_what_scan_raises_comes_through(args, error):
    with pytest.raises(error):
        record_scan(*args)


def test_the_steps_are_those_of_fori_loop():
    def body(i, total):
        return total + 2 * i

    found = record_fori_loop(3, 40, body, 0)
    assert [int(step.x) for step in found.steps] == [3, 4, 5, 37, 38, 39]
    assert found.steps[-1].carried == lax.fori_loop(3, 40, body, 0)
    assert record_fori_loop(3, 1, body, 0).steps == []


def test_the_steps_are_those_of_while_loop():
    def body(pair):
        return pair[0] * 2, pair[1] + 1

    found = record_while_loop(lambda pair: pair[0] < 1000, body, (1, 0))
    assert (found.count, len(found.steps), found.ended) == (10, 6, True)
    assert found.steps[-1].carried == lax.while_loop(lambda p: p[0] < 1000, body, (1, 0))


def test_an_endless_loop_is_left():
    found = record_while_loop(lambda n: n >= 0, lambda n: n * 1, 0)
    assert (found.count, found.ended) == (MOST, False)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: record_scan(1, 0, jnp.ones(2)), "f"),
        (lambda: record_fori_loop(0, 2, 1, 0), "body"),
        (lambda: record_while_loop(1, abs, 0), "cond"),
        (lambda: record_while_loop(abs, 1, 0), "body"),
    ],
)
def test_what_cannot_be_called_is_refused_by_name(call, name):
    with pytest.raises(TypeError, match=f"`{name}` must be a callable, got int"):
        call()
