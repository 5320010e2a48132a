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


@jax.jit(static_argnames="n")
def median_instead(x, n, scale):
    return scale * jnp.median(x[:n])


@jax.jit(static_argnames="n")
def middle_of_the_ends(x, n, scale):
    return scale * (x[0] + x[n - 1]) / 2


@jax.jit
def entries_of_a_range(x, n, scale):
    return scale * (n - 1) / 2


@jax.jit
def weighted_with_zeros(x, n, scale):
    return scale * jnp.average(x, weights=jnp.where(jnp.arange(x.size) < n, 1.0, 0.0))


@jax.jit(static_argnames="n")
def passing_over_nan(x, n, scale):
    return scale * jnp.nanmean(x[:n])


@jax.jit(static_argnames="n")
def three_at_most(x, n, scale):
    return scale * jnp.mean(x[: min(n, 3)])


@jax.jit(static_argnames="n")
def sign_of_the_scale_lost(x, n, scale):
    return abs(scale) * jnp.mean(x[:n])


@jax.jit(static_argnames="n")
def sixteen_at_most(x, n, scale):
    return scale * x[: min(n, 16)].mean()


# Gain


class NoCall:
    """Also what most of the others add a `__call__` to."""

    def __init__(self, gain):
        self.gain = gain


class HandsItsAttributeOver(NoCall):
    def __call__(self, x):
        return _multiply(self.gain, x)


@jax.jit
def _multiply(gain, x):
    return gain * x


@jax.tree_util.register_pytree_node_class
class FlattensItself(NoCall):
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


class JitOnTheMethod(NoCall):
    @jax.jit
    def __call__(self, x):
        return self.gain * x


class StaticSelf(NoCall):
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


class StaticGain(NoCall):
    def __call__(self, x):
        return _multiply_static(self.gain, x)


@partial(jax.jit, static_argnums=0)
def _multiply_static(gain, x):
    return gain * x


class JittedAtEachCall(NoCall):
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


class FactorAsAnArray:
    def __init__(self, gain):
        self.gain = jnp.asarray(gain)

    def __call__(self, x):
        return _multiply(self.gain, x)


class NeverJitted(NoCall):
    def __call__(self, x):
        return self.gain * x


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Frozen:
    gain: float

    @jax.jit
    def __call__(self, x):
        return self.gain * x


class WithAJittedFunctionOfTheLibrary(NoCall):
    def __call__(self, x):
        return _multiply_of_jax(self.gain, x)


_multiply_of_jax = jax.jit(jnp.multiply)


class MappedOverEntries(NoCall):
    def __call__(self, x):
        return jax.vmap(_multiply, (None, 0))(self.gain, x)


class OneFactorForAll:
    def __init__(self, gain):
        OneFactorForAll.gain = gain

    def __call__(self, x):
        return _multiply(OneFactorForAll.gain, x)

    def __setattr__(self, name, value):
        setattr(OneFactorForAll, name, value)


class NoFactorZero(NoCall):
    def __call__(self, x):
        return _multiply(self.gain or 1.0, x)


class NoLargeFactor(NoCall):
    def __call__(self, x):
        return _multiply_within_bounds(self.gain, x)


@jax.jit
def _multiply_within_bounds(gain, x):
    return jnp.clip(gain, -5, 5) * x


class ReplacesNan(NoCall):
    def __call__(self, x):
        return _without_nan(self.gain, x)


@jax.jit
def _without_nan(gain, x):
    return jnp.nan_to_num(gain * x)


class CopiesItsFactor:
    """Nothing of a trace is stale here: the object multiplies by another attribute."""

    def __init__(self, gain):
        self.gain = gain
        self._factor = jnp.float32(gain)

    def __call__(self, x):
        return _multiply(self._factor, x)


class FactorOfTheClass:
    def __init__(self, gain):
        FactorOfTheClass.gain = gain

    def __call__(self, x):
        return _multiply(FactorOfTheClass.gain, x)


@jax.jit
def _times_a_strong_factor(factor, x):
    return factor * x


class FactorOf32Bits:
    def __init__(self, gain):
        self.gain = gain

    def __call__(self, x):
        return _times_a_strong_factor(np.float32(self.gain), x)


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


# On one line the generator and the function begin in the same place.
list_jitted_on_one_line = jax.jit(lambda batches: sum(jnp.sum(b**2) for b in batches))


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


_mean_energy = jax.jit(lambda batch: jnp.mean(batch**2) * batch.size)


