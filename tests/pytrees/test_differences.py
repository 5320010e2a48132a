"""Two pytrees compared by path, and the names of leaves."""

import dataclasses
from collections import OrderedDict, namedtuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from hypothesis import given, settings
from hypothesis import strategies as st

from traced.pytrees.differences import (
    call_with,
    find_tree_differences,
    name_arguments,
)

Pair = namedtuple("Pair", "a b")


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Layer:
    w: object
    width: int = dataclasses.field(default=3, metadata={"static": True})


class Box:
    def __init__(self, value, *label):
        self.value, self._label = value, label


jax.tree_util.register_pytree_node(
    Box, lambda box: ((box.value,), box._label), lambda label, values: Box(*values, *label)
)


def linear(width=3, **options):
    return nnx.Linear(2, width, rngs=nnx.Rngs(0), **options)


CASES = [
    ({"a": 1}, {}, ["['a'] missing ~i32[] "]),
    ({}, {"a": [1, 2]}, ["['a'][0] extra  ~i32[]", "['a'][1] extra  ~i32[]"]),
    ([], [None, {}], ["[0] extra  None", "[1] extra  dict"]),
    ({1: 2}, {"1": 2}, ["[1] missing ~i32[] ", "['1'] extra  ~i32[]"]),
    ([1], (1,), [" container list tuple"]),
    ([None], [1.0], ["[0] container None ~f32[]"]),
    ([1.0], [None], ["[0] container ~f32[] None"]),
    ({"a": 1}, OrderedDict(a=1), [" container dict OrderedDict"]),
    (OrderedDict(a=1, b=2), OrderedDict(b=2, a=1), [" static ('a', 'b') ('b', 'a')"]),
    (Pair(1, 2), Pair(1, 3), [".b value 2 3"]),
    (Layer(1.0, 3), Layer(1.0, 4), [".width static 3 4"]),
    (Box(1, "x", 7), Box(2, "y", 7), [" static 'x' 'y'", "[<flat index 0>] value 1 2"]),
    (Box(1, np.ones(2)), Box(1, np.ones(2)), [" static array([1., 1.]) array([1., 1.])"]),
    (jax.tree_util.Partial(abs), jax.tree_util.Partial(max), [" static abs max"]),
    ("a", "b", [" value 'a' 'b'"]),
    ("a", 1.0, [" leaf str ~f32[]"]),
    (jnp.ones(3), jnp.ones(4), [" shape f32[3] f32[4]"]),
    (jnp.ones(3), jnp.ones(3, int), [" dtype f32[3] i32[3]"]),
    (jnp.float32(1), 1.0, [" weak type f32[] ~f32[]"]),
    (jnp.float32(1), 2.0, [" weak type f32[] ~f32[]", " value 1.0 2.0"]),
    (jnp.zeros((2, 2)), jnp.eye(2).at[0, 0].set(0.5), [" value 0.0 at [1, 1] 1.0 at [1, 1]"]),
    (jnp.ones(2), jnp.array([1.0, jnp.nan]), [" value 1.0 at [1] nan at [1]"]),
    (np.uint8([0, 255]), np.uint8([0, 0]), [" value 255 at [1] 0 at [1]"]),
    (jax.random.key(0), jax.random.key(1), [" value 0 at [1] 1 at [1]"]),
    (jax.ShapeDtypeStruct((2,), "float32"), jnp.ones(3), [" shape f32[2] f32[3]"]),
    (nnx.Param(1.0), nnx.BatchStat(1.0), [" container Param BatchStat"]),
    (
        linear(),
        linear(use_bias=False),
        [".use_bias static True False", ".bias container Param None"],
    ),
    (
        nnx.state(linear()),
        nnx.state(linear(4)),
        ["['bias'].value shape f32[3] f32[4]", "['kernel'].value shape f32[2,3] f32[2,4]"],
    ),
]


def written(differences):
    return [f"{each.path} {each.kind} {each.wanted} {each.got}" for each in differences]


@pytest.mark.parametrize(("wanted", "got", "expected"), CASES)
def test_a_difference_is_told_by_path_and_kind(wanted, got, expected):
    assert written(find_tree_differences(wanted, got)) == expected


@pytest.mark.parametrize("tree", [side for wanted, got, _ in CASES for side in (wanted, got)])
def test_a_tree_does_not_differ_from_a_copy(tree):
    leaves, structure = jax.tree.flatten(tree)
    copied = jax.tree.unflatten(structure, leaves)
    assert isinstance(tree, Box) or find_tree_differences(tree, copied) == []


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        (jnp.inf, jnp.inf),
        (jnp.ones(2) * jnp.nan, jnp.ones(2) * jnp.nan),
        (jnp.float32(1), jnp.float32(1.00001)),
        (jax.ShapeDtypeStruct((2,), "float32"), jnp.ones(2)),
        (linear(), linear()),
    ],
)
def test_what_is_close_enough_is_no_difference(wanted, got):
    assert find_tree_differences(wanted, got) == []


def test_tolerances_are_taken():
    assert find_tree_differences(jnp.float32(1), jnp.float32(1.1), rtol=0.2) == []
    assert find_tree_differences(jnp.float32(1), jnp.float32(1.00001), rtol=0.0, atol=0.0)


def test_tracers_are_compared_by_type():
    def f(x):
        return len(find_tree_differences(x, x + 1.0)), len(find_tree_differences(x, 1))

    assert jax.jit(f)(jnp.float32(1)) == (0, 1)


LEAVES = st.sampled_from([1, 2.0, None, "a"])
TREES = st.recursive(
    LEAVES, lambda t: st.lists(t, max_size=3) | st.dictionaries(st.sampled_from("abc"), t)
)


@given(TREES, TREES)
@settings(max_examples=200, deadline=None)
def test_trees_differ_exactly_if_jax_says_so(left, right):
    same = jax.tree.structure(left) == jax.tree.structure(right)
    same = same and list(map(repr, jax.tree.leaves(left))) == list(
        map(repr, jax.tree.leaves(right))
    )
    found = find_tree_differences(left, right)
    assert (found == []) is same
    kinds = {"missing", "extra", "container", "leaf", "dtype", "weak type", "value"}
    assert {each.kind for each in found} <= kinds


@given(TREES, TREES)
@settings(max_examples=100, deadline=None)
def test_the_other_way_round_as_much_differs(left, right):
    back = find_tree_differences(right, left)
    assert len(find_tree_differences(left, right)) == len(back)


def f(x, /, y=1, *rest, z, **more):
    return x, y, rest, z, more


def test_arguments_have_the_names_and_the_order_that_jit_gives_them():
    args, kwargs = ({"w": 1}, 2, 3, [4]), {"z": 5, "a": {"b": 6}}
    names = name_arguments(f, args, kwargs)
    assert list(names) == ["x['w']", "y", "rest[0]", "rest[1][0]", "more['a']['b']", "z"]
    assert list(names.values()) == jax.tree.leaves((args, kwargs))


def test_arguments_of_what_has_no_signature_are_counted():
    names = name_arguments(max, (1, 2), {"key": 3})
    assert names == {"args[0]": 1, "args[1]": 2, "kwargs['key']": 3}


def test_a_function_is_called_with_other_leaves():
    assert call_with(f, (1, 2), {"z": [3]}, {"z[0]": 7, "y": 8}) == (1, 8, (), [7], {})
