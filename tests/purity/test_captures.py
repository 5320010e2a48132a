"""The arrays that a trace holds in itself."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from traced.purity.captures import find_captured_arrays

TABLE, ROWS, WEIGHTS = jnp.arange(6.0), np.ones((4, 2), "float32"), {"w": jnp.ones((3, 3))}
inner = jax.jit(lambda x: x + TABLE)


def found(f, *args):
    return [(each.name, each.type, each.bytes) for each in find_captured_arrays(f, *args)]


@pytest.mark.parametrize(
    ("f", "captured"),
    [
        (lambda x: 2 * x, []),
        (lambda x: x + jnp.zeros(6), []),
        (lambda x: x + TABLE, [("TABLE", "f32[6]", 24)]),
        (jax.jit(lambda x: x + TABLE), [("TABLE", "f32[6]", 24)]),
        (lambda x: 1 + inner(x), [("TABLE", "f32[6]", 24)]),
        (lambda x: jax.lax.fori_loop(0, 3, lambda i, c: c + TABLE, x), [("TABLE", "f32[6]", 24)]),
        (lambda x: x.sum() * ROWS, [("ROWS", "f32[4,2]", 32)]),
        (partial(lambda table, x: x + table, TABLE), [("", "f32[6]", 24)]),
        (
            lambda x: (x + TABLE, x.sum() * WEIGHTS["w"], x - TABLE),
            [("WEIGHTS['w']", "f32[3,3]", 36), ("TABLE", "f32[6]", 24)],
        ),
        (lambda x: x + np.arange(6, dtype="float32"), [("", "f32[6]", 24)]),
    ],
)
def test_each_array_is_found_once_with_its_name(f, captured):
    assert found(f, jnp.ones(6)) == captured


def test_the_place_is_where_it_is_read():
    (each,) = find_captured_arrays(lambda x: 1 + inner(x), jnp.ones(6))
    assert each.place.source == "inner = jax.jit(lambda x: x + TABLE)"


def test_the_arrays_of_a_method_are_found():
    class Scale:
        def __init__(self):
            self.table = jnp.arange(6.0)

        def __call__(self, x):
            return x * self.table

    assert found(Scale(), jnp.ones(6)) == [("self.table", "f32[6]", 24)]


class Gain:
    def __init__(self):
        self.table = jnp.arange(6.0)

    def scaled(self, x):
        return x * self.table

    @partial(jax.jit, static_argnums=0)
    def jitted(self, x):
        return x * self.table

    @classmethod
    def shifted(cls, x):
        return x + TABLE


@pytest.mark.parametrize(
    ("method", "name"),
    [(Gain().scaled, "self.table"), (Gain().jitted, "self.table"), (Gain.shifted, "TABLE")],
)
def test_the_arrays_of_a_bound_method_are_found_though_its_object_is_no_pytree(method, name):
    assert found(method, jnp.ones(6)) == [(name, "f32[6]", 24)]
