"""Equations and primitives, through nested jaxprs, of functions that the course did not write."""

import re
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax import lax

from traced.programs.explore import explore
from traced.programs.jaxprs import (
    count_equations,
    count_primitives,
    find_equations,
    jaxpr_of,
)
from traced.programs.memory import measure_program
from traced.programs.stages import show_hlo


@jax.custom_jvp
def sine(x):
    return jnp.sin(x)


@sine.defjvp
def _(primals, tangents):
    return sine(*primals), jnp.cos(*primals) * tangents[0]


NESTED = {
    "scan": lambda x: lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=3)[0],
    "while": lambda x: lax.while_loop(lambda c: c < 1.0, jnp.sin, x),
    "cond": lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x),
    "jit": lambda x: jax.jit(jnp.sin)(x),
    "custom_jvp_call": sine,
    "remat2": jax.checkpoint(jnp.sin),
}


@pytest.mark.parametrize("outer", NESTED)
def test_an_equation_inside_another_is_found_with_its_way(outer):
    (inner,) = [each for each in find_equations(NESTED[outer], 0.5) if each.primitive == "sin"]
    assert inner.within[0] == outer


@pytest.mark.parametrize("outer", NESTED)
def test_the_outer_equation_says_that_it_nests(outer):
    nests = {each.primitive: each.nests for each in find_equations(NESTED[outer], 0.5)}
    assert nests[outer]
    assert not nests["sin"]


def test_equations_inside_shard_map_are_found():
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("i")
    f = jax.shard_map(jnp.sin, mesh=mesh, in_specs=spec, out_specs=spec)
    assert count_primitives(f, jnp.ones(2))["sin"] == 1


def test_a_python_loop_is_counted_as_often_as_it_runs():
    def power(x, n):
        for _ in range(n):
            x = x * 2.0
        return x

    assert [count_equations(lambda x, n=n: power(x, n), 1.0) for n in (0, 1, 50)] == [0, 1, 50]


def test_an_equation_knows_the_line_it_came_from():
    def f(x):
        y = x + 1.0
        return jnp.sin(y)

    lines = [each.place.source for each in find_equations(f, 1.0)]
    assert lines == ["y = x + 1.0", "return jnp.sin(y)"]


def test_an_equation_of_a_library_is_placed_at_the_line_that_called_it():
    def f(x):
        return jnp.linalg.norm(x)

    assert {each.place.source for each in find_equations(f, jnp.ones(3))} == {
        "return jnp.linalg.norm(x)"
    }


def test_what_nothing_reads_is_dead_and_an_effect_is_not():
    def f(x):
        jnp.sin(x)
        jax.debug.print("{}", x)
        return x + 1.0

    assert [each.primitive for each in find_equations(f, 1.0) if each.dead] == ["sin"]


def test_a_function_that_changed_its_mind_is_traced_afresh():
    factors = [2.0]

    def f(x):
        return x * factors[0] if factors[0] > 1 else x

    before = count_equations(f, 1.0)
    factors[0] = 0.0
    assert (before, count_equations(f, 1.0)) == (1, 0)


def test_static_arguments_of_a_jitted_function_stay_static():
    f = jax.jit(lambda x, n: x[:n], static_argnames="n")
    assert jaxpr_of(f, jnp.ones(3), n=2).outvars[0].aval.shape == (2,)


@jax.tree_util.register_pytree_node_class
class Doubler:
    @jax.jit
    def __call__(self, x):
        return 2.0 * x

    def tree_flatten(self):
        return (), None

    @classmethod
    def tree_unflatten(cls, *_):
        return cls()


@pytest.mark.parametrize("f", [Doubler().__call__, nnx.jit(lambda x: 2.0 * x)])
def test_a_jitted_method_and_an_nnx_function_are_read_through(f):
    assert count_primitives(f, 1.0)["mul"] == 1


def test_numpy_and_keyword_arguments_are_taken():
    assert count_primitives(lambda *, x: x + 1.0, x=np.float32(1))["add"] == 1


def test_what_the_function_raises_comes_through():
    with pytest.raises(jax.errors.TracerBoolConversionError):
        count_equations(lambda x: 1.0 if x > 0 else 2.0, 1.0)


@dataclass
class Settings:
    rate: float


NO_ARRAYS = {
    "`mode` must be an array or a number, got str": (lambda x, mode: x, (1.0, "sum"), {}),
    "`tree['name']` must be": (lambda tree: tree["x"], ({"x": 1.0, "name": "model"},), {}),
    "`settings` must be an array or a number, got Settings": (
        lambda x, settings: x,
        (1.0, Settings(0.1)),
        {},
    ),
    "got str, and so must 1 other": (lambda x, *names: x, (1.0, "a", "b"), {}),
}


@pytest.mark.parametrize("tool", [count_equations, explore, show_hlo, measure_program])
@pytest.mark.parametrize("message", NO_ARRAYS)
def test_an_argument_that_is_no_array_is_named(tool, message):
    f, args, kwargs = NO_ARRAYS[message]
    with pytest.raises(TypeError, match=re.escape(message)) as raised:
        tool(f, *args, **kwargs)
    assert "close over what is not traced" in str(raised.value)


def test_an_error_of_the_function_itself_comes_through():
    def f(x, mode):
        raise TypeError("mine")

    with pytest.raises(TypeError, match="mine"):
        count_equations(f, 1.0, 2.0)
