"""Values in a few words, the same in every run."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from traced.python.values import bits, brief, brief_both, one_line


class Plain:
    pass


class Broken:
    def __repr__(self):
        raise LookupError


class Drawn:
    def __repr__(self):
        return "a\ntree"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5, "1.5"),
        (jnp.float32(0.1), "0.1"),
        (np.ones((2, 2)), "[[1., 1.], [1., 1.]]"),
        (jnp.arange(100), "[ 0, 1, 2, ..., 97, 98, 99]"),
        (jax.random.key(0), "key<fry>[]"),
        ([jnp.int32(1), {"a": (None,)}], "[1, {'a': (None,)}]"),
        (Plain(), "a Plain"),
        (Broken(), "a Broken"),
        (Drawn(), "a Drawn"),
        ([Plain] * 9, "[" + "<class 'test_values.Plain'>, " * 6 + "...]"),
    ],
)
def test_a_value_is_told_without_addresses(value, text):
    assert brief(value).replace(Plain.__module__, "test_values") == text


def test_a_long_value_is_cut():
    assert len(brief(range(10**70))) == 60


def test_a_tracer_is_told_by_its_type():
    texts = []
    jax.jit(lambda x: texts.append(brief([x])))(jnp.ones(3))
    assert texts == ["[tracer f32[3]]"]


def test_an_array_given_away_is_told_by_its_type():
    x = jnp.ones(3)
    x.delete()
    assert brief(x) == "f32[3]"
    assert bits(x) == bits(x)


def test_keys_are_compared_while_a_function_is_traced():
    key = jax.random.key(0)
    traced = jax.jit(lambda x: (x, bits(key))[0]).trace(1.0)
    assert bits(key) == bits(jax.random.key(0)) != bits(jax.random.key(1))
    assert "key" not in str(traced.jaxpr)


def test_no_address_is_written():
    assert one_line(object()) == "<object object>"
    assert one_line({"b", "a"}) == "{'a', 'b'}"
    assert one_line("a\nb") == r"'a\nb'"


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        (1.0, 2.0, ("1.0", "2.0")),
        (np.zeros(20), np.eye(20)[7], ("0.0 at [7] of [0.,", "1.0 at [7] of [0.,")),
        (jnp.ones(20), jnp.ones(21), ("f32[20]", "f32[21]")),
        ({"w": [np.zeros(20)]}, {"w": [np.eye(20)[7]]}, ("['w'][0]: 0.0 at", "['w'][0]: 1.0 at")),
        ([1.5] * 40, [1.5] * 41, ("40 entries: [1.5,", "41 entries: [1.5,")),
        (set(range(40)), set(range(41)), ("40 entries: {0,", "41 entries: {0,")),
        ("a" * 200, "a" * 201, ("200 entries: 'aaa", "201 entries: 'aaa")),
        ([[[[1]]]], [[[[2]]]], ("[0][0][0][0]: 1", "[0][0][0][0]: 2")),
        ([1], [1], ("[1]", "another one: [1]")),
    ],
)
def test_the_texts_of_two_values_are_never_alike(before, now, told):
    texts = brief_both(before, now)
    assert all(text.startswith(start) for text, start in zip(texts, told, strict=True))
    assert texts[0][:80] != texts[1][:80]