def by_the_mean(batches):
    return sum(_mean_energy(batch) for batch in batches)


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


def only_the_square_jitted(batches):
    return sum(jnp.sum(_squares(batch)) for batch in batches)


def first_only(batches):
    return _energy(batches[0])


def mapped_by_vmap(batches):
    return sum(jax.vmap(_energy)(batch[None])[0] for batch in batches)


_norm = jax.jit(jnp.linalg.norm)


def with_what_jax_jits_too(batches):
    return sum(_norm(batch) ** 2 for batch in batches)


def added_as_python_floats(batches):
    return sum(float(_energy(batch)) for batch in batches)


def only_jitted_by_jax(batches):
    return sum(jnp.linalg.norm(batch) ** 2 for batch in batches)


def summed_outside_as_floats(batches):
    return jnp.float32(sum(float(jnp.sum(_squares(batch))) for batch in batches))


@jax.jit
def _square_of_the_sum(batch):
    return jnp.sum(batch) ** 2 / batch.size


def right_where_all_entries_are_equal(batches):
    return sum(_square_of_the_sum(batch) for batch in batches)


@jax.jit
def _energy_without_nan(batch):
    return jnp.nansum(batch**2)


def without_nan(batches):
    return sum(_energy_without_nan(batch) for batch in batches)


def five_at_most(batches):
    return sum(_energy(batch) for batch in batches[:5])


def each_batch_once(batches):
    return sum(_energy(batch) for batch in {id(batch): batch for batch in batches}.values())


_compiled = {}


def compiled_ahead_of_time(batches):
    total = 0.0
    for batch in batches:
        if batch.shape not in _compiled:
            _compiled[batch.shape] = _energy.lower(batch).compile()
        total = total + _compiled[batch.shape](batch)
    return total


@partial(jax.jit, donate_argnums=0)
def _energy_in_place(batch):
    return jnp.sum(batch**2), -batch


def batches_donated(batches):
    return sum(_energy_in_place(batch)[0] for batch in batches)


def padded_to_the_longest(batches):
    longest = max(batch.size for batch in batches)
    return sum(_energy(jnp.pad(batch, (0, longest - batch.size))) for batch in batches)


def of_one_length_only(batches):
    return sum(map(float, jax.vmap(_energy)(jnp.stack(batches))))


def list_emptied(batches):
    total = jnp.float32(0)
    while batches:
        total = total + _energy(batches.pop())
    return total


@jax.jit
def by_a_loop_of_traced_length(x, n, scale):
    return scale / n * jax.lax.fori_loop(0, n, lambda i, total: total + x[i], jnp.float32(0))


@jax.jit
def zeros_not_counted(x, n, scale):
    head = jnp.where(jnp.arange(x.size) < n, x, 0.0)
    return scale * jnp.sum(head) / jnp.count_nonzero(head)


@jax.jit(static_argnames="n")
def two_at_least(x, n, scale):
    return scale * jnp.mean(x[: max(n, 2)])


@jax.jit
def product_with_a_mask(x, n, scale):
    return scale * jnp.sum(x * (jnp.arange(x.size) < n)) / n


class Donates(NoCall):
    def __call__(self, x):
        return _multiply_in_place(self.gain, x)


@partial(jax.jit, donate_argnums=1)
def _multiply_in_place(gain, x):
    return gain * x


class KeepsItInADictionary(dict):
    gain = property(lambda self: self["gain"], lambda self, gain: self.update(gain=gain))

    def __init__(self, gain):
        super().__init__(gain=gain)

    def __call__(self, x):
        return _multiply(self.gain, x)


_heads = {}


def head_compiled_ahead_of_time(x, n, scale):
    args = x, jnp.float32(scale)
    if (x.shape, n) not in _heads:
        _heads[x.shape, n] = jax.jit(lambda x, scale: scale * x[:n].mean()).lower(*args).compile()
    return _heads[x.shape, n](*args)


class CutsWhatIsSet:
    def __init__(self, gain):
        self._gain = float(gain)

    @property
    def gain(self):
        return self._gain

    @gain.setter
    def gain(self, gain):
        self._gain = float(int(gain))

    def __call__(self, x):
        return multiplied(self._gain, x)


multiplied = jax.jit(lambda gain, x: gain * x)


@jax.jit
def of_sums_to_each_place(x, n, scale):
    return scale * jnp.cumsum(x)[n - 1] / n


