"""Values that are computed when they are asked for, if they can be."""

import pytest

from traced.randomness.lazy_values import Unknown, Value, if_known, known, unknown


def test_a_value_is_computed_once_and_only_if_asked_for():
    computed = []
    value = Value(lambda: computed.append(1) or 7)
    assert computed == []
    assert (value.get(), value.get(), computed) == (7, 7, [1])


def test_what_needs_the_unknown_is_unknown():
    value = Value(unknown)
    after = Value(lambda: value.get() + 1, [value])
    assert if_known(after) is None
    with pytest.raises(Unknown):
        after.get()


def test_a_chain_may_be_longer_than_calls_may_nest():
    value = known(0)
    for _ in range(5000):
        value = Value(lambda before=value: before.get() + 1, [value])
    assert value.get() == 5000


def test_an_error_comes_through():
    with pytest.raises(ZeroDivisionError):
        Value(lambda: 1 / 0).get()
