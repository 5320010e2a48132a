"""Right and wrong answers to the exercises of 02_tracing."""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from traced import watch

# read_back


def with_names(x, y):
    product = x * y
    difference = product - x
    largest = difference.max()
    return -largest


def with_lax(x, y):
    return jax.lax.neg(jnp.max(jax.lax.sub(jax.lax.mul(x, y), x)))


def factored_out(x, y):
    return -jnp.max(x * (y - 1))


def minimum_instead(x, y):
    return jnp.min(x - x * y)


def with_a_leftover(x, y):
    total = jnp.sum(x)
    print("sum", total)
    return -jnp.max(x * y - x)


def sign_forgotten(x, y):
    return jnp.max(x * y - x)


def maximum_forgotten(x, y):
    return -(x * y - x)


def python_maximum(x, y):
    return -max(x * y - x)


def numpy_product(x, y):
    return -jnp.max(np.multiply(np.asarray(x), np.asarray(y)) - x)


# head_mean


@partial(jax.jit, static_argnums=1)
def static_by_position(x, n, scale):
    return scale * x[:n].mean()


@jax.jit
def masked(x, n, scale):
    return scale * jnp.where(jnp.arange(x.size) < n, x, 0).sum() / n


@jax.jit
def nothing_static(x, n, scale):
    return scale * jnp.mean(x[:n])


@jax.jit
def length_traced(x, n, scale):
    return scale * jnp.mean(x * (jnp.zeros(n).size > 0))


@jax.jit(static_argnames=("n", "scale"))
def all_static(x, n, scale):
    return scale * jnp.mean(x[:n])


@jax.jit(static_argnames="n")
def with_a_jitted_helper(x, n, scale):
    return scale * _mean(x[:n])


_mean = jax.jit(lambda x: x.mean())


def sliced_outside(x, n, scale):
    return _scaled_mean(x[:n], scale)


@jax.jit
def _scaled_mean(x, scale):
    return scale * jnp.mean(x)


def never_jitted(x, n, scale):
    return scale * jnp.mean(x[:n])


def jitted_inside(x, n, scale):
    return jax.jit(lambda head: scale * jnp.mean(head))(x[:n])


@jax.jit(static_argnames="n")
def scale_forgotten(x, n, scale):
    return jnp.mean(x[:n])


@jax.jit(static_argnames="x")
def array_static(x, n, scale):
    return scale * jnp.mean(x[:n])


# Gain


class HandsItsAttributeOver:
    def __init__(self, gain):
        self.gain = gain

    def __call__(self, x):
        return _multiply(self.gain, x)


@jax.jit
def _multiply(gain, x):
    return gain * x


@jax.tree_util.register_pytree_node_class
class FlattensItself:
    def __init__(self, gain):
        self.gain = gain

    @jax.jit
    def __call__(self, x):
        return self.gain * x

    def tree_flatten(self):
        return (self.gain,), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls(*leaves)


class WithAJittedMethodThatCallsAnother(FlattensItself):
    @jax.jit
    def __call__(self, x):
        return _multiply(self.gain, x)


jax.tree_util.register_pytree_node_class(WithAJittedMethodThatCallsAnother)


class JitOnTheMethod:
    def __init__(self, gain):
        self.gain = gain

    @jax.jit
    def __call__(self, x):
        return self.gain * x


class StaticSelf:
    def __init__(self, gain):
        self.gain = gain

    @partial(jax.jit, static_argnums=0)
    def __call__(self, x):
        return self.gain * x


class BoundAndJitted:
    def __init__(self, gain):
        self.gain = gain
        self.run = jax.jit(self.multiply)

    def multiply(self, x):
        return self.gain * x

    def __call__(self, x):
        return self.run(x)


class StaticGain:
    def __init__(self, gain):
        self.gain = gain

    def __call__(self, x):
        return _multiply_static(self.gain, x)


@partial(jax.jit, static_argnums=0)
def _multiply_static(gain, x):
    return gain * x


class JittedAtEachCall:
    def __init__(self, gain):
        self.gain = gain

    def __call__(self, x):
        return jax.jit(lambda v: self.gain * v)(x)


class OneJitPerObject:
    def __init__(self, gain):
        self.gain = gain
        self.run = jax.jit(lambda gain, x: gain * x)

    def __call__(self, x):
        return self.run(self.gain, x)


class JitsOnlyTheFactor(HandsItsAttributeOver):
    def __call__(self, x):
        return _identity(self.gain) * x


class OtherAttribute:
    def __init__(self, gain):
        self.factor = gain

    def __call__(self, x):
        return _multiply(self.factor, x)


class NoCall:
    def __init__(self, gain):
        self.gain = gain


class NeverJitted:
    def __init__(self, gain):
        self.gain = gain

    def __call__(self, x):
        return self.gain * x


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Frozen:
    gain: float

    @jax.jit
    def __call__(self, x):
        return self.gain * x


# total_energy


