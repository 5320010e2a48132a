"""All ways of a step do the same, each on objects of its own."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx

from traced.modules.step_ways import WAYS, make_step_ways


class Noisy(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(3))
        self.rngs = nnx.Rngs(0)
        self.seen = nnx.BatchStat(jnp.zeros(()))

    def loss(self, x):
        self.seen[...] += 1
        return jnp.mean((self.w * x + self.rngs.normal((3,)) + self.seen) ** 2)


def step(model, optimizer, x):
    loss, gradients = nnx.value_and_grad(lambda model: model.loss(x))(model)
    optimizer.update(model, gradients)
    return loss


def started():
    model = Noisy()
    return model, nnx.Optimizer(model, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)


@pytest.fixture(scope="module")
def ways():
    return make_step_ways(step, *started())


@pytest.fixture(scope="module")
def wanted():
    objects, jitted = started(), nnx.jit(step)
    return [float(jitted(*objects, jnp.arange(3.0))) for _ in range(3)]


@pytest.mark.parametrize("name", WAYS)
def test_a_way_returns_the_losses_of_the_step(ways, wanted, name):
    losses = [float(ways[name](jnp.arange(3.0))) for _ in range(3)]
    assert len(set(losses)) == 3
    np.testing.assert_allclose(losses, wanted, rtol=1e-5)


def test_the_objects_that_were_given_stay_as_they_are():
    model, optimizer = started()
    for call in make_step_ways(step, model, optimizer).values():
        call(jnp.arange(3.0))
    assert float(model.seen) == 0
    assert jax.numpy.array_equal(model.w[...], jnp.ones(3))


def test_a_variable_in_two_places_is_refused():
    shared = Noisy()
    with pytest.raises(ValueError, match="does not support Variable aliasing"):
        make_step_ways(step, nnx.List([shared, shared]))


@pytest.mark.parametrize("thing", [3, jnp.ones(2), {"w": jnp.ones(2)}])
def test_what_is_no_nnx_object_is_an_error(thing):
    with pytest.raises(TypeError, match="`objects` must be NNX objects, got"):
        make_step_ways(step, thing)
