"""The axes of `vmap`; what it gives and what it refuses is the oracle."""

import jax
import jax.numpy as jnp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traced.python.values import describe
from traced.pytrees.axes import map_axes

A = jnp.ones((3, 2))


def pair(x, y):
    return {"product": jnp.sum(x) * jnp.sum(y), "y": y}


AXES = st.sampled_from([0, 1, 2, -1, -2, -3, None])
SHAPES = st.lists(st.sampled_from([2, 3]), max_size=3).map(tuple)
OUT = st.sampled_from([0, 1, -1, None]) | st.fixed_dictionaries(
    {"product": st.sampled_from([0, 1, None]), "y": st.sampled_from([0, None])}
)


@settings(deadline=None)
@given(SHAPES, SHAPES, AXES, AXES, OUT)
def test_it_is_refused_where_vmap_refuses(shape_x, shape_y, axis_x, axis_y, out_axes):
    args = jnp.ones(shape_x), jnp.ones(shape_y)
    mapped = jax.vmap(pair, (axis_x, axis_y), out_axes)
    try:
        wanted = jax.eval_shape(mapped, *args)
    except ValueError:
        wanted = None
    found = map_axes(pair, *args, in_axes=(axis_x, axis_y), out_axes=out_axes)
    assert found.is_refused == (wanted is None)
    if wanted:
        outside = [a.outside for path, a in found.axes.items() if path.startswith("result")]
        assert outside == [describe(leaf) for leaf in jax.tree.leaves(wanted)]


def test_inside_is_what_the_function_sees():
    seen = []

    def f(x, y):
        seen.append([str(jax.typeof(each).shape) for each in (x, y)])
        return x @ y

    found = map_axes(f, jnp.ones((3, 8, 2)), jnp.ones((2, 4)), in_axes=(1, None))
    assert seen[0] == ["(3, 2)", "(2, 4)"]
    assert [axis.inside for axis in found.axes.values()] == ["f32[3,2]", "f32[2,4]", "f32[3,4]"]
    assert [axis.size for axis in found.axes.values()] == [8, None, 8]


@pytest.mark.parametrize(
    ("in_axes", "out_axes", "path", "fault"),
    [
        ((0, 0), 0, "y", "axis 0 has size 4, elsewhere 3"),
        ((2, None), 0, "x", "there is no axis 2"),
        (("a", None), 0, "x", "'a' is no integer"),
        ((0, None), None, "result['product']", "None, but mapped inside"),
        ((0, None), {"product": 5, "y": None}, "result['product']", "there is no axis 5"),
    ],
)
def test_a_fault_says_which_leaf_and_why(in_axes, out_axes, path, fault):
    args = jnp.ones((6, 3)).T if in_axes == (0, 0) else A, jnp.ones(4)
    found = map_axes(pair, *args, in_axes=in_axes, out_axes=out_axes)
    assert {p: axis.fault for p, axis in found.axes.items() if axis.fault} == {path: fault}


@pytest.mark.parametrize(
    ("in_axes", "fault"),
    [
        ((0,), "in_axes has 1 entry, for 2 arguments"),
        ({"x": 0}, "in_axes must be an integer, None or a tuple, got dict"),
        ((None, None), "nothing is mapped: every axis is None"),
    ],
)
def test_a_fault_of_in_axes_as_a_whole_is_told(in_axes, fault):
    found = map_axes(pair, A, 1.0, in_axes=in_axes)
    assert (found.fault, found.result) == (fault, None)


def test_numbers_stay_numbers():
    found = map_axes(lambda n, x: x + jnp.arange(1.0 * n), 2, A, in_axes=(None, 0))
    assert found.axes["result"].inside == "f32[2]"


def test_an_argument_may_be_its_type():
    found = map_axes(pair, jax.ShapeDtypeStruct((3, 2), "float32"), 1.0, in_axes=(0, None))
    assert found.axes["x"].inside == "f32[2]"


def test_functions_of_jax_and_of_python_have_names_too():
    assert list(map_axes(jnp.dot, A, A).axes) == ["a", "b", "result"]
    assert list(map_axes(lambda *xs: xs[0], A, A).axes) == ["args[0]", "args[1]", "result"]


def test_nothing_is_run():
    ran = []
    map_axes(lambda x: jax.debug.callback(ran.append, x) or x, A)
    jax.effects_barrier()
    assert ran == []


def test_what_the_function_raises_comes_through():
    with pytest.raises(TypeError, match="incompatible shapes"):
        map_axes(jnp.add, A, jnp.ones((3, 5)))
