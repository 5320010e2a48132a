"""Two calls compared as `jit` compares them."""

import jax
import jax.numpy as jnp
import pytest

from traced.python.values import describe
from traced.tracing.signatures import signature_of


def changes(first, second, **options):
    f = jax.jit(lambda x, n=1: None, **options)
    signatures = [signature_of(f, args, kwargs) for args, kwargs in (first, second)]
    return list(map(str, signatures[1].changes(signatures[0])))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((1.0,), (2.0,), []),
        ((jnp.ones(3),), (jnp.ones(4),), ["shape: x is f32[4], was f32[3]"]),
        ((1.0,), (1,), ["dtype: x is ~i32[], was ~f32[]"]),
        ((1.0,), (jnp.float32(1),), ["weak type: x is f32[], was ~f32[]"]),
        (({"a": 1.0},), ({"b": 1.0},), ["structure: the tree is {x['b']}, was {x['a']}"]),
        ((1.0,), (1.0, 2), ["structure: the tree is {n, x}, was {x}"]),
    ],
)
def test_what_changed_is_named(first, second, expected):
    assert changes((first, {}), (second, {})) == expected


def test_a_keyword_instead_of_a_position_is_a_change():
    assert changes(((1.0, 2), {}), ((1.0,), {"n": 2})) == [
        "keyword: the call is (_, n=_), was (_, _)"
    ]


def test_a_static_value_is_compared_by_value_and_type():
    x = jnp.ones(3)
    static = [((x, 1), {}), ((x, 2), {}), ((x, 1.0), {}), ((x, True), {})]
    found = [changes(static[0], each, static_argnames="n") for each in static]
    assert found == [[], *([f"static value: n is {n}, was 1"] for n in (2, 1.0, True))]


def test_a_traced_value_is_not():
    assert changes(((1.0, 2), {}), ((1.0, 3), {})) == []


@pytest.mark.parametrize(
    ("leaf", "text"),
    [(1.5, "~f32[]"), (True, "bool[]"), ("a", "str"), (jnp.ones((2, 3), "int8"), "i8[2,3]")],
)
def test_a_leaf_is_described_by_its_type(leaf, text):
    assert describe(leaf) == text


def test_a_key_is_described_by_its_type():
    assert describe(jax.random.key(0)) == "key<fry>[]"
