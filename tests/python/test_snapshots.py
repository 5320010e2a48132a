"""What a call can reach: changes found, and everything put back."""

import copy

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from traced.python.snapshots import Snapshot

KEYS = st.text(max_size=2)
LEAVES = st.integers() | KEYS | st.floats(allow_nan=False)


def in_containers(inner):
    return st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)


TREES = st.recursive(LEAVES, in_containers, max_leaves=8)


def taken(thing):
    return Snapshot([("argument write", "x", thing)])


def containers(tree):
    inner = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    found = [each for item in inner for each in containers(item)]
    return [tree, *found] if isinstance(tree, list | dict) else found


def replace(container, value):
    if isinstance(container, dict):
        container.pop(next(iter(container), None), None)
        container["new"] = value
    else:
        container[:] = [value, *container[1:]]


@given(st.lists(TREES), st.data())
def test_whatever_is_written_is_put_back(tree, data):
    before, snapshot = copy.deepcopy(tree), taken(tree)
    for container in data.draw(st.lists(st.sampled_from(containers(tree)), max_size=3)):
        replace(container, data.draw(TREES))
    snapshot.put_back()
    assert tree == before
    assert list(snapshot.net_changes()) == []


@given(st.lists(TREES, min_size=1), st.data())
def test_a_change_is_found_once(tree, data):
    snapshot = taken(tree)
    replace(data.draw(st.sampled_from(containers(tree))), object())
    assert list(snapshot.changes()) != []
    assert list(snapshot.changes()) == []


@given(st.lists(TREES))
def test_what_is_not_written_to_has_no_changes(tree):
    snapshot = taken(tree)
    assert list(snapshot.changes()) == list(snapshot.net_changes()) == []


def test_an_order_is_put_back():
    thing = {"a": 1, "b": 2}
    snapshot = taken(thing)
    thing["a"] = thing.pop("a")
    thing["c"] = 3
    snapshot.put_back()
    assert list(thing.items()) == [("a", 1), ("b", 2)]


def test_things_that_hold_themselves_are_looked_at_once():
    thing = [1]
    thing.append(thing)
    snapshot = taken(thing)
    thing[0] = 2
    assert [change for change, _ in snapshot.net_changes()] == [(0, 0)]


def test_an_equal_array_or_tuple_in_the_place_of_another_is_no_change():
    thing = [np.ones(3), (np.array([np.nan]), 1)]
    snapshot = taken(thing)
    thing[:] = [np.ones(3), (np.array([np.nan]), 1)]
    assert list(snapshot.net_changes()) == []
    thing[0] = np.ones(3, "float32")
    assert len(list(snapshot.net_changes())) == 1