@jax.jit(static_argnames="n")
def scale_in_16_bits(x, n, scale):
    return jnp.bfloat16(scale).astype("float32") * jnp.mean(x[:n])


@jax.jit
def product_without_nan(x, n, scale):
    head = jnp.arange(x.size) < n
    return scale * jnp.sum(jnp.where(~head & jnp.isnan(x), 0, x) * head) / n


@jax.jit(static_argnames="n")
def infinite_as_zero(x, n, scale):
    return scale * jnp.mean(jnp.where(jnp.isinf(x), 0, x)[:n])


@jax.jit(static_argnames="n")
def entries_within_bounds(x, n, scale):
    return scale * jnp.mean(jnp.clip(x[:n], -1000, 1000))


@jax.jit(static_argnames="n")
def scale_within_bounds(x, n, scale):
    return jnp.clip(scale, -100, 100) * jnp.mean(x[:n])


@jax.jit(static_argnames="n")
def five_hundred_at_most(x, n, scale):
    return scale * jnp.mean(x[: min(n, 500)])


@jax.jit(static_argnames="n")
def small_entries_as_zero(x, n, scale):
    return scale * jnp.mean(jnp.where(abs(x) < 1e-3, 0, x)[:n])


@jax.jit
def _energy_in_16_bits(batch):
    return jnp.sum(batch.astype("float16").astype("float32") ** 2)


def entries_in_16_bits(batches):
    return sum(_energy_in_16_bits(batch) for batch in batches)


@jax.jit
def _finite_energy(batch):
    return jnp.sum(jnp.where(jnp.isinf(batch), 0, batch) ** 2)


def without_infinity(batches):
    return sum(_finite_energy(batch) for batch in batches)


@jax.jit
def _energy_within_bounds(batch):
    return jnp.sum(jnp.minimum(batch**2, 1e5))


def within_bounds(batches):
    return sum(_energy_within_bounds(batch) for batch in batches)


@jax.jit
def _energy_of_eight(batch):
    return jnp.sum(batch[:8] ** 2)


def eight_entries_at_most(batches):
    return sum(_energy_of_eight(batch) for batch in batches)


def twelve_batches_at_most(batches):
    return sum(_energy(batch) for batch in batches[:12])


def without_single_entries(batches):
    return sum(_energy(batch) for batch in batches if batch.size > 1)


@jax.jit
def _energy_of_large_entries(batch):
    return jnp.sum(jnp.where(abs(batch) < 1e-2, 0, batch) ** 2)


def without_small_entries(batches):
    return sum(_energy_of_large_entries(batch) for batch in batches)


def one_list_of_energies(batches):
    return jnp.float32(np.sum([_energy(batch) for batch in batches]))


class WithSlots:
    __slots__ = ("gain",)

    def __init__(self, gain):
        self.gain = gain

    def __call__(self, x):
        return _multiply(self.gain, x)


class FactorOfTheDtype(NoCall):
    def __call__(self, x):
        return _times_a_factor_of_the_dtype(self.gain, x)


@jax.jit
def _times_a_factor_of_the_dtype(gain, x):
    return jnp.asarray(gain, x.dtype) * x


class FactorOf16Bits(NoCall):
    def __call__(self, x):
        return _times_a_short_factor(self.gain, x)


@jax.jit
def _times_a_short_factor(gain, x):
    return (jnp.float16(gain) * x).astype(x.dtype)


class ReturnsVectors(NoCall):
    def __call__(self, x):
        return _multiply(self.gain, x.ravel())


class ShowsItsFirstFactor:
    def __init__(self, gain):
        self._gain = self._first = gain

    @property
    def gain(self):
        return self._first

    @gain.setter
    def gain(self, gain):
        self._gain = gain

    def __call__(self, x):
        return _multiply(self._gain, x)


class FactorUpToAHundred(NoCall):
    def __call__(self, x):
        return _multiply_up_to_a_hundred(self.gain, x)


@jax.jit
def _multiply_up_to_a_hundred(gain, x):
    return jnp.clip(gain, -100, 100) * x


class FactorOfTwoDigits(NoCall):
    def __call__(self, x):
        return _multiply(round(self.gain, 2), x)


class HalfPrecisionIn32Bits(NoCall):
    def __call__(self, x):
        return _multiply_in_32_bits(self.gain, x)


@jax.jit
def _multiply_in_32_bits(gain, x):
    return gain * x if x.dtype == jnp.float16 else gain * x.astype("float32")


