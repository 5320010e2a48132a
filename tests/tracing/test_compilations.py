"""What XLA compiles, with `jit` and without."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from traced.tracing.compilations import record_compilations


def score(x):
    return (2 * x + 1) ** 2


@pytest.fixture(autouse=True)
def nothing_compiled():
    jax.clear_caches()


@pytest.fixture
def x():
    return jnp.asarray(np.ones(3, "float32"))


def test_without_jit_each_operation_is_a_program(x):
    with record_compilations() as names:
        score(x)
    assert names == ["multiply", "add", "integer_pow"]


def test_under_jit_the_function_is_one_program(x):
    with record_compilations() as names:
        jax.jit(score)(x)
    assert names == ["score"]


@pytest.mark.parametrize("f", [score, jax.jit(score)], ids=["eager", "jitted"])
def test_a_program_is_compiled_once_for_each_shape(f, x):
    y = jnp.asarray(np.ones(4, "float32"))
    with record_compilations() as first:
        f(x)
    with record_compilations() as again:
        f(x)
    with record_compilations() as longer:
        f(y)
    assert first == longer != []
    assert again == []


def test_lowering_compiles_nothing(x):
    with record_compilations() as names:
        jax.jit(score).lower(x)
    assert names == []


def test_nothing_is_recorded_after_the_block_even_if_it_raised(x):
    with pytest.raises(ZeroDivisionError), record_compilations() as names:
        raise ZeroDivisionError
    score(x)
    assert names == []
