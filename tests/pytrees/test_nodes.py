"""Pytrees, taken apart as JAX does it."""

import collections
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import optax
import pytest
from flax import nnx, struct

from traced.pytrees.nodes import is_node, nodes_of, parts_of


@partial(jax.tree_util.register_dataclass, data_fields=["w"], meta_fields=["units"])
@dataclass
class Registered:
    w: object
    units: int


@struct.dataclass
class Struct:
    w: object
    name: str = struct.field(pytree_node=False)


Point = collections.namedtuple("Point", "x y")
PARAMS = {"w": jnp.ones((2, 3)), "b": jnp.zeros(3)}
TREES = {
    "containers": {"a": [1.0, (2.0, None)], "b": {}},
    "a named tuple": Point(1.0, [2.0]),
    "an ordered dict": collections.OrderedDict(b=1, a=2),
    "a dataclass": Registered({"k": 1.0}, 3),
    "Flax's dataclass": Struct(jnp.ones(2), "a"),
    "the state of adam": optax.adam(1e-3).init(PARAMS),
    "a module": nnx.Sequential(nnx.Linear(2, 3, rngs=nnx.Rngs(0)), nnx.relu),
    "a state": nnx.state(nnx.BatchNorm(3, rngs=nnx.Rngs(0))),
    "a partial": jax.tree_util.Partial(jnp.add, 1.0),
    "a leaf": 1.0,
    "None": None,
}


def walk(node):
    yield node
    for part in node.parts:
        yield from walk(part)


@pytest.mark.parametrize("name", TREES)
def test_the_leaves_are_those_of_jax_in_their_order(name):
    leaves = [node for node in walk(nodes_of(TREES[name], "t")) if node.role == "leaf"]
    theirs = jax.tree_util.tree_leaves_with_path(TREES[name])
    assert [leaf.path for leaf in leaves] == ["t" + jax.tree_util.keystr(p) for p, _ in theirs]
    assert all(leaf.value is value for leaf, (_, value) in zip(leaves, theirs, strict=True))


@pytest.mark.parametrize(
    ("tree", "static"),
    [
        (Registered(1.0, 3), {".units": "3"}),
        (Struct(1.0, "a"), {".name": "'a'"}),
        (nnx.Dropout(0.5), {".rate": "0.5", ".deterministic": "False"}),
        ({"a": 1}, {}),
    ],
)
def test_static_is_what_jax_does_not_flatten(tree, static):
    found = {node.key: node.text for node in nodes_of(tree).parts if node.role == "static"}
    assert static.items() <= found.items()
    assert not found.keys() & parts_of(tree).keys()
    assert not any(key.startswith("._") for key in found)
    assert static or not found


def test_types_are_those_of_jit():
    tree = {"a": 1.0, "b": jnp.ones((2, 3), "bfloat16"), "c": jax.random.key(0), "d": "text"}
    assert [part.text for part in nodes_of(tree).parts] == [
        "~f32[]",
        "bf16[2,3]",
        "key<fry>[]",
        "str",
    ]


def test_none_is_a_node_and_a_set_a_leaf():
    assert [(n.role, n.text) for n in nodes_of([None, {1}]).parts] == [
        ("node", "None"),
        ("leaf", "set"),
    ]
    assert (is_node(None), is_node({1})) == (True, False)
