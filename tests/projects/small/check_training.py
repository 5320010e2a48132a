"""The tests of the module; it is copied as `test_training.py` before pytest runs it."""

import jax
import jax.numpy as jnp
import optax
import pytest
import training
from flax import nnx

from traced.testing import (
    assert_changes_nothing,
    assert_keys_used_once,
    assert_same_equations,
    assert_traces_at_most,
)

X, Y = jnp.ones((20, 4)), jnp.zeros(20, int)


@pytest.fixture
def model():
    # What an earlier test had traced would not be traced again.
    jax.clear_caches()
    return training.Classifier(4, 3, rngs=nnx.Rngs(0))


@pytest.fixture
def optimizer(model):
    return nnx.Optimizer(model, optax.sgd(1e-3), wrt=nnx.Param)


def test_one_trace(model, optimizer):
    with assert_traces_at_most(1):
        for x, y in training.batches(X, Y, 8):
            training.train_step(model, optimizer, x, y)


def test_one_trace_of_short_batches(model, optimizer):
    with assert_traces_at_most(1):
        for x, y in training.faulty_batches(X, Y, 8):
            training.train_step(model, optimizer, x, y)


def test_one_trace_of_a_decorated_step(model, optimizer):
    step = assert_traces_at_most(1)(training.train_step)
    for x, y in training.faulty_batches(X, Y, 8):
        step(model, optimizer, x, y)


@assert_traces_at_most(1)
def test_a_decorated_test_keeps_its_fixtures(model, optimizer):
    for x, y in training.faulty_batches(X, Y, 6):
        training.train_step(model, optimizer, x, y)


@pytest.mark.parametrize("name", ["augmented", "faulty_augmented"])
def test_keys(name):
    assert_keys_used_once(getattr(training, name), jax.random.key(0), X)


@pytest.mark.parametrize("name", ["loss_of", "faulty_loss"])
def test_purity(name, model):
    assert_changes_nothing(getattr(training, name), model, X, Y)


@pytest.mark.parametrize("name", ["rewritten", "faulty_rewritten"])
def test_rewriting(name):
    assert_same_equations(training.standardized, getattr(training, name), X)


def test_an_error_of_jax():
    jax.jit(lambda x: float(x.sum()))(X)


def test_an_error_of_python():
    assert len(X) == 3
