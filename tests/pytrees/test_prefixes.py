"""A prefix, laid over a tree; JAX's own judgement is the oracle."""

import jax
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traced.pytrees.prefixes import faults_of, lay_prefix, leaves_of

LEAVES = st.sampled_from([1.0, 2.0])


def containers(children):
    names = st.dictionaries(st.sampled_from("abc"), children, max_size=3)
    few = st.lists(children, max_size=3)
    return names | few | few.map(tuple)


TREES = st.recursive(LEAVES | st.none(), containers, max_leaves=8)
PREFIXES = st.recursive(st.sampled_from([0, 1, None]), containers, max_leaves=8)


def spread(prefix, tree):
    """Return what JAX gives to each leaf, or None where it refuses."""
    try:
        full = jax.tree.broadcast(prefix, tree, is_leaf=lambda each: each is None)
    except ValueError:
        return None
    return jax.tree.leaves(full, is_leaf=lambda each: each is None)


@given(PREFIXES, TREES)
def test_it_fits_where_jax_says_so(prefix, tree):
    laid = lay_prefix(prefix, tree)
    assert (faults_of(laid) == []) == (spread(prefix, tree) is not None)


def blunt(tree, draw):
    """Return a prefix of a tree, cut where `draw` says so."""
    if draw(st.booleans()) or not isinstance(tree, dict | list | tuple):
        return draw(st.sampled_from([0, 1, None]))
    if isinstance(tree, dict):
        return {key: blunt(child, draw) for key, child in tree.items()}
    return type(tree)(blunt(child, draw) for child in tree)


@given(st.recursive(LEAVES, containers, max_leaves=8), st.data())
def test_each_leaf_gets_what_jax_gives_it(tree, data):
    prefix = blunt(tree, data.draw)
    laid = lay_prefix(prefix, tree)
    assert faults_of(laid) == []
    assert [leaf.value for leaf in leaves_of(laid)] == spread(prefix, tree)


@pytest.mark.parametrize(
    ("prefix", "tree", "path", "fault"),
    [
        ((0, 1), [1.0, 2.0], "t", "tuple, where the tree has a list"),
        ([0], 1.0, "t", "list, where the tree has a leaf"),
        ([0], [1.0, 2.0], "t[1]", "missing in the prefix"),
        ({"a": 0, "c": 7}, {"a": 1.0}, "t['c']", "7, where the tree has nothing"),
        ({"a": [0]}, {"a": None}, "t['a']", "list, where the tree has a None"),
    ],
)
def test_a_fault_says_where_and_what(prefix, tree, path, fault):
    (found,) = faults_of(lay_prefix(prefix, tree, "t"))
    assert (found.node.path, found.fault) == (path, fault)


def test_static_data_have_to_agree():
    partials = [jax.tree_util.Partial(f, 1.0) for f in (jax.numpy.add, jax.numpy.subtract)]
    (found,) = faults_of(lay_prefix(*partials))
    assert found.fault == "the static data differ"
