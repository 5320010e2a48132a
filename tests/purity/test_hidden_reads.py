"""What a function reads that is not passed to it, told from its code."""

import types
from functools import cached_property, partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from traced.purity.hidden_reads import find_hidden_reads

SCALE = 2.0
PARAMS = {"w": 1.0}
HISTORY = []
NAMES = types.SimpleNamespace(rate=0.5)


class Limits(NamedTuple):
    low: int
    act: object


LIMITS = Limits(3, jnp.sin)


class Config:
    rate = 0.1


class Model:
    bias = 7

    def __init__(self):
        self.rate, self.config, self.weights = 0.1, Config(), np.ones(2)

    def __call__(self, x):
        self.calls = 1
        return self.step(x) + self.double

    def step(self, x):
        return jax.vmap(lambda y: y * self.config.rate)(x)

    @property
    def double(self):
        return self.rate * 2

    @cached_property
    def table(self):
        return self.weights + 1

    def more(self, x):
        return self.table + self.shift(x) + self.lift(x)

    @staticmethod
    def shift(x):
        return x + SCALE

    @classmethod
    def lift(cls, x):
        return x + cls.bias

    def add(self, x):
        self.rate += 1
        return x

    @partial(jax.jit, static_argnums=0)
    def static(self, x):
        return x * self.rate


class Special(Model):
    def step(self, x):
        return super().step(x)


class Linear(nnx.Module):
    def __init__(self):
        self.inner, self.size = nnx.Linear(1, 1, rngs=nnx.Rngs(0)), 3

    @jax.jit
    def jitted(self, x):
        return x * self.size * SCALE

    def __call__(self, x):
        return self.inner(x) * self.size


MODEL, LINEAR = Model(), Linear()


def scaled(x):
    return x * SCALE


def put(x):
    NAMES.rate = x


def captured(a, b):
    def f(x):
        def inner(y):
            return y * a + b[0]

        return jax.lax.scan(lambda c, _: (inner(c), None), x, None, length=2)

    return f


def names(f):
    return [(each.kind, each.name) for each in find_hidden_reads(f)]


CASES = [
    (scaled, [("global", "SCALE")]),
    (jax.jit(scaled), [("global", "SCALE")]),
    (jax.jit(jax.value_and_grad(jax.vmap(scaled))), [("global", "SCALE")]),
    (nnx.jit(scaled), [("global", "SCALE")]),
    (partial(scaled), [("global", "SCALE")]),
    (lambda x: jax.jit(scaled)(x), [("global", "SCALE")]),
    (lambda x: x @ PARAMS["w"], [("global", "PARAMS")]),
    (lambda x: x * NAMES.rate, [("attribute", "NAMES.rate")]),
    (lambda x: LIMITS.act(x) + LIMITS.low, [("attribute", "LIMITS.low")]),
    (lambda x: x * Config.rate, [("attribute", "Config.rate")]),
    (lambda x: [x * SCALE for _ in range(3)], [("global", "SCALE")]),
    (lambda x: (lambda y: y * SCALE)(x), [("global", "SCALE")]),
    (captured(1, [2]), [("closure", "a"), ("closure", "b")]),
    (lambda x, table=[1], n=3: table * x, [("default", "table")]),
    (partial(lambda table, x: table * x, [1]), [("default", "table")]),
    (Model(), [("attribute", "self.config.rate"), ("attribute", "self.rate")]),
    (Model().step, [("attribute", "self.config.rate")]),
    (jax.jit(Model().step), [("attribute", "self.config.rate")]),
    (
        Model().more,
        [("attribute", "self.weights"), ("global", "SCALE"), ("attribute", "self.bias")],
    ),
    (Model().add, [("attribute", "self.rate")]),
    (Model().static, [("attribute", "self.rate")]),
    (lambda x: MODEL(x), [("attribute", "MODEL.config.rate"), ("attribute", "MODEL.rate")]),
    (lambda x: MODEL.static(x), [("attribute", "MODEL.rate")]),
    (lambda x: LINEAR(x), [("attribute", "LINEAR.inner"), ("attribute", "LINEAR.size")]),
    (LINEAR.jitted, [("global", "SCALE")]),
    (lambda x: HISTORY.append(x), []),
    (put, []),
    (Special().step, []),
    (lambda x: jnp.sin(x) * jnp.pi * np.float32(2), []),
    (lambda x, n=3: x * n, []),
    (Model.step, []),
    (len, []),
    (jnp.sin, []),
]


@pytest.mark.parametrize(("f", "expected"), CASES)
def test_a_read_is_named_as_the_reader_writes_it(f, expected):
    assert names(f) == expected


def test_a_read_tells_its_value_and_its_first_line():
    (read,) = find_hidden_reads(lambda x: scaled(x) + SCALE)
    assert (read.value, read.place.source) == ("2.0", "return x * SCALE")


STAYING = [1, "a", (1, 2.0), jnp.ones(2), None]
CHANGING = [[1], ([1],), np.ones(2), Config()]


@pytest.mark.parametrize(
    ("value", "mutable"),
    [*((each, False) for each in STAYING), *((each, True) for each in CHANGING)],
)
def test_a_value_that_can_change_in_place_is_told_from_one_that_cannot(value, mutable):
    (read,) = find_hidden_reads(lambda x: (x, value))
    assert (read.mutable, read.thing is value) == (mutable, True)


def test_two_lists_of_reads_tell_what_changed():
    config = Config()
    f = jax.jit(lambda x: x * config.rate)
    before = find_hidden_reads(f)
    config.rate = 0.2
    assert [each.value for each in find_hidden_reads(f) if each not in before] == ["0.2"]


def test_nothing_is_run():
    def f(x):
        raise AssertionError(SCALE)

    assert names(f) == [("global", "SCALE")]


def test_a_function_that_calls_itself_is_read_once():
    def f(x):
        return f(x * SCALE)

    assert names(f) == [("global", "SCALE")]


def test_a_name_that_has_no_value_yet_is_left_out():
    def f(x):
        return x * later * NOWHERE  # noqa: F821  # what is tested

    assert names(f) == []
    later = 1
    assert names(f) == [("closure", "later")] if later else None


def test_kinds_are_those_that_occur():
    assert {kind for _, expected in CASES for kind, _ in expected} == {
        "global",
        "closure",
        "attribute",
        "default",
    }
