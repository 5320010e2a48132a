"""Right and wrong answers to the exercises of 03_purity."""

from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

# fit


@jax.jit
def _step(w):
    return w - 0.2 * w, jnp.sum(w**2)


def written_into_an_array(w, steps):
    losses = np.zeros(steps, "float32")
    for i in range(steps):
        w, losses[i] = _step(w)
    return jnp.asarray(losses)


@jax.jit
def _with_gradient(w):
    loss, gradient = jax.value_and_grad(lambda w: jnp.sum(w**2))(w)
    return w - 0.1 * gradient, loss


def by_gradient(w, steps):
    losses = []
    while len(losses) < steps:
        w, loss = _with_gradient(w)
        losses.append(float(loss))
    return jnp.array(losses)


def all_weights_first(w, steps):
    all_w = [w]
    for _ in range(steps - 1):
        all_w.append(_step(all_w[-1])[0])
    return jnp.stack([_step(w)[1] for w in all_w])


_counts, _weights = [], {}


@jax.jit
def _counted_step(w):
    _counts.append(1)
    return w - 0.2 * w, jnp.sum(w**2)


def counted_while_tracing(w, steps):
    losses = []
    for _ in range(steps):
        w, loss = _counted_step(w)
        losses.append(loss)
    return jnp.stack(losses)


_shrunk, _loss_of = jax.jit(lambda w: w - 0.2 * w), jax.jit(lambda w: jnp.sum(w**2))


def two_jitted_on_one_line(w, steps):
    weights = accumulate(range(steps - 1), lambda w, _: _shrunk(w), initial=w)
    return jnp.stack([_loss_of(w) for w in weights])


@jax.jit
def _step_of_the_global():
    return _weights["w"] - 0.2 * _weights["w"], jnp.sum(_weights["w"] ** 2)


def weights_in_a_global(w, steps):
    losses = []
    _weights["w"] = w
    for _ in range(steps):
        _weights["w"], loss = _step_of_the_global()
        losses.append(loss)
    return jnp.stack(losses)


@jax.jit
def _logged_step(log, i, w):
    log[i] = jnp.sum(w**2)
    return w - 0.2 * w


def into_a_ref(w, steps):
    log = jax.new_ref(jnp.zeros(256))
    for i in range(steps):
        w = _logged_step(log, i, w)
    return log[...][:steps]


history = []


@jax.jit
def _leaking_step(w):
    history.append(jnp.sum(w**2))
    return w - 0.2 * w


def fit_as_given(w, steps):
    for _ in range(steps):
        w = _leaking_step(w)
    return jnp.stack(history)


def kept_in_the_global(w, steps):
    for _ in range(steps):
        w, loss = _step(w)
        history.append(loss)
    return jnp.stack(history[-steps:])


def global_emptied_first(w, steps):
    history.clear()
    for _ in range(steps):
        w, loss = _step(w)
        history.append(loss)
    return jnp.stack(history)


def _losses(step, w, steps):
    losses = []
    for _ in range(steps):
        w, loss = step(w)
        losses.append(loss)
    return losses


def step_defined_inside(w, steps):
    @jax.jit
    def inner(w):
        return w - 0.2 * w, jnp.sum(w**2)

    return jnp.stack(_losses(inner, w, steps))


def never_jitted(w, steps):
    losses = []
    for _ in range(steps):
        losses.append(jnp.sum(w**2))
        w = w - 0.2 * w
    return jnp.stack(losses)


@partial(jax.jit, static_argnames="steps")
def steps_static(w, steps):
    return never_jitted(w, steps)


@jax.jit
def _float_step(w):
    return w - 0.2 * w, float(jnp.sum(w**2))


def float_inside(w, steps):
    return jnp.stack(_losses(_float_step, w, steps))


def loss_after_the_step(w, steps):
    losses = []
    for _ in range(steps):
        w, _loss = _step(w)
        losses.append(_step(w)[1])
    return jnp.stack(losses)


def a_list_of_losses(w, steps):
    return _losses(_step, w, steps)


def last_loss_only(w, steps):
    return _losses(_step, w, steps)[-1]


@jax.jit
def _appending_step(w, losses):
    losses.append(jnp.sum(w**2))
    return w - 0.2 * w


def list_passed_in(w, steps):
    losses = []
    for _ in range(steps):
        w = _appending_step(w, losses)
    return jnp.stack(losses)


def list_passed_in_and_made_an_array(w, steps):
    losses = []
    for _ in range(steps):
        w = _appending_step(w, losses)
    return jnp.array(losses)


@jax.jit
def _lengthening_step(w, losses):
    return w - 0.2 * w, [*losses, jnp.sum(w**2)]


def list_carried_along(w, steps):
    losses = []
    for _ in range(steps):
        w, losses = _lengthening_step(w, losses)
    return jnp.stack(losses)


def printed_on_the_way(w, steps):
    print("fitting")
    return by_gradient(w, steps)


def _scanned_step(w, _):
    return _step(w)


