"""Which calls are counted, and that counting leaves nothing behind."""

import sys

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from traced.python.calls import count_python_calls


def inner():
    return 1


def outer(n):
    return sum([inner() for _ in range(n)])


def test_every_python_function_counts_and_those_of_c_do_not():
    inside = [count_python_calls(outer, n).total() for n in (1, 2, 11)]
    assert [inside[1] - inside[0], inside[2] - inside[0]] == [1, 10]


def test_tracing_and_compiling_are_not_counted():
    traced = []
    jitted = jax.jit(lambda x: traced.append(x) or x * 2)
    assert count_python_calls(jitted, jnp.ones(3)).total() == 0
    assert len(traced) == 1


def test_the_number_is_the_same_each_time():
    layer = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    counts = [count_python_calls(layer, jnp.ones((1, 2))) for _ in range(3)]
    assert counts[0] == counts[1] == counts[2]


def test_calls_are_told_apart_by_package():
    layer = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    counts = count_python_calls(nnx.split, layer)
    assert counts["flax"] > 50
    assert counts["flax"] + counts["jax"] > counts.total() / 2


def test_the_profile_of_somebody_else_is_put_back():
    def theirs(*event):
        pass

    sys.setprofile(theirs)
    try:
        count_python_calls(inner)
        assert sys.getprofile() is theirs
    finally:
        sys.setprofile(None)


def test_an_error_is_passed_on_and_the_profile_put_back():
    first = [1]

    def fails_later():
        first.pop()

    with pytest.raises(IndexError):
        count_python_calls(fails_later)
    assert sys.getprofile() is None
