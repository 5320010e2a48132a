"""Right and wrong answers to the exercises of 03_purity."""

from dataclasses import dataclass
from functools import partial
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


@jax.jit
def _logged_step(log, i, w):
    log[i] = jnp.sum(w**2)
    return w - 0.2 * w


def into_a_ref(w, steps):
    log = jax.new_ref(jnp.zeros(8))
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


def step_defined_inside(w, steps):
    @jax.jit
    def inner(w):
        return w - 0.2 * w, jnp.sum(w**2)

    losses = []
    for _ in range(steps):
        w, loss = inner(w)
        losses.append(loss)
    return jnp.stack(losses)


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
    losses = []
    for _ in range(steps):
        w, loss = _float_step(w)
        losses.append(loss)
    return jnp.stack(losses)


def loss_after_the_step(w, steps):
    losses = []
    for _ in range(steps):
        w, _loss = _step(w)
        losses.append(_step(w)[1])
    return jnp.stack(losses)


def a_list_of_losses(w, steps):
    losses = []
    for _ in range(steps):
        w, loss = _step(w)
        losses.append(loss)
    return losses


def last_loss_only(w, steps):
    for _ in range(steps):
        w, loss = _step(w)
    return loss


@jax.jit
def _appending_step(w, losses):
    losses.append(jnp.sum(w**2))
    return w - 0.2 * w


def list_passed_in(w, steps):
    losses = []
    for _ in range(steps):
        w = _appending_step(w, losses)
    return jnp.stack(losses)


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
def temperature_ignored(x, temperature):
    return jax.nn.softmax(x / 2.0)


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
class FlattensItself:
    def __init__(self, mean):
        self.mean = mean

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


def stub(*args):
    raise NotImplementedError


@dataclass
class StubClass:
    mean: jax.Array

    def __call__(self, x):
        raise NotImplementedError


STUBS = {
    "fit": stub,
    "sharpen": stub,
    "RunningMean": StubClass,
    "record": jax.jit(stub),
    "clip": stub,
}
RIGHT = {
    "fit": [written_into_an_array, by_gradient, all_weights_first, into_a_ref],
    "sharpen": [by_hand, settings_passed, keyword_jitted, with_a_constant_of_the_module],
    "RunningMean": [
        HandsItsMeanOver,
        FlattensItself,
        ChangesItsCopy,
        WithAProperty,
        NamedMean,
    ],
    "record": [
        index_update,
        by_swap,
        through_at,
        unjitted_around_jitted,
        every_place_selected,
    ],
    "clip": [by_callback, by_io_callback, printed_first, jitted_afterwards, by_cond],
}
WRONG = {
    "fit": [
        ("tracing/leaked", fit_as_given),
        ("effects/write", kept_in_the_global),
        ("effects/write", global_emptied_first),
        ("effects/write", printed_on_the_way),
        ("tracing/new-function", step_defined_inside),
        ("tracing/static-value", steps_static),
        ("tracing/not-jitted", never_jitted),
        ("tracing/value-needed", float_inside),
        ("value/differs", loss_after_the_step),
        ("value/structure", a_list_of_losses),
        ("value/shape", last_loss_only),
        ("runs/raised", list_passed_in),
        ("tracing/new-structure", list_carried_along),
    ],
    "sharpen": [
        ("purity/stale-read", sharpen_as_given),
        ("purity/stale-read", jitted_again),
        ("tracing/new-function", cache_cleared),
        ("tracing/new-function", new_lambda),
        ("tracing/static-value", temperature_static),
        ("tracing/not-jitted", sharpen_plain),
        ("tracing/not-jitted", divided_outside),
        ("effects/write", written_and_passed),
        ("value/differs", multiplied),
        ("value/differs", temperature_ignored),
    ],
    "RunningMean": [
        ("value/structure", ChangesAndForgets),
        ("value/nothing", ReturnsNothing),
        ("effects/argument", ChangesItself),
        ("tracing/not-a-jax-type", NotRegistered),
        ("tracing/leaked", StaticSelf),
        ("tracing/static-value", ReadsStaticSelf),
        ("value/structure", PairOfMeans),
        ("value/no-attribute", OtherAttribute),
        ("value/no-attribute", AnotherObjectNext),
        ("value/differs", OldMeanTaken),
        ("value/shape", MeanOfEachColumn),
        ("tracing/not-jitted", NeverJitted),
    ],
    "record": [
        ("value/differs", a_copy_is_written),
        ("value/structure", the_copy_is_returned),
        ("tracing/static-value", place_static),
        ("value/differs", own_ref),
        ("value/shape", added_up),
        ("value/differs", added_to_what_was_there),
        ("value/differs", always_the_first),
        ("runs/raised", whole_ref),
        ("runs/raised", ref_returned),
        ("tracing/value-needed", index_as_an_int),
        ("value/differs", loss_after),
        ("tracing/not-jitted", record_plain),
        ("value/nothing", weights_forgotten),
        ("tracing/new-function", jitted_inside),
    ],
    "clip": [
        ("effects/not-printed", python_print),
        ("effects/not-printed", nothing_printed),
        ("effects/not-printed", printed_outside),
        ("effects/not-printed", the_example_printed),
        ("effects/not-printed", norm_after),
        ("effects/not-printed", f_string),
        ("effects/not-printed", dropped_callback),
        ("tracing/value-needed", float_first),
        ("tracing/value-needed", printed_outside_as_a_float),
        ("tracing/branch-on-tracer", python_branch),
        ("value/differs", always_scaled),
        ("value/differs", each_entry_clipped),
        ("tracing/not-jitted", clip_plain),
    ],
}