def scan_around_the_step(w, steps):
    return jax.lax.scan(_scanned_step, w, length=steps)[1]


_losses_so_far, _last_loss = jax.new_ref(jnp.zeros(256)), jax.new_ref(jnp.float32(0))


def into_a_ref_of_the_module(w, steps):
    for i in range(steps):
        w = _logged_step(_losses_so_far, i, w)
    return _losses_so_far[...][:steps]


@jax.jit
def _step_that_writes(w):
    _last_loss[...] = jnp.sum(w**2)
    return w - 0.2 * w


def into_the_array_it_was_given(w, steps):
    losses = []
    for _ in range(steps):
        following, loss = _step(w)
        if isinstance(w, np.ndarray):
            w[...] = following
        else:
            w = following
        losses.append(loss)
    return jnp.array(losses)


def handed_over_in_a_ref(w, steps):
    losses = []
    for _ in range(steps):
        w = _step_that_writes(w)
        losses.append(_last_loss[...])
    return jnp.stack(losses)


_loss = jax.jit(lambda w: jnp.sum(w**2))


def weights_outside_and_floats(w, steps):
    losses = []
    for _ in range(steps):
        losses.append(float(_loss(w)))
        w = w - 0.2 * w
    return jnp.array(losses)


_shrink = jax.jit(lambda w: w - 0.2 * w)


def losses_jitted_by_jax_only(w, steps):
    losses = []
    for _ in range(steps):
        losses.append(jnp.linalg.norm(w) ** 2)
        w = _shrink(w)
    return jnp.stack(losses)


def three_steps_at_least(w, steps):
    return by_gradient(w, max(steps, 3))


@jax.jit
def _two_weights(w):
    return w - 0.2 * w, w[0] ** 2 + w[1] ** 2


def of_two_weights(w, steps):
    return jnp.stack(_losses(_two_weights, w, steps))


# sharpen


@jax.jit
def by_hand(x, temperature):
    powers = jnp.exp((x - x.max()) / temperature)
    return powers / powers.sum()


@jax.jit
def _softened(x, settings):
    return jax.nn.softmax(x / settings["temperature"])


def settings_passed(x, temperature):
    return _softened(x, {"temperature": temperature})


keyword_jitted = jax.jit(lambda x, temperature=1.0: jax.nn.softmax(x / temperature))

EPSILON = 0.0


@jax.jit
def with_a_constant_of_the_module(x, temperature):
    return jax.nn.softmax(x / (temperature + EPSILON))


settings = {"temperature": 1.0}


@jax.jit
def _reads_settings(x):
    return jax.nn.softmax(x / settings["temperature"])


def sharpen_as_given(x, temperature):
    settings["temperature"] = temperature
    return _reads_settings(x)


def cache_cleared(x, temperature):
    _reads_settings.clear_cache()
    return sharpen_as_given(x, temperature)


def jitted_again(x, temperature):
    settings["temperature"] = temperature
    return jax.jit(_reads_settings)(x)


def new_lambda(x, temperature):
    return jax.jit(lambda x: jax.nn.softmax(x / temperature))(x)


@partial(jax.jit, static_argnames="temperature")
def temperature_static(x, temperature):
    return jax.nn.softmax(x / temperature)


def sharpen_plain(x, temperature):
    return jax.nn.softmax(x / temperature)


_softmax = jax.jit(jax.nn.softmax)


def divided_outside(x, temperature):
    return _softmax(x / temperature)


def written_and_passed(x, temperature):
    settings["temperature"] = temperature
    return by_hand(x, temperature)


@jax.jit
def multiplied(x, temperature):
    return jax.nn.softmax(x * temperature)


@jax.jit
def temperature_from_the_global(x, temperature):
    return jax.nn.softmax(x / settings["temperature"])


@jax.jit
def temperature_ignored(x, temperature):
    return jax.nn.softmax(x / 2.0)


@jax.jit
def powers_too_large(x, temperature):
    powers = jnp.exp(x / temperature)
    return powers / powers.sum()


@jax.jit
def scaled_within_bounds(x, temperature):
    return jax.nn.softmax(jnp.clip(x / temperature, -10, 10))


@jax.jit
def of_three_entries(x, temperature):
    powers = jnp.exp((x - x.max()) / temperature)
    return powers / (powers[0] + powers[1] + powers[2])


@jax.jit
def not_too_cold(x, temperature):
    return jax.nn.softmax(x / jnp.maximum(temperature, 0.5))


_temperature = jax.new_ref(jnp.float32(1))


@jax.jit
def _reads_a_ref(x):
    return jax.nn.softmax(x / _temperature[...])


def in_a_ref_of_the_module(x, temperature):
    _temperature[...] = temperature
    return _reads_a_ref(x)


class Sharpener:
    """A class whose `__call__` is jitted."""

    @partial(jax.jit, static_argnums=0)
    def __call__(self, x, temperature):
        return jax.nn.softmax(x / temperature)


object_with_a_jitted_call = Sharpener()
_divide, _softmax_of_jax = jax.jit(jnp.divide), jax.jit(jax.nn.softmax)