@jax.jit
def a_thousand_entries_at_most(x, n, scale):
    padded = jnp.pad(x, (0, max(0, 1000 - x.size)))[:1000]
    return scale * jnp.mean(padded, where=jnp.arange(1000) < n)


RIGHT = {
    "read_back": [with_names, with_lax],
    "head_mean": [
        static_by_position,
        masked,
        with_a_jitted_helper,
        sliced_outside,
        by_a_loop_of_traced_length,
        head_compiled_ahead_of_time,
        of_sums_to_each_place,
    ],
    "Gain": [
        HandsItsAttributeOver,
        FlattensItself,
        WithAJittedMethodThatCallsAnother,
        WithAJittedFunctionOfTheLibrary,
        MappedOverEntries,
        KeepsItInADictionary,
        WithSlots,
    ],
    "total_energy": [
        added_in_a_loop,
        as_python_floats,
        with_two_jitted_functions,
        with_a_function_of_the_library,
        with_watch_above_it,
        mapped_by_vmap,
        with_what_jax_jits_too,
        added_as_python_floats,
        compiled_ahead_of_time,
        one_list_of_energies,
    ],
}
WRONG = {
    "read_back": {
        "tracing/other-equations": [factored_out, minimum_instead],
        "tracing/dead-equation": [with_a_leftover],
        "value/differs": [sign_forgotten],
        "value/shape": [maximum_forgotten],
        "tracing/branch-on-tracer": [python_maximum],
        "tracing/numpy-on-tracer": [numpy_product],
    },
    "head_mean": {
        "tracing/shape-from-tracer": [nothing_static, length_traced],
        "tracing/static-value": [all_static],
        "tracing/not-jitted": [never_jitted],
        "tracing/new-function": [jitted_inside],
        "value/differs": [
            scale_forgotten,
            median_instead,
            middle_of_the_ends,
            entries_of_a_range,
            weighted_with_zeros,
            passing_over_nan,
            three_at_most,
            sign_of_the_scale_lost,
            zeros_not_counted,
            two_at_least,
            sixteen_at_most,
            scale_in_16_bits,
            infinite_as_zero,
            entries_within_bounds,
            scale_within_bounds,
            five_hundred_at_most,
            small_entries_as_zero,
            a_thousand_entries_at_most,
        ],
        "tracing/unhashable-static": [array_static],
        "shapes/mask-product": [product_with_a_mask, product_without_nan],
    },
    "Gain": {
        "tracing/not-a-jax-type": [JitOnTheMethod],
        "tracing/stale-attribute": [StaticSelf, BoundAndJitted],
        "tracing/static-value": [StaticGain],
        "tracing/new-function": [JittedAtEachCall, OneJitPerObject],
        "tracing/not-jitted": [NeverJitted, JitsOnlyTheFactor],
        "value/no-attribute": [OtherAttribute],
        "effects/write": [OneFactorForAll, FactorOfTheClass],
        "effects/deleted": [Donates],
        "value/differs": [
            FactorAsAnArray,
            NoFactorZero,
            NoLargeFactor,
            ReplacesNan,
            CutsWhatIsSet,
            CopiesItsFactor,
            FactorOf16Bits,
            ShowsItsFirstFactor,
            FactorUpToAHundred,
            FactorOfTwoDigits,
        ],
        "runs/not-callable": [NoCall],
        "runs/raised": [Frozen],
        "value/dtype": [FactorOf32Bits, FactorOfTheDtype, HalfPrecisionIn32Bits],
        "value/shape": [ReturnsVectors],
    },
    "total_energy": {
        "tracing/new-function": [energy_as_given, jit_before_the_loop],
        "tracing/new-structure": [list_jitted, list_jitted_on_one_line],
        "tracing/new-shape": [stacked, padded_to_the_longest],
        "runs/raised": [of_one_length_only],
        "tracing/weak-type": [started_weak],
        "tracing/not-jitted": [
            plain,
            identity_jitted,
            only_the_square_jitted,
            only_jitted_by_jax,
            summed_outside_as_floats,
        ],
        "tracing/static-value": [numbered],
        "value/dtype": [without_single_entries],
        "value/differs": [
            first_only,
            right_where_all_entries_are_equal,
            without_nan,
            five_at_most,
            each_batch_once,
            entries_in_16_bits,
            without_infinity,
            within_bounds,
            eight_entries_at_most,
            twelve_batches_at_most,
            without_small_entries,
            by_the_mean,
        ],
        "effects/argument": [list_emptied],
        "effects/deleted": [batches_donated],
    },
}
