"""The anatomy of jaxprs, on every release of JAX alike."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from traced.internals.jaxprs import (
    CALLS,
    Call,
    Cond,
    Scan,
    ShardMap,
    While,
    captured_arrays,
    constants_of,
    defined_in,
    equations_in,
    input_types,
    literals,
    nested_jaxprs,
    open_jaxpr,
    parameters,
    structure,
)

X, TABLE = jnp.ones(3), jnp.arange(4.0)


def equation(f, *args):
    """Return the last equation of `f`, and the structure of what it does."""
    eqn = open_jaxpr(jax.make_jaxpr(f)(*args)).eqns[-1]
    return eqn, structure(eqn.primitive.name, eqn.params)


def carries(x, factor):
    return lax.scan(lambda c, row: (c * factor + row, c), factor, x, reverse=True)


def test_a_scan_says_what_each_input_is_for():
    eqn, scan = equation(carries, X, 2.0)
    assert isinstance(scan, Scan)
    assert (list(scan.order), scan.constants, scan.carried) == ([2, 1, 0], 1, 1)
    fixed, first, rows = scan.split(eqn.invars)
    assert [var.aval.shape for var in (*fixed, *first, *rows)] == [(), (), (3,)]
    assert [kind.shape for kind in input_types(scan.body)] == [(), (), ()]


def test_a_while_says_what_each_input_is_for():
    def f(most, step):
        return lax.while_loop(lambda n: n < most, lambda n: n + step + step, 0)

    eqn, loop = equation(f, 9, 2)
    assert isinstance(loop, While)
    assert list(map(len, loop.split(eqn.invars))) == [1, 1, 1]
    first = [open_jaxpr(each).eqns[0] for each in (loop.condition, loop.body)]
    assert [each.primitive.name for each in first] == ["lt", "add"]


def test_a_cond_has_its_branches_in_the_order_of_its_index():
    _, cond = equation(lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x), 0, 1.0)
    assert isinstance(cond, Cond)
    names = [open_jaxpr(each).eqns[0].primitive.name for each in cond.branches]
    assert names == ["sin", "cos", "tan"]


@jax.custom_vjp
def doubled(x):
    return 2 * x


doubled.defvjp(lambda x: (2 * x, None), lambda _, ct: (2 * ct,))


@pytest.mark.parametrize("f", [jax.jit(jnp.sin), jax.checkpoint(jnp.sin), jax.nn.relu, doubled])
def test_a_call_has_one_body_with_the_inputs_of_the_call(f):
    eqn, call = equation(f, 1.0)
    assert isinstance(call, Call)
    assert eqn.primitive.name in CALLS
    assert len(input_types(call.body)) == len(eqn.invars)
    assert not call.differentiated


def test_a_checkpoint_says_that_it_computes_again():
    f = jax.grad(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))))
    eqns = equations_in([jax.make_jaxpr(f)(1.0)])
    found = [structure(eqn.primitive.name, eqn.params) for eqn in eqns]
    assert [each.differentiated for each in found if isinstance(each, Call)] == [True]


def test_a_shard_map_has_its_mesh_and_axes():
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("i")
    sharded = jax.shard_map(jnp.sin, mesh=mesh, in_specs=spec, out_specs=spec)
    _, found = equation(sharded, X)
    assert isinstance(found, ShardMap)
    assert (set(found.axes), *found.in_specs, *found.out_specs) == ({"i"}, spec, spec)


def test_what_computes_one_thing_has_no_structure():
    assert equation(jnp.sin, 1.0)[1] is None


def test_equations_come_before_those_that_are_nested_in_them():
    eqns = list(equations_in([jax.make_jaxpr(jax.jit(carries))(X, X[0])]))
    assert [eqn.primitive.name for eqn in eqns] == ["jit", "scan", "mul", "add"]
    assert [len(nested_jaxprs(eqn)) for eqn in eqns] == [1, 1, 0, 0]


def test_arrays_are_captured_inside_of_nested_jaxprs_too():
    jaxpr = jax.make_jaxpr(jax.jit(lambda i: TABLE[i]))(0)
    assert [each is TABLE for each in captured_arrays(jaxpr)] == [True]
    assert constants_of(open_jaxpr(jax.make_jaxpr(jnp.sin)(1.0))) == []


def test_parameters_are_texts_without_addresses_and_jaxprs():
    eqn, call = equation(jax.jit(lambda x: x.reshape(3, 1)), X)
    assert not {"jaxpr", "call_jaxpr"} & parameters(eqn).keys()
    assert not any(" at 0x" in text for text in parameters(eqn).values())
    (inner,) = open_jaxpr(call.body).eqns
    assert "(3, 1)" in parameters(inner).values()


def test_literals_are_numpy_arrays():
    eqn, _ = equation(lambda x: x * 3.0, 2.0)
    assert [(type(each), each.item()) for each in literals(eqn)] == [(np.ndarray, 3.0)]


def test_a_jaxpr_tells_the_file_of_its_function():
    _, call = equation(jax.jit(lambda x: x + 1), 1.0)
    assert defined_in(call.body) == __file__