def functions_of_the_library(x, temperature):
    return _softmax_of_jax(_divide(x, temperature))


@jax.jit
def _scaled(x, temperature):
    return x / temperature


def scaled_in_place(x, temperature):
    if isinstance(x, np.ndarray):
        x[...] = _scaled(x, temperature)
        return jax.jit(jax.nn.softmax)(x)
    return jax.jit(jax.nn.softmax)(_scaled(x, temperature))


# RunningMean


class HandsItsMeanOver:
    def __init__(self, mean):
        self.mean = mean

    def __call__(self, x):
        mean, centered = _centered(self.mean, x)
        return type(self)(mean), centered


@jax.jit
def _centered(mean, x):
    mean = 0.9 * mean + 0.1 * jnp.mean(x)
    return mean, x - mean


@jax.tree_util.register_pytree_node_class
class FlattensItself(HandsItsMeanOver):
    @jax.jit
    def __call__(self, x):
        mean = self.mean + 0.1 * (x.mean() - self.mean)
        return FlattensItself(mean), x - mean

    def tree_flatten(self):
        return (self.mean,), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls(*leaves)


@jax.tree_util.register_dataclass
@dataclass
class ChangesItsCopy:
    mean: jax.Array

    @jax.jit
    def __call__(self, x):
        # Under `jit` this `self` is a copy, and it is handed back.
        self.mean = 0.9 * self.mean + 0.1 * x.mean()
        return self, x - self.mean


