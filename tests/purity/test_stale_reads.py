"""Whether a trace that JAX keeps is out of date, and through what."""

import types
from functools import partial

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from traced.purity.stale_reads import find_stale_reads, retraced

BOX = types.SimpleNamespace()


def stale(change, body, values):
    vars(BOX).update(values)
    f = jax.jit(lambda x: body(x))
    f(1.0)
    vars(BOX).update(change)
    found = find_stale_reads(f, 1.0)
    return [(e.before, e.now, [each.name for each in e.suspects]) for e in found]


def affine(x):
    return x * BOX.scale + BOX.other


def doubled(x):
    return x * (BOX.scale * 2) + BOX.other


def weighted(x):
    return x * BOX.w


def noisy(x):
    return x * jax.random.normal(BOX.key)


def branch(x):
    return jnp.sin(x) if BOX.flag else x


def loop(x):
    for _ in range(BOX.n):
        x = -x
    return x


def scan(x):
    return jax.lax.scan(lambda c, _: (-c, None), x, None, length=BOX.n)[0]


SCALE = {"scale": 2.0, "other": 5.0}
ALL = ["BOX.scale", "BOX.other"]
KEYS = [jax.random.key(seed) for seed in (0, 0, 1)]
NOTHING = "nothing, of 0 equations"
CASES = [
    ({"scale": 3.0}, affine, SCALE, [("2.0", "3.0", ["BOX.scale"])]),
    ({"scale": 3}, affine, SCALE, [("2.0", "3.0", ["BOX.scale"])]),
    ({"scale": 5.0}, affine, SCALE, [("2.0", "5.0", ALL)]),
    ({"scale": 3.0}, doubled, SCALE, [("4.0", "6.0", ALL)]),
    ({"scale": 2.0}, affine, SCALE, []),
    ({"w": jnp.zeros(2)}, weighted, {"w": jnp.ones(2)}, [("[1., 1.]", "[0., 0.]", ["BOX.w"])]),
    ({"w": jnp.ones(2)}, weighted, {"w": jnp.ones(2)}, []),
    (
        {"key": KEYS[2]},
        noisy,
        {"key": KEYS[0]},
        [("0 at [1] of key<fry>[]", "1 at [1] of key<fry>[]", ["BOX.key"])],
    ),
    ({"key": KEYS[1]}, noisy, {"key": KEYS[0]}, []),
    ({"flag": True}, branch, {"flag": False}, [(NOTHING, "sin, of 1 equation", ["BOX.flag"])]),
    ({"n": 1}, loop, {"n": 0}, [(NOTHING, "neg, of 1 equation", ["BOX.n"])]),
    ({"n": 3}, scan, {"n": 2}, [("length=2", "length=3", ["BOX.n"])]),
]


@pytest.mark.parametrize(("change", "body", "values", "expected"), CASES)
def test_what_a_kept_trace_was_made_with_is_compared_with_now(change, body, values, expected):
    assert stale({}, body, values) == []
    assert stale(change, body, values) == expected


def test_a_difference_tells_the_line():
    factors = [2.0]

    def f(x):
        return x * factors[0]

    jitted = jax.jit(f)
    jitted(1.0)
    factors[0] = 3.0
    (found,) = find_stale_reads(jitted, 1.0)
    assert found.place.source == "return x * factors[0]"
    assert found.suspects[0].place == found.place


def test_a_signature_without_a_trace_is_not_stale():
    factors = [2.0]
    f = jax.jit(lambda x: x * factors[0])
    f(1.0)
    factors[0] = 3.0
    assert find_stale_reads(f, jnp.ones(3)) == []
    assert len(find_stale_reads(f, 1.0)) == 1


def test_the_kept_trace_stays():
    factors = [2.0]
    f = jax.jit(lambda x: x * factors[0])
    f(1.0)
    factors[0] = 3.0
    assert find_stale_reads(f, 1.0) == find_stale_reads(f, 1.0)
    assert f(1.0) == 2.0


class Model:
    def __init__(self):
        self.rate = 0.5

    @partial(jax.jit, static_argnums=0)
    def static(self, x):
        return x * self.rate

    def plain(self, x):
        return x * self.rate


@pytest.mark.parametrize("name", ["static", "plain"])
def test_a_method_is_stale_through_its_object(name):
    model = Model()
    f = model.static if name == "static" else jax.jit(model.plain)
    f(1.0)
    model.rate = 0.25
    (found,) = find_stale_reads(f, 1.0)
    assert (found.before, found.now) == ("0.5", "0.25")
    assert [each.name for each in found.suspects] == ["self.rate"]


@pytest.mark.parametrize("f", [len, lambda x: x, nnx.jit(lambda x: x)])
def test_what_is_not_jitted_is_refused(f):
    with pytest.raises(TypeError, match=r"`f` must be jitted by `jax\.jit`, got "):
        find_stale_reads(f, 1.0)


def test_tracing_afresh_reaches_the_functions_inside():
    traced = []
    inner = jax.jit(lambda x: traced.append(x))
    f = jax.jit(lambda x: inner(x))
    f(1.0)
    with retraced():
        f.trace(1.0)
    f(1.0)
    assert len(traced) == 2