@jax.jit
def _energy(batch):
    return jnp.vdot(batch, batch)


def added_in_a_loop(batches):
    total = jnp.float32(0)
    for batch in batches:
        total = total + _energy(batch)
    return total


_sum_of_squares = jax.jit(lambda batch: (batch**2).sum())


def as_python_floats(batches):
    return jnp.float32(sum(float(_sum_of_squares(batch)) for batch in batches))


@jax.jit
def _squares(batch):
    return batch**2


@jax.jit
def _energy_of_squares(batch):
    return jnp.sum(_squares(batch))


def with_two_jitted_functions(batches):
    return sum(_energy_of_squares(batch) for batch in batches)


_dot = jax.jit(jnp.vdot)


def with_a_function_of_the_library(batches):
    return sum(_dot(batch, batch) for batch in batches)


_noted = watch(_energy)


def with_watch_above_it(batches):
    return sum(_noted(batch) for batch in batches)


def energy_as_given(batches):
    total = 0.0
    for batch in batches:
        energy = jax.jit(lambda b: jnp.sum(b**2))
        total = total + energy(batch)
    return total


def jit_before_the_loop(batches):
    energy = jax.jit(lambda b: jnp.sum(b**2))
    return sum(energy(batch) for batch in batches)


@jax.jit
def list_jitted(batches):
    return sum(jnp.sum(b**2) for b in batches)


@jax.jit
def _stacked(batches):
    return jnp.sum(batches**2)


def stacked(batches):
    return _stacked(jnp.stack(batches))


@jax.jit
def _add(total, batch):
    return total + jnp.sum(batch**2)


def started_weak(batches):
    total = 0.0
    for batch in batches:
        total = _add(total, batch)
    return total


def plain(batches):
    return sum(jnp.sum(batch**2) for batch in batches)


@partial(jax.jit, static_argnames="i")
def _numbered(batch, i):
    return jnp.sum(batch**2)


def numbered(batches):
    return sum(_numbered(batch, i=i) for i, batch in enumerate(batches))


def identity_jitted(batches):
    return _identity(sum(jnp.sum(batch**2) for batch in batches))


@jax.jit
def _identity(x):
    return x


@jax.jit
def _batch_squared(batch):
    return batch**2


def only_the_square_jitted(batches):
    return sum(jnp.sum(_batch_squared(batch)) for batch in batches)


def first_only(batches):
    return _energy(batches[0])


def stub(*args):
    raise NotImplementedError


class StubClass:
    def __init__(self, gain):
        raise NotImplementedError


STUBS = {"read_back": stub, "head_mean": stub, "Gain": StubClass, "total_energy": stub}
RIGHT = {
    "read_back": [with_names, with_lax],
    "head_mean": [static_by_position, masked, with_a_jitted_helper, sliced_outside],
    "Gain": [HandsItsAttributeOver, FlattensItself, WithAJittedMethodThatCallsAnother],
    "total_energy": [
        added_in_a_loop,
        as_python_floats,
        with_two_jitted_functions,
        with_a_function_of_the_library,
        with_watch_above_it,
    ],
}
WRONG = {
    "read_back": [
        ("tracing/other-equations", factored_out),
        ("tracing/other-equations", minimum_instead),
        ("tracing/dead-equation", with_a_leftover),
        ("value/differs", sign_forgotten),
        ("value/shape", maximum_forgotten),
        ("tracing/branch-on-tracer", python_maximum),
        ("tracing/numpy-on-tracer", numpy_product),
    ],
    "head_mean": [
        ("tracing/shape-from-tracer", nothing_static),
        ("tracing/shape-from-tracer", length_traced),
        ("tracing/static-value", all_static),
        ("tracing/not-jitted", never_jitted),
        ("tracing/new-function", jitted_inside),
        ("value/differs", scale_forgotten),
        ("tracing/unhashable-static", array_static),
    ],
    "Gain": [
        ("tracing/not-a-jax-type", JitOnTheMethod),
        ("tracing/stale-attribute", StaticSelf),
        ("tracing/stale-attribute", BoundAndJitted),
        ("tracing/static-value", StaticGain),
        ("tracing/new-function", JittedAtEachCall),
        ("tracing/new-function", OneJitPerObject),
        ("tracing/not-jitted", NeverJitted),
        ("tracing/not-jitted", JitsOnlyTheFactor),
        ("value/no-attribute", OtherAttribute),
        ("runs/not-callable", NoCall),
        ("runs/raised", Frozen),
    ],
    "total_energy": [
        ("tracing/new-function", energy_as_given),
        ("tracing/new-function", jit_before_the_loop),
        ("tracing/new-structure", list_jitted),
        ("tracing/new-shape", stacked),
        ("tracing/weak-type", started_weak),
        ("tracing/not-jitted", plain),
        ("tracing/not-jitted", identity_jitted),
        ("tracing/not-jitted", only_the_square_jitted),
        ("tracing/static-value", numbered),
        ("value/differs", first_only),
    ],
}