@jax.tree_util.register_dataclass
@dataclass
class ChangesAndForgets:
    mean: jax.Array

    @jax.jit
    def __call__(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.mean()
        return x - self.mean


@jax.tree_util.register_dataclass
@dataclass
class ReturnsNothing:
    mean: jax.Array

    @jax.jit
    def __call__(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.mean()


class WithAProperty:
    def __init__(self, mean):
        self.held = [mean]

    @property
    def mean(self):
        return jnp.asarray(self.held[0]) + 0

    def __call__(self, x):
        mean, centered = _centered(self.held[0], x)
        return WithAProperty(mean), centered


@dataclass
class ChangesItself:
    mean: jax.Array

    def __call__(self, x):
        self.mean, centered = _centered(self.mean, x)
        return self, centered


@dataclass
class NotRegistered:
    mean: jax.Array

    @jax.jit
    def __call__(self, x):
        mean = 0.9 * self.mean + 0.1 * x.mean()
        return NotRegistered(mean), x - mean


@dataclass(eq=False)
class StaticSelf:
    mean: jax.Array

    @partial(jax.jit, static_argnums=0)
    def update(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.mean()
        return x - self.mean

    def __call__(self, x):
        centered = self.update(x)
        return StaticSelf(self.mean), centered


@dataclass(eq=False)
class ReadsStaticSelf:
    mean: jax.Array

    @partial(jax.jit, static_argnums=0)
    def update(self, x):
        mean = 0.9 * self.mean + 0.1 * x.mean()
        return mean, x - mean

    def __call__(self, x):
        mean, centered = self.update(x)
        return ReadsStaticSelf(mean), centered


class PairOfMeans(HandsItsMeanOver):
    def __call__(self, x):
        return _centered(self.mean, x)


class OtherAttribute:
    def __init__(self, mean):
        self.average = mean

    def __call__(self, x):
        mean, centered = _centered(self.average, x)
        return OtherAttribute(mean), centered


class AnotherObjectNext(HandsItsMeanOver):
    def __call__(self, x):
        mean, centered = _centered(self.mean, x)
        return OtherAttribute(mean), centered


class OldMeanTaken(HandsItsMeanOver):
    def __call__(self, x):
        mean, _ = _centered(self.mean, x)
        return OldMeanTaken(mean), _minus(x, self.mean)


@jax.jit
def _minus(x, y):
    return x - y


@jax.tree_util.register_dataclass
@dataclass
class MeanOfEachColumn:
    mean: jax.Array

    @jax.jit
    def __call__(self, x):
        mean = 0.9 * self.mean + 0.1 * x.mean(0)
        return MeanOfEachColumn(mean), x - mean


class NamedMean(NamedTuple):
    mean: jax.Array

    @jax.jit
    def __call__(self, x):
        mean = 0.9 * self.mean + 0.1 * x.mean()
        return NamedMean(mean), x - mean


class NeverJitted(HandsItsMeanOver):
    def __call__(self, x):
        mean = 0.9 * self.mean + 0.1 * x.mean()
        return NeverJitted(mean), x - mean


class CountsItsCalls(HandsItsMeanOver):
    calls = 0

    def __call__(self, x):
        self.calls += 1
        return super().__call__(x)


class KeepsWhatItSaw(HandsItsMeanOver):
    def __init__(self, mean):
        super().__init__(mean)
        self.shapes = []

    def __call__(self, x):
        self.shapes.append(x.shape)
        return super().__call__(x)


class HandsOnAnotherClass(HandsItsMeanOver):
    def __call__(self, x):
        mean, centered = _centered(self.mean, x)
        return HandsItsMeanOver(mean), centered


class MeanOfTheFirstRow(HandsItsMeanOver):
    def __call__(self, x):
        mean, _ = _centered(self.mean, x[0])
        return MeanOfTheFirstRow(mean), _minus(x, mean)


class MedianInstead(HandsItsMeanOver):
    def __call__(self, x):
        mean, centered = _centered_by_the_median(self.mean, x)
        return MedianInstead(mean), centered


@jax.jit
def _centered_by_the_median(mean, x):
    mean = 0.9 * mean + 0.1 * jnp.median(x)
    return mean, x - mean


class WithoutNan(HandsItsMeanOver):
    def __call__(self, x):
        mean, centered = _centered_without_nan(self.mean, x)
        return WithoutNan(mean), centered


@jax.jit
def _centered_without_nan(mean, x):
    mean = 0.9 * mean + 0.1 * jnp.nanmean(x)
    return mean, x - mean


class SubtractsOutside(HandsItsMeanOver):
    def __call__(self, x):
        mean, _ = _centered(self.mean, x)
        return SubtractsOutside(jnp.float32(float(mean))), x - mean


class MeanOutside(HandsItsMeanOver):
    def __call__(self, x):
        mean = 0.9 * self.mean + 0.1 * _mean(x)
        return MeanOutside(mean), _minus(x, mean)


_mean = jax.jit(jnp.mean)


# record


@jax.jit
def index_update(log, i, w):
    log[...] = log[...].at[i].set(w @ w)
    return 0.8 * w


@jax.jit
def by_swap(log, i, w):
    jax.ref.swap(log, i, jnp.sum(w**2))
    return w - 0.2 * w


def unjitted_around_jitted(log, i, w):
    return _logged_step(log, jnp.asarray(i), w)


@jax.jit
def through_at(log, i, w):
    log.at[i].set(jnp.sum(w**2))
    return w - 0.2 * w


@jax.jit
def every_place_selected(log, i, w):
    log[...] = jnp.where(jnp.arange(len(log)) == i, jnp.sum(w**2), log[...])
    return w - 0.2 * w


@jax.jit
def index_as_an_int(log, i, w):
    log[int(i)] = jnp.sum(w**2)
    return w - 0.2 * w


@jax.jit
def ref_returned(log, i, w):
    log[i] = jnp.sum(w**2)
    return log, w - 0.2 * w


@jax.jit
def a_copy_is_written(log, i, w):
    values = log[...]
    values = values.at[i].set(jnp.sum(w**2))
    return w - 0.2 * w


@jax.jit
def the_copy_is_returned(log, i, w):
    return w - 0.2 * w, log[...].at[i].set(jnp.sum(w**2))


@partial(jax.jit, static_argnames="i")
def place_static(log, i, w):
    log[i] = jnp.sum(w**2)
    return w - 0.2 * w


_own = jax.new_ref(jnp.zeros(3))


@jax.jit
def own_ref(log, i, w):
    _own[i] = jnp.sum(w**2)
    return w - 0.2 * w


@jax.jit
def added_up(log, i, w):
    log[i] += jnp.sum(w**2)
    return log[...]


@jax.jit
def added_to_what_was_there(log, i, w):
    log[i] += jnp.sum(w**2)
    return w - 0.2 * w


@jax.jit
def always_the_first(log, i, w):
    log[0] = jnp.sum(w**2)
    return w - 0.2 * w


@jax.jit
def whole_ref(log, i, w):
    log[...] = jnp.sum(w**2)
    return w - 0.2 * w


@jax.jit
def loss_after(log, i, w):
    w = w - 0.2 * w
    log[i] = jnp.sum(w**2)
    return w


def record_plain(log, i, w):
    log[i] = jnp.sum(w**2)
    return w - 0.2 * w


@jax.jit
def weights_forgotten(log, i, w):
    log[i] = jnp.sum(w**2)


def jitted_inside(log, i, w):
    @jax.jit
    def inner(w):
        log[i] = jnp.sum(w**2)
        return w - 0.2 * w

    return inner(w)


@jax.jit
def from_the_place_on(log, i, w):
    log[...] = jnp.where(jnp.arange(len(log)) >= i, jnp.sum(w**2), log[...])
    return w - 0.2 * w


@jax.jit
def later_places_emptied(log, i, w):
    log[...] = jnp.where(jnp.arange(len(log)) > i, 0.0, log[...])
    log[i] = jnp.sum(w**2)
    return w - 0.2 * w


@jax.jit
def largest_loss_kept(log, i, w):
    log[i] = jnp.maximum(log[i], jnp.sum(w**2))
    return w - 0.2 * w


@jax.jit
def loss_of_two_weights(log, i, w):
    log[i] = w[0] ** 2 + w[1] ** 2
    return w - 0.2 * w


_records = jax.new_ref(jnp.int32(0))


@jax.jit
def counted_in_another_ref(log, i, w):
    _records[...] += 1
    log[i] = jnp.sum(w**2)
    return w - 0.2 * w


# clip


@jax.jit
def by_callback(g):
    norm = jnp.sqrt(jnp.sum(g**2))
    jax.debug.callback(lambda norm: print(f"norm {norm:.1f}"), norm)
    return jnp.where(norm > 1, g / norm, g)


@jax.jit
def by_io_callback(g):
    norm = jnp.linalg.norm(g)
    io_callback(lambda norm: print("norm", norm), None, norm)
    return g * jnp.minimum(1.0, 1.0 / norm)


@jax.jit
def printed_first(g):
    jax.debug.print("norm {:.2f}", jnp.linalg.norm(g), ordered=True)
    return g / jnp.maximum(jnp.linalg.norm(g), 1)


def clip_plain(g):
    norm = jnp.linalg.norm(g)
    jax.debug.print("norm {}", norm)
    return g / jnp.maximum(norm, 1.0)


jitted_afterwards = jax.jit(clip_plain)


@jax.jit
def python_print(g):
    norm = jnp.linalg.norm(g)
    print("norm", norm)
    return g / jnp.maximum(norm, 1.0)


@jax.jit
def float_first(g):
    norm = jnp.linalg.norm(g)
    print("norm", float(norm))
    return g / jnp.maximum(norm, 1.0)


@jax.jit
def by_cond(g):
    norm = jnp.sqrt(g @ g)
    jax.debug.print("norm {:.3f}", norm)
    return jax.lax.cond(norm > 1, lambda: g / norm, lambda: g)


@jax.jit
def each_entry_clipped(g):
    jax.debug.print("norm {}", jnp.linalg.norm(g))
    return jnp.clip(g, -1.0, 1.0)


@jax.jit
def _silent(g):
    norm = jnp.linalg.norm(g)
    return g / jnp.maximum(norm, 1.0), norm


def printed_outside(g):
    clipped, norm = _silent(g)
    print("norm", norm)
    return clipped


def printed_outside_as_a_float(g):
    clipped, norm = _silent(g)
    print("norm", float(norm))
    return clipped


def nothing_printed(g):
    return _silent(g)[0]


@jax.jit
def the_example_printed(g):
    jax.debug.print("norm 5.0")
    return g / jnp.maximum(jnp.linalg.norm(g), 1.0)


@jax.jit
def norm_after(g):
    g = g / jnp.maximum(jnp.linalg.norm(g), 1.0)
    jax.debug.print("norm {}", jnp.linalg.norm(g))
    return g


@jax.jit
def f_string(g):
    norm = jnp.linalg.norm(g)
    jax.debug.print(f"norm {norm}")
    return g / jnp.maximum(norm, 1.0)


@jax.jit
def python_branch(g):
    norm = jnp.linalg.norm(g)
    jax.debug.print("norm {}", norm)
    return g / norm if norm > 1 else g


@jax.jit
def always_scaled(g):
    norm = jnp.linalg.norm(g)
    jax.debug.print("norm {}", norm)
    return g / norm


@jax.jit
def dropped_callback(g):
    norm = jnp.linalg.norm(g)
    shape = jax.ShapeDtypeStruct((), "float32")
    jax.pure_callback(lambda norm: print("norm", norm) or norm, shape, norm)
    return g / jnp.maximum(norm, 1.0)


@jax.jit
def in_a_callback_that_may_be_dropped(g):
    def show(norm):
        print("norm", norm)
        return norm

    norm = jnp.linalg.norm(g)
    norm = jax.pure_callback(show, jax.ShapeDtypeStruct((), "float32"), norm)
    return g / jnp.maximum(norm, 1.0)


@jax.jit
def of_two_entries(g):
    norm = jnp.hypot(g[0], g[1])
    jax.debug.print("norm {}", norm)
    return g / jnp.maximum(norm, 1.0)


@jax.jit
def zero_not_printed(g):
    norm = jnp.linalg.norm(g)
    jax.lax.cond(norm > 0, lambda: jax.debug.print("norm {}", norm), lambda: None)
    return g / jnp.maximum(norm, 1.0)


@jax.jit
def divided_by_zero(g):
    norm = jnp.linalg.norm(g)
    jax.debug.print("norm {}", norm)
    return g / norm * jnp.minimum(norm, 1.0)


@jax.jit
def a_little_above_one(g):
    norm = jnp.linalg.norm(g)
    jax.debug.print("norm {}", norm)
    return g / jnp.where(norm > 2.0, norm, 1.0)


@jax.jit
def _clip_by(g, norm):
    jax.debug.print("norm {}", norm)
    return g / jnp.maximum(norm, 1.0)


def norm_outside(g):
    return _clip_by(g, jnp.linalg.norm(g))


@jax.jit
def one_decimal(g):
    norm = jnp.linalg.norm(g)
    jax.debug.print("norm {norm:.1f}", norm=norm)
    return g / jnp.maximum(norm, 1.0)


@jax.jit
def last_place_never_written(log, i, w):
    log[jnp.minimum(i, log.shape[0] - 2)] = jnp.sum(w**2)
    return w - 0.2 * w


@jax.jit
def only_finite_losses(log, i, w):
    loss = jnp.sum(w**2)
    log[i] = jnp.where(jnp.isfinite(loss), loss, log[i])
    return w - 0.2 * w


def until_the_loss_is_small(w, steps):
    losses = []
    for _ in range(steps):
        w, loss = _step(w)
        losses.append(loss)
        if loss < 1e-3:
            break
    return jnp.stack(losses)


@jax.jit
def never_colder_than_a_tenth(x, temperature):
    return jax.nn.softmax(x / jnp.maximum(temperature, 0.1))


@jax.jit
def scaled_from_nine_tenths_on(g):
    norm = jnp.linalg.norm(g)
    jax.debug.print("norm {}", norm)
    return jnp.where(norm > 0.9, g / norm, g)


@jax.jit
def only_well_above_one(g):
    norm = jnp.linalg.norm(g)
    jax.debug.print("norm {norm}", norm=norm)
    return jnp.where(norm > 1.1, g / norm, g)


def losses_of_a_generator(w, steps):
    def steps_from(w):
        while True:
            w, loss = _step(w)
            yield loss

    return jnp.stack([loss for _, loss in zip(range(steps), steps_from(w), strict=False)])


@jax.jit
def _step_without_nan(w):
    return w - 0.2 * w, jnp.nansum(w**2)


def nan_left_out(w, steps):
    return jnp.stack(_losses(_step_without_nan, w, steps))


@jax.jit
def _step_without_infinity(w):
    return w - 0.2 * w, jnp.sum(jnp.where(jnp.isinf(w), 0, w) ** 2)


def infinity_left_out(w, steps):
    return jnp.stack(_losses(_step_without_infinity, w, steps))


@jax.jit
def _step_of_50_at_most(w):
    return w - jnp.clip(0.2 * w, -50, 50), jnp.sum(w**2)


@jax.jit
def _all_losses(w):
    return jax.lax.scan(lambda w, _: (w - 0.2 * w, jnp.sum(w**2)), w, length=150)[1]


def all_150_steps(w, steps):
    return _all_losses(w)[:steps]


def steps_of_50_at_most(w, steps):
    return jnp.stack(_losses(_step_of_50_at_most, w, steps))


@jax.jit
def _step_of_eight(w):
    return w - 0.2 * w, jnp.sum(w[:8] ** 2)


def of_eight_weights(w, steps):
    return jnp.stack(_losses(_step_of_eight, w, steps))


@jax.jit
def _step_with_three_means(w):
    return w - 0.2 * w, 3 * jnp.mean(w**2)


def three_times_the_mean(w, steps):
    return jnp.stack(_losses(_step_with_three_means, w, steps))


def a_hundred_steps_at_most(w, steps):
    return jnp.stack(_losses(_step, w, min(steps, 100)))


@jax.jit
def by_the_logarithm(x, temperature):
    return jnp.exp(jax.nn.log_softmax(x / temperature))


@jax.jit
def quotients_in_16_bits(x, temperature):
    return jax.nn.softmax((x / temperature).astype("float16").astype("float32"))


@jax.jit
def not_colder_than_a_hundredth(x, temperature):
    return jax.nn.softmax(x / jnp.maximum(temperature, 0.01))


@jax.jit
def not_hotter_than_fifty(x, temperature):
    return jax.nn.softmax(x / jnp.minimum(temperature, 50.0))


@jax.jit
def of_eight_entries(x, temperature):
    powers = jnp.exp((x - x.max()) / temperature)
    return powers / powers[:8].sum()


@jax.jit
def less_the_largest_size(x, temperature):
    powers = jnp.exp((x - abs(x).max()) / temperature)
    return powers / powers.sum()


@jax.jit
def less_the_logarithm_of_the_sum(x, temperature):
    scaled = x / temperature
    return jnp.exp(scaled - jax.scipy.special.logsumexp(scaled))


@jax.jit
def within_ten_thousand(x, temperature):
    return jax.nn.softmax(jnp.clip(x, -1e4, 1e4) / temperature)


@jax.jit
def less_the_mean(x, temperature):
    return jax.nn.softmax((x - x.mean()) / temperature)


@jax.jit
def less_the_largest_logarithm(x, temperature):
    scaled = (x - x.max()) / temperature
    return jnp.exp(scaled - jax.scipy.special.logsumexp(scaled))


class AveragesBoth(HandsItsMeanOver):
    def __call__(self, x):
        mean, centered = _centered_by_an_average(self.mean, x)
        return AveragesBoth(mean), centered


@jax.jit
def _centered_by_an_average(mean, x):
    mean = jnp.average(jnp.stack([mean, jnp.average(x)]), weights=jnp.array([0.9, 0.1]))
    return mean, x - mean


class OfFourRows(HandsItsMeanOver):
    def __call__(self, x):
        mean, centered = _centered_by_four_rows(self.mean, x)
        return OfFourRows(mean), centered


@jax.jit
def _centered_by_four_rows(mean, x):
    mean = 0.9 * mean + 0.1 * x[:4].mean()
    return mean, x - mean


class WithinBounds(HandsItsMeanOver):
    def __call__(self, x):
        mean, centered = _centered_within_bounds(self.mean, x)
        return WithinBounds(mean), centered


@jax.jit
def _centered_within_bounds(mean, x):
    mean = 0.9 * mean + 0.1 * jnp.clip(x, -1000, 1000).mean()
    return mean, x - mean


class NegativeMeansKept(HandsItsMeanOver):
    def __call__(self, x):
        mean, centered = _centered_above_zero(self.mean, x)
        return NegativeMeansKept(mean), centered


@jax.jit
def _centered_above_zero(mean, x):
    mean = jnp.where(mean < 0, mean, 0.9 * mean + 0.1 * x.mean())
    return mean, x - mean


class WithoutInfinity(HandsItsMeanOver):
    def __call__(self, x):
        mean, centered = _centered_without_infinity(self.mean, x)
        return WithoutInfinity(mean), centered


@jax.jit
def _centered_without_infinity(mean, x):
    mean = 0.9 * mean + 0.1 * jnp.where(jnp.isinf(x), 0, x).mean()
    return mean, x - mean


@jax.jit
def loss_and_gradient(log, i, w):
    log[i], gradient = jax.value_and_grad(lambda w: jnp.sum(jnp.square(w)))(w)
    return w - 0.1 * gradient


@jax.jit
def loss_of_eight_weights(log, i, w):
    log[i] = jnp.sum(w[:8] ** 2)
    return w - 0.2 * w


@jax.jit
def finite_weights_only(log, i, w):
    log[i] = jnp.sum(jnp.where(jnp.isinf(w), 0, w) ** 2)
    return w - 0.2 * w


@jax.jit
@jax.jit
def loss_alone(w):
    return jnp.sum(w**2)


def weights_in_numpy(w, steps):
    w, losses = np.asarray(w), []
    for _ in range(steps):
        losses.append(float(loss_alone(w)))
        w = np.float32(0.8) * w
    return jnp.array(losses)


def step_of_ten_at_most(log, i, w):
    log[i] = jnp.sum(w**2)
    return w - jnp.clip(0.2 * w, -10, 10)


@jax.jit
def loss_of_a_thousand_at_most(log, i, w):
    log[i] = jnp.minimum(jnp.sum(w**2), 1000.0)
    return w - 0.2 * w


@jax.jit
def a_little_added(log, i, w):
    log[i] = jnp.sum(w**2) + 1e-4
    return w - 0.2 * w


@jax.jit
def place_in_a_byte(log, i, w):
    log[jnp.asarray(i).astype("int8").astype(int)] = jnp.sum(w**2)
    return w - 0.2 * w


@jax.jit
def of_four_places(log, i, w):
    log[i % 4] = jnp.sum(w**2)
    return w - 0.2 * w


@jax.jit
def each_weight_once(log, i, w):
    log[i] = jnp.sum(jnp.unique(w, size=w.size, fill_value=0.0) ** 2)
    return w - 0.2 * w


@jax.jit
def with_a_selected_norm(g):
    norm = jnp.sqrt(jnp.vdot(g, g))
    jax.debug.print("g of norm {:.2f} comes in", norm)
    return jnp.where(norm <= 1, g, g / jnp.where(norm <= 1, 1.0, norm))


@jax.jit
def only_a_thousandth_above_one(g):
    norm = jnp.linalg.norm(g)
    jax.debug.print("norm {}", norm)
    return jnp.where(norm > 1.001, g / norm, g)


@jax.jit
def norm_of_eight_entries(g):
    norm = jnp.linalg.norm(g[:8])
    jax.debug.print("norm {}", norm)
    return g / jnp.maximum(norm, 1.0)


@jax.jit
def norm_of_a_thousand_at_most(g):
    norm = jnp.minimum(jnp.linalg.norm(g), 1000.0)
    jax.debug.print("norm {}", norm)
    return g / jnp.maximum(norm, 1.0)


RIGHT = {
    "fit": [
        written_into_an_array,
        two_jitted_on_one_line,
        by_gradient,
        all_weights_first,
        into_a_ref,
        scan_around_the_step,
        losses_of_a_generator,
        all_150_steps,
    ],
    "sharpen": [
        by_hand,
        settings_passed,
        keyword_jitted,
        with_a_constant_of_the_module,
        object_with_a_jitted_call,
        functions_of_the_library,
        by_the_logarithm,
        less_the_mean,
        less_the_largest_logarithm,
    ],
    "RunningMean": [
        HandsItsMeanOver,
        FlattensItself,
        ChangesItsCopy,
        WithAProperty,
        NamedMean,
        AveragesBoth,
    ],
    "record": [
        index_update,
        by_swap,
        through_at,
        unjitted_around_jitted,
        every_place_selected,
        loss_and_gradient,
    ],
    "clip": [
        by_callback,
        by_io_callback,
        printed_first,
        jitted_afterwards,
        by_cond,
        one_decimal,
        with_a_selected_norm,
    ],
}
WRONG = {
    "fit": {
        "tracing/leaked": [fit_as_given],
        "effects/while-tracing": [counted_while_tracing],
        "purity/stale-read": [weights_in_a_global],
        "effects/write": [
            kept_in_the_global,
            global_emptied_first,
            printed_on_the_way,
            into_a_ref_of_the_module,
            handed_over_in_a_ref,
            into_the_array_it_was_given,
        ],
        "tracing/new-function": [step_defined_inside],
        "tracing/static-value": [steps_static],
        "tracing/not-jitted": [
            never_jitted,
            weights_outside_and_floats,
            losses_jitted_by_jax_only,
            weights_in_numpy,
        ],
        "tracing/value-needed": [float_inside],
        "value/differs": [
            loss_after_the_step,
            of_two_weights,
            nan_left_out,
            infinity_left_out,
            steps_of_50_at_most,
            of_eight_weights,
            three_times_the_mean,
        ],
        "value/structure": [a_list_of_losses],
        "value/shape": [
            last_loss_only,
            three_steps_at_least,
            until_the_loss_is_small,
            a_hundred_steps_at_most,
        ],
        "effects/argument": [list_passed_in, list_passed_in_and_made_an_array],
        "tracing/new-structure": [list_carried_along],
    },
    "sharpen": {
        "purity/stale-read": [sharpen_as_given, jitted_again],
        "tracing/retraced": [cache_cleared],
        "tracing/new-function": [new_lambda],
        "tracing/static-value": [temperature_static],
        "tracing/not-jitted": [sharpen_plain, divided_outside],
        "purity/hidden-read": [temperature_from_the_global],
        "effects/write": [written_and_passed, in_a_ref_of_the_module, scaled_in_place],
        "value/differs": [
            never_colder_than_a_tenth,
            multiplied,
            temperature_ignored,
            powers_too_large,
            scaled_within_bounds,
            of_three_entries,
            not_too_cold,
            quotients_in_16_bits,
            not_colder_than_a_hundredth,
            not_hotter_than_fifty,
            of_eight_entries,
            less_the_largest_size,
            less_the_logarithm_of_the_sum,
            within_ten_thousand,
        ],
    },
    "RunningMean": {
        "value/structure": [ChangesAndForgets, PairOfMeans, HandsOnAnotherClass],
        "value/nothing": [ReturnsNothing],
        "effects/argument": [ChangesItself, CountsItsCalls, KeepsWhatItSaw],
        "tracing/not-a-jax-type": [NotRegistered],
        "tracing/leaked": [StaticSelf],
        "tracing/static-value": [ReadsStaticSelf],
        "value/no-attribute": [OtherAttribute, AnotherObjectNext],
        "value/differs": [
            OldMeanTaken,
            MeanOfTheFirstRow,
            MedianInstead,
            WithoutNan,
            OfFourRows,
            WithinBounds,
            NegativeMeansKept,
            WithoutInfinity,
        ],
        "value/shape": [MeanOfEachColumn],
        "tracing/not-jitted": [NeverJitted, SubtractsOutside, MeanOutside],
    },
    "record": {
        "value/differs": [
            last_place_never_written,
            only_finite_losses,
            a_copy_is_written,
            added_to_what_was_there,
            always_the_first,
            loss_after,
            from_the_place_on,
            later_places_emptied,
            largest_loss_kept,
            loss_of_two_weights,
            loss_of_eight_weights,
            finite_weights_only,
            step_of_ten_at_most,
            loss_of_a_thousand_at_most,
            a_little_added,
            place_in_a_byte,
            of_four_places,
            each_weight_once,
        ],
        "value/structure": [the_copy_is_returned],
        "effects/write": [own_ref, counted_in_another_ref],
        "tracing/static-value": [place_static],
        "value/shape": [added_up],
        "runs/raised": [whole_ref, ref_returned],
        "tracing/value-needed": [index_as_an_int],
        "tracing/not-jitted": [record_plain],
        "value/nothing": [weights_forgotten],
        "tracing/new-function": [jitted_inside],
    },
    "clip": {
        "effects/not-printed": [
            python_print,
            the_example_printed,
            norm_after,
            nothing_printed,
            printed_outside,
            f_string,
            dropped_callback,
            in_a_callback_that_may_be_dropped,
            zero_not_printed,
        ],
        "tracing/value-needed": [float_first, printed_outside_as_a_float],
        "tracing/branch-on-tracer": [python_branch],
        "value/differs": [
            always_scaled,
            each_entry_clipped,
            of_two_entries,
            divided_by_zero,
            a_little_above_one,
            scaled_from_nine_tenths_on,
            only_well_above_one,
            only_a_thousandth_above_one,
            norm_of_eight_entries,
            norm_of_a_thousand_at_most,
        ],
        "tracing/not-jitted": [clip_plain, norm_outside],
    },
}
