"""The interpreter by itself: what nobody overrides is done as JAX does it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, random

from traced.internals.interpreter import Interpreter, choose
from traced.internals.jaxprs import equations_in, open_jaxpr

KEY = random.key(0)
TABLE = np.arange(3.0, dtype="float32")


@jax.custom_jvp
def tripled(x):
    return 3 * x


tripled.defjvp(lambda given, tangents: (tripled(*given), 3 * tangents[0]))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (x + TABLE, 2.0),
        lambda x: lax.scan(lambda c, row: (c + row, c * row), 0.0, x),
        lambda x: lax.while_loop(lambda y: y.sum() < 99.0, lambda y: 2 * y, x),
        lambda x: lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x),
        lambda x: jax.checkpoint(jnp.sin)(tripled(x)),
        lambda x: jnp.split(x, 3),
        jax.vmap(lambda x: lax.fori_loop(0, jnp.int32(x), lambda i, y: y + i, x)),
        jax.jit(lambda x: random.normal(KEY, x.shape)),
    ],
)
def test_the_results_are_those_of_the_function(f):
    x = jnp.arange(1.0, 4.0)
    jaxpr, shape = jax.make_jaxpr(f, return_shape=True)(x)
    results, state = Interpreter().run(jaxpr, [x], "a state")
    found = jax.tree.unflatten(jax.tree.structure(shape), results)
    jax.tree.map(np.testing.assert_array_equal, found, f(x))
    assert state == "a state"


class Counter(Interpreter):
    """Counts operations, those in calls and in the branches that are taken included."""

    def operation(self, operation, state):
        return super().operation(operation, state + 1)

    def call(self, call, operation, state):
        return self.run(call.body, operation.inputs, state)

    def cond(self, cond, operation, state):
        index, *operands = operation.inputs
        return self.run(cond.branches[int(index)], operands, state)


def test_a_state_goes_through_what_is_overridden():
    @jax.jit
    def f(i, x):
        return lax.switch(i, [jnp.sin, lambda x: jnp.sin(jnp.cos(x))], x) + 1.0

    jaxpr = jax.make_jaxpr(f)(1, 2.0)
    counts = [Counter().run(jaxpr, [i, 2.0], 0) for i in (0, 1)]
    assert [float(results[0]) for results, _ in counts] == [float(f(0, 2.0)), float(f(1, 2.0))]
    assert counts[1][1] - counts[0][1] == 1


def test_each_variable_has_a_value():
    jaxpr = jax.make_jaxpr(lambda x: jnp.sin(x) * TABLE)(2.0)
    values, _ = Interpreter().evaluate(jaxpr, [2.0])
    made = {var for eqn in open_jaxpr(jaxpr).eqns for var in eqn.outvars}
    assert made < values.keys()
    assert len(values) == len(made) + 2
    assert len(list(equations_in([jaxpr]))) == len(made)


def test_loops_that_have_ended_keep_their_state():
    going, old = jnp.array([True, False]), [jnp.zeros(2), jnp.zeros((2, 3)), random.split(KEY, 2)]
    new = [each + 1 for each in old[:2]] + [random.split(random.key(1), 2)]
    for kept, after, before in zip(choose(going, new, old), new, old, strict=True):
        assert kept.shape == before.shape
        assert (kept[0] == after[0]).all()
        assert (kept[1] == before[1]).all()
