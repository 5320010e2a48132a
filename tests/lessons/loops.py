"""Right and wrong answers to the exercises of 07_loops."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.ad_checkpoint import checkpoint_name

# smooth


def with_the_rest_as_xs(signal):
    def step(level, value):
        level = level + 0.1 * (value - level)
        return level, level

    _, levels = lax.scan(step, signal[0], signal[1:])
    return jnp.concatenate([signal[:1], levels])


def filled_by_fori_loop(signal):
    def body(i, levels):
        return levels.at[i].set(0.9 * levels[i - 1] + 0.1 * signal[i])

    return lax.fori_loop(1, signal.shape[0], body, signal)


@jax.jit
def as_a_matrix(signal):
    n = signal.shape[0]
    age = jnp.arange(n)[:, None] - jnp.arange(n)
    weights = jnp.where(age >= 0, 0.9 ** jnp.maximum(age, 0), 0.0) * 0.1
    return weights @ signal + 0.9 * signal[0] * 0.9 ** jnp.arange(n)


def by_pairs(signal):
    def combine(p, q):
        return p[0] * q[0], q[0] * p[1] + q[1]

    added = (0.1 * signal).at[0].set(signal[0])
    return lax.associative_scan(combine, (jnp.full_like(signal, 0.9), added))[1]


def by_a_while_loop(signal):
    def body(state):
        i, level, levels = state
        level = 0.9 * level + 0.1 * signal[i]
        return i + 1, level, levels.at[i].set(level)

    start = (0, signal[0], jnp.zeros_like(signal))
    return lax.while_loop(lambda state: state[0] < signal.size, body, start)[2]


class Smoother:
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, signal):
        return lax.scan(self.step, signal[0], signal)[1]

    def step(self, level, value):
        level = (1 - self.rate) * level + self.rate * value
        return level, level


def divided_by_powers(signal):
    powers = 0.9 ** jnp.arange(signal.size)
    return powers * jnp.cumsum((0.1 * signal).at[0].set(signal[0]) / powers)


def smooth_as_given(signal):
    level, levels = signal[0], []
    for value in signal:
        level = 0.9 * level + 0.1 * value
        levels.append(level)
    return jnp.stack(levels)


@jax.jit
def unrolled_under_jit(signal):
    return smooth_as_given(signal)


def unrolled_by_scan(signal):
    out = []
    for i in range(signal.shape[0]):
        out.append(lax.scan(lambda y, v: (0.9 * y + 0.1 * v, None), signal[0], signal[: i + 1])[0])
    return jnp.stack(out)


def started_at_zero(signal):
    return lax.scan(lambda y, v: (0.9 * y + 0.1 * v,) * 2, jnp.float32(0), signal)[1]


def last_level_only(signal):
    return lax.scan(lambda y, v: (0.9 * y + 0.1 * v,) * 2, signal[0], signal)[0]


def carry_and_levels(signal):
    return lax.scan(lambda y, v: (0.9 * y + 0.1 * v,) * 2, signal[0], signal)


def no_pair(signal):
    return lax.scan(lambda y, v: 0.9 * y + 0.1 * v, signal[0], signal)[1]


def by_numpy(signal):
    signal = np.asarray(signal)
    level, levels = signal[0], []
    for value in signal:
        level = np.float32(0.9 * level + 0.1 * value)
        levels.append(level)
    return np.stack(levels)


def filled_like_numpy(signal):
    levels = np.zeros(len(signal))
    level = signal[0]
    for i, value in enumerate(signal):
        level = 0.9 * level + 0.1 * value
        levels[i] = level
    return levels


def first_level_forgotten(signal):
    def body(i, levels):
        return levels.at[i].set(0.9 * levels[i - 1] + 0.1 * signal[i])

    return lax.fori_loop(1, len(signal), body, jnp.zeros_like(signal))


def carried_as_a_vector(signal):
    return lax.scan(lambda y, v: (0.9 * y + 0.1 * v,) * 2, jnp.zeros(1, "int32"), signal)[1]


def first_signal_by_heart(signal):
    return jnp.array([3.0, 2.8, 2.32, 2.888])


# running_mean


def count_cast(rows):
    def step(carry, row):
        count, mean = carry
        count = (count + 1.0).astype(count.dtype)
        mean = mean + (row - mean) / count
        return (count, mean), mean

    (count, _), means = lax.scan(step, (jnp.int32(0), jnp.zeros(rows.shape[1])), rows)
    return count, means


def count_from_outside(rows):
    def step(mean, i_row):
        i, row = i_row
        mean = mean + (row - mean) / (i + 1)
        return mean, mean

    n = rows.shape[0]
    _, means = lax.scan(step, jnp.zeros(rows.shape[1:]), (jnp.arange(n), rows))
    return jnp.int32(n), means


def by_cumsum(rows):
    n = rows.shape[0]
    return jnp.asarray(n), jnp.cumsum(rows, axis=0) / jnp.arange(1, n + 1)[:, None]


def by_sums_of_pairs(rows):
    n = rows.shape[0]
    return jnp.int32(n), lax.associative_scan(jnp.add, rows) / jnp.arange(1.0, n + 1)[:, None]


class Mean(NamedTuple):
    count: jax.Array
    mean: jax.Array


def with_a_named_tuple(rows):
    def step(carry, row):
        count = carry.count + 1
        mean = carry.mean + (row - carry.mean) / count
        return Mean(count, mean), mean

    last, means = lax.scan(step, Mean(jnp.int32(0), jnp.zeros(rows.shape[1])), rows)
    return last.count, means


def length_as_it_is(rows):
    return len(rows), by_cumsum(rows)[1]


def length_of_numpy(rows):
    return np.int32(len(rows)), by_cumsum(rows)[1]


def counted_in_eight_bits(rows):
    def step(carry, row):
        count, mean = carry
        count = count + jnp.int8(1)
        mean = mean + (row - mean) / count
        return (count, mean), mean

    (count, _), means = lax.scan(step, (jnp.int8(0), jnp.zeros_like(rows[0])), rows)
    return count.astype("int32"), means


def python_zero_as_count(rows):
    def step(carry, row):
        total, count = carry
        total, count = total + row, count + 1
        return (total, count), total / count

    (_, count), means = lax.scan(step, (0.0 * rows[0], 0), rows)
    return count, means


def mean_as_given(rows):
    def step(carry, row):
        count, mean = carry
        count = count + 1.0
        mean = mean + (row - mean) / count
        return count, mean

    (count, _), means = lax.scan(step, (jnp.int32(0), 0.0), rows)
    return count, means


def _step(carry, row):
    count, mean = carry
    count = count + 1.0
    mean = mean + (row - mean) / count
    return (count, mean), mean


def count_still_float(rows):
    (count, _), means = lax.scan(_step, (jnp.int32(0), jnp.zeros_like(rows[0])), rows)
    return count, means


def mean_still_scalar(rows):
    (count, _), means = lax.scan(_step, (jnp.float32(0), 0.0), rows)
    return count.astype("int32"), means


def started_as_float(rows):
    (count, _), means = lax.scan(_step, (0.0, jnp.zeros_like(rows[0])), rows)
    return count, means


def pair_turned_round(rows):
    (count, _), means = lax.scan(_step, (0.0, jnp.zeros_like(rows[0])), rows)
    return means, count.astype("int32")


def last_mean_only(rows):
    (count, mean), _ = lax.scan(_step, (0.0, jnp.zeros_like(rows[0])), rows)
    return count.astype("int32"), mean


def only_the_mean_given_back(rows):
    def step(carry, row):
        (_, mean), _ = _step(carry, row)
        return mean, mean

    (count, _), means = lax.scan(step, (0.0, jnp.zeros_like(rows[0])), rows)
    return count, means


def step_without_output(rows):
    def step(carry, row):
        return _step(carry, row)[0], None

    (count, _), means = lax.scan(step, (0.0, jnp.zeros_like(rows[0])), rows)
    return count.astype("int32"), means


def mean_kept_integer(rows):
    def step(carry, row):
        (count, mean), out = _step(carry, row)
        return (count, mean.astype("int32")), out

    start = (0.0, jnp.zeros_like(rows[0], "int32"))
    (count, _), means = lax.scan(step, start, rows)
    return count.astype("int32"), means


def means_unrolled(rows):
    means = jnp.stack([rows[: i + 1].mean(axis=0) for i in range(len(rows))])
    return jnp.int32(len(rows)), means


# newton


def by_fori_loop_and_cond(f, x, most):
    def body(_, x):
        value, slope = jax.value_and_grad(f)(x)
        return lax.cond(jnp.abs(value) <= 1e-4, lambda: x, lambda: x - value / slope)

    return lax.fori_loop(0, most, body, jnp.float32(x))


def with_a_flag_in_the_carry(f, x, most):
    def step(state, _):
        x, done = state
        done = done | (jnp.abs(f(x)) <= 1e-4)
        value, slope = jax.jvp(f, (x,), (jnp.ones_like(x),))
        return (jnp.where(done, x, x - value / jnp.where(done, 1.0, slope)), done), None

    (x, _), _ = lax.scan(step, (jnp.asarray(x), False), jnp.arange(most))
    return x


@jax.jit(static_argnums=(0, 2))
def jitted_and_checkpointed(f, x, most):
    @jax.checkpoint
    def step(x, _):
        value, pull_back = jax.vjp(f, x)
        (slope,) = pull_back(jnp.ones_like(value))
        goes_on = jnp.abs(value) > 1e-4
        move = jnp.where(goes_on, value / jnp.where(goes_on, slope, 1.0), 0.0)
        return x - move, move

    return lax.scan(step, x, length=most)[0]


def finished_by_where(f, x, most):
    def step(x, _):
        value, slope = jax.value_and_grad(f)(x)
        return jnp.where(jnp.abs(value) > 1e-4, x - value / slope, x), None

    return lax.scan(step, x, None, length=most)[0]


def by_switch_in_a_dict(f, x, most):
    def body(_, state):
        x = state["x"]
        far = jnp.int32(jnp.abs(f(x)) > 1e-4)
        return {"x": lax.switch(far, [lambda x: x, lambda x: x - f(x) / jax.grad(f)(x)], x)}

    return lax.fori_loop(0, most, body, {"x": jnp.float32(x)})["x"]


def with_the_value_in_the_carry(f, x, most):
    value_and_slope = jax.value_and_grad(f)

    def step(_, state):
        x, value, slope = state
        far = jnp.abs(value) > 1e-4
        x = x - jnp.where(far, value, 0.0) / jnp.where(far, slope, 1.0)
        return x, *value_and_slope(x)

    x = jnp.float32(x)
    return lax.fori_loop(0, most, step, (x, *value_and_slope(x)))[0]


def finished_where_flat(f, x, most):
    def step(x, _):
        value, slope = jax.value_and_grad(f)(x)
        far = (jnp.abs(value) > 1e-4) & (jnp.abs(slope) > 1e-3)
        return jnp.where(far, x - value / jnp.where(far, slope, 1.0), x), None

    return lax.scan(step, x, None, length=most)[0]


def only_steps_that_improve(f, x, most):
    def move(x):
        new = x - f(x) / jax.grad(f)(x)
        return jnp.where(jnp.abs(f(new)) < jnp.abs(f(x)), new, x)

    def body(_, x):
        return lax.cond(jnp.abs(f(x)) > 1e-4, move, lambda x: x, x)

    return lax.fori_loop(0, most, body, x)


def slope_held(f, x, most):
    def body(_, x):
        slope = lax.stop_gradient(jax.grad(f)(x))
        return lax.cond(jnp.abs(f(x)) > 1e-4, lambda x: x - f(x) / slope, lambda x: x, x)

    return lax.fori_loop(0, most, body, x)


def start_held(f, x, most):
    return by_fori_loop_and_cond(f, lax.stop_gradient(x), most)


def at_most_thirty(f, x, most):
    return by_fori_loop_and_cond(f, x, min(most, 30))


def step_of_size_zero(f, x, most):
    def body(_, x):
        y = f(x)
        return x - (jnp.abs(y) > 1e-4) * y / jax.grad(f)(x)

    return lax.fori_loop(0, most, body, x)


def derived_implicitly(f, x, most):
    def solve(f, x):
        return newton_by_while(f, x, most)

    def tangent_solve(g, y):
        slope = g(jnp.ones_like(y))
        return jnp.where(slope == 0, 0.0, y / jnp.where(slope == 0, 1.0, slope))

    return lax.custom_root(f, jnp.float32(x), solve, tangent_solve)


def newton_by_while(f, x, most):
    def goes_on(state):
        i, x = state
        return (i < most) & (jnp.abs(f(x)) > 1e-4)

    def body(state):
        i, x = state
        return i + 1, x - f(x) / jax.grad(f)(x)

    return lax.while_loop(goes_on, body, (0, x))[1]


def left_by_break(f, x, most):
    for _ in range(most):
        if abs(f(x)) <= 1e-4:
            break
        x = x - f(x) / jax.grad(f)(x)
    return jnp.float32(x)


def newton_unrolled(f, x, most):
    for _ in range(most):
        y, slope = jax.value_and_grad(f)(x)
        x = jnp.where(jnp.abs(y) > 1e-4, x - y / slope, x)
    return jnp.float32(x)


def never_finished(f, x, most):
    return lax.fori_loop(0, most, lambda _, x: x - f(x) / jax.grad(f)(x), x)


def without_bound(f, x, most):
    def body(x):
        return x - f(x) / jax.grad(f)(x)

    return lax.while_loop(lambda x: jnp.abs(f(x)) > 1e-4, body, x)


def stopped(f, x, most):
    return lax.stop_gradient(by_fori_loop_and_cond(f, x, most))


def bound_made_an_array(f, x, most):
    return by_fori_loop_and_cond(f, x, jnp.array(most))


def finished_by_step_size(f, x, most):
    def step(x, _):
        new = x - f(x) / jax.grad(f)(x)
        return jnp.where(jnp.abs(new - x) > 1e-4, new, x), None

    return lax.scan(step, x, None, length=most)[0]


def one_step_late(f, x, most):
    def step(state, _):
        x, done = state
        value, slope = jax.value_and_grad(f)(x)
        return (jnp.where(done, x, x - value / slope), jnp.abs(value) <= 1e-4), None

    return lax.scan(step, (x, False), None, length=most)[0][0]


def without_abs(f, x, most):
    def body(_, x):
        return jnp.where(f(x) > 1e-4, x - f(x) / jax.grad(f)(x), x)

    return lax.fori_loop(0, most, body, x)


def one_more_step_derived(f, x, most):
    x = lax.stop_gradient(newton_by_while(f, x, most))
    return x - f(x) / lax.stop_gradient(jax.grad(f)(x))


def root_by_heart(f, x, most):
    return jnp.float32(2 ** (1 / 3))


# median_gaps


def _gap(row):
    return jnp.median(jnp.abs(row[:, None] - row[None, :]))


def one_row_at_a_time(rows):
    return lax.map(jax.checkpoint(_gap), rows)


def in_batches_of_five(rows):
    return lax.map(
        jax.remat(lambda row: jnp.median(jnp.abs(jnp.subtract.outer(row, row)))), rows, batch_size=5
    )


def by_scan_without_carry(rows):
    @jax.checkpoint
    def step(_, row):
        return None, _gap(row)

    return lax.scan(step, None, rows)[1]


def by_reshaped_chunks(rows):
    chunks = rows.reshape(-1, 8, rows.shape[1])
    return lax.map(jax.checkpoint(jax.vmap(_gap)), chunks).reshape(-1)


def by_padded_chunks(rows):
    n, width = rows.shape
    chunks = jnp.pad(rows, ((0, -n % 8), (0, 0))).reshape(-1, 8, width)
    return lax.map(jax.checkpoint(jax.vmap(_gap)), chunks).reshape(-1)[:n]


def in_batches_of_dozens(rows):
    return lax.map(jax.checkpoint(_gap), rows, batch_size=64)


def gradient_stopped(rows):
    return lax.map(lambda row: lax.stop_gradient(_gap(row)), rows, batch_size=8)


def half_of_the_gradient(rows):
    def gap(row):
        return jnp.median(jnp.abs(row[:, None] - lax.stop_gradient(row)))

    return lax.map(jax.checkpoint(gap), rows)


def two_halves(rows):
    gaps, half = jax.vmap(jax.checkpoint(_gap)), (len(rows) + 1) // 2
    return jnp.concatenate([gaps(rows[:half]), gaps(rows[half:])])


@jax.jit
def filled_row_by_row(rows):
    @jax.checkpoint
    def body(gaps, i):
        return gaps.at[i].set(_gap(rows[i])), None

    return lax.scan(body, jnp.zeros(len(rows)), jnp.arange(len(rows)))[0]


def all_at_once(rows):
    return jax.vmap(_gap)(rows)


def checkpointed_all_at_once(rows):
    return jax.vmap(jax.checkpoint(_gap))(rows)


def forgotten_checkpoint(rows):
    return lax.map(_gap, rows, batch_size=8)


def checkpoint_outside(rows):
    return jax.checkpoint(lambda rows: lax.map(_gap, rows))(rows)


@jax.custom_vjp
def all_at_once_on_the_way_back(rows):
    return lax.map(_gap, rows)


def _all_rows_back(rows, slopes):
    return jax.vjp(jax.vmap(_gap), rows)[1](slopes)


all_at_once_on_the_way_back.defvjp(lambda rows: (lax.map(_gap, rows), rows), _all_rows_back)


def pairs_kept_by_name(rows):
    def gap(row):
        i, j = jnp.tril_indices(len(row))
        gaps = checkpoint_name(jnp.abs(row[i] - row[j]), "gaps")
        both = jnp.zeros((len(row), len(row))).at[i, j].set(gaps).at[j, i].set(gaps)
        return jnp.median(both)

    only = jax.checkpoint_policies.save_only_these_names("gaps")
    return lax.map(jax.checkpoint(gap, policy=only), rows)


def chunks_by_python(rows):
    parts = [jax.vmap(jax.checkpoint(_gap))(rows[i : i + 8]) for i in range(0, len(rows), 8)]
    return jnp.concatenate(parts)


def pairs_without_itself(rows):
    def gap(row):
        i, j = jnp.triu_indices(row.size, 1)
        return jnp.median(jnp.abs(row[i] - row[j]))

    return lax.map(gap, rows)


def median_of_all(rows):
    return jnp.median(lax.map(_gap, rows))


def a_batch_of_all(rows):
    return lax.map(jax.checkpoint(_gap), rows, batch_size=len(rows))


def mapped_by_python(rows):
    return jnp.array(list(map(_gap, rows)))


# decayed_sum


def with_named_halves(decay, x):
    def combine(earlier, later):
        (a, u), (b, v) = earlier, later
        return a * b, b * u + v

    _, y = lax.associative_scan(combine, (decay, x))
    return y


@jax.jit
def with_a_dict(decay, x):
    def combine(p, q):
        return {"by": p["by"] * q["by"], "plus": p["plus"] * q["by"] + q["plus"]}

    return lax.associative_scan(combine, {"by": decay, "plus": x})["plus"]


def with_matrices(decay, x):
    zero, one = jnp.zeros_like(x), jnp.ones_like(x)
    steps = jnp.stack([jnp.stack([decay, x], -1), jnp.stack([zero, one], -1)], -2)
    steps = steps.at[0, 0, 0].set(0.0)
    return lax.associative_scan(lambda p, q: q @ p, steps)[:, 0, 1]


def doubled_by_hand(decay, x):
    shift = 1
    while shift < len(x):
        before = jnp.concatenate([jnp.zeros(shift), x[:-shift]])
        factor = jnp.concatenate([jnp.ones(shift), decay[:-shift]])
        x, decay, shift = x + decay * before, decay * factor, 2 * shift
    return x


def by_recursion(decay, x):
    n = len(x)
    if n == 1:
        return x
    if n % 2:
        return by_recursion(jnp.append(decay, 0.0), jnp.append(x, 0.0))[:n]
    pairs = decay[1::2] * x[::2] + x[1::2]
    odd = by_recursion(decay[1::2] * decay[::2], pairs)
    before = jnp.concatenate([jnp.zeros(1), odd[:-1]])
    return jnp.stack([decay[::2] * before + x[::2], odd], axis=1).reshape(-1)


def zero_made_small(decay, x):
    product = jnp.cumprod(jnp.where(decay == 0, 1e-6, decay))
    return product * jnp.cumsum(x / product)


def three_rounds(decay, x):
    for shift in (1, 2, 4):
        before = x
        x = x.at[shift:].add(decay[shift:] * before[:-shift])
        decay = decay.at[shift:].multiply(decay[:-shift])
    return x


def six_rounds(decay, x):
    for shift in (1, 2, 4, 8, 16, 32):
        before = x
        x = x.at[shift:].add(decay[shift:] * before[:-shift])
        decay = decay.at[shift:].multiply(decay[:-shift])
    return x


def with_a_mask_of_pairs(decay, x):
    steps = jnp.arange(len(x))
    earlier = steps[:, None] >= steps
    return jnp.where(earlier.any(axis=1), with_named_halves(decay, x), 0.0)


def decayed_by_scan(decay, x):
    def step(y, pair):
        y = pair[0] * y + pair[1]
        return y, y

    return lax.scan(step, jnp.float32(0), (decay, x))[1]


def decayed_by_fori_loop(decay, x):
    return lax.fori_loop(1, len(x), lambda i, y: y.at[i].add(decay[i] * y[i - 1]), x)


def decayed_by_numpy(decay, x):
    def by_steps(decay, x):
        y = np.array(x)
        for i in range(1, len(y)):
            y[i] += decay[i] * y[i - 1]
        return y

    return jax.pure_callback(by_steps, jax.ShapeDtypeStruct(x.shape, x.dtype), decay, x)


def decayed_unrolled(decay, x):
    y = [x[0]]
    for i in range(1, len(x)):
        y.append(decay[i] * y[-1] + x[i])
    return jnp.stack(y)


def not_associative(decay, x):
    return lax.associative_scan(lambda p, q: (q[0], q[0] * p[1] + q[1]), (decay, x))[1]


def combined_the_other_way(decay, x):
    return lax.associative_scan(lambda p, q: (p[0] * q[0], p[0] * q[1] + p[1]), (decay, x))[1]


def divided_by_products(decay, x):
    product = jnp.cumprod(decay)
    return product * jnp.cumsum(x / product)


def pairs_of_all(decay, x):
    n = len(x)
    later = jnp.where(jnp.tri(n, k=-1) > 0, decay[:, None], 1.0)
    return jnp.tril(jnp.cumprod(later, axis=0)) @ x


def both_halves(decay, x):
    return lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (decay, x))


def first_halves(decay, x):
    return both_halves(decay, x)[0]


def last_sum(decay, x):
    return with_named_halves(decay, x)[-1]


RIGHT = {
    "smooth": [
        with_the_rest_as_xs,
        filled_by_fori_loop,
        as_a_matrix,
        by_a_while_loop,
        by_pairs,
        Smoother(0.1),
    ],
    "running_mean": [
        count_cast,
        count_from_outside,
        by_cumsum,
        by_sums_of_pairs,
        python_zero_as_count,
        with_a_named_tuple,
    ],
    "newton": [
        by_fori_loop_and_cond,
        with_a_flag_in_the_carry,
        jitted_and_checkpointed,
        by_switch_in_a_dict,
        with_the_value_in_the_carry,
    ],
    "median_gaps": [
        one_row_at_a_time,
        in_batches_of_five,
        by_scan_without_carry,
        by_padded_chunks,
        in_batches_of_dozens,
        filled_row_by_row,
    ],
    "decayed_sum": [with_named_halves, with_a_dict, with_matrices, doubled_by_hand, by_recursion],
}
WRONG = {
    "smooth": {
        "loops/unrolled": [smooth_as_given, unrolled_under_jit, unrolled_by_scan],
        "value/differs": [started_at_zero, first_level_forgotten, divided_by_powers],
        "value/shape": [last_level_only, first_signal_by_heart],
        "value/structure": [carry_and_levels],
        "runs/raised": [no_pair, filled_like_numpy],
        "tracing/numpy-on-tracer": [by_numpy],
        "loops/carry-mismatch": [carried_as_a_vector],
    },
    "running_mean": {
        "loops/carry-mismatch": [
            mean_as_given,
            count_still_float,
            mean_still_scalar,
            only_the_mean_given_back,
        ],
        "value/dtype": [started_as_float, length_as_it_is, length_of_numpy],
        "value/shape": [pair_turned_round, last_mean_only],
        "value/structure": [step_without_output],
        "value/differs": [mean_kept_integer, counted_in_eight_bits],
        "loops/unrolled": [means_unrolled],
    },
    "newton": {
        "loops/reverse-mode": [newton_by_while, bound_made_an_array],
        "tracing/branch-on-tracer": [left_by_break],
        "loops/unrolled": [newton_unrolled],
        "value/differs": [
            never_finished,
            without_bound,
            finished_by_step_size,
            one_step_late,
            without_abs,
            one_more_step_derived,
            root_by_heart,
            at_most_thirty,
            finished_where_flat,
            only_steps_that_improve,
        ],
        "derivatives/wrong": [stopped, derived_implicitly, slope_held, start_held],
        "derivatives/not-finite": [finished_by_where],
        "value/nan": [step_of_size_zero],
    },
    "median_gaps": {
        "cost/memory": [
            all_at_once,
            checkpointed_all_at_once,
            a_batch_of_all,
            two_halves,
            all_at_once_on_the_way_back,
        ],
        "derivatives/wrong": [gradient_stopped, half_of_the_gradient],
        "runs/raised": [by_reshaped_chunks],
        "loops/residuals": [forgotten_checkpoint, checkpoint_outside, pairs_kept_by_name],
        "loops/unrolled": [chunks_by_python, mapped_by_python],
        "value/differs": [pairs_without_itself],
        "value/shape": [median_of_all],
    },
    "decayed_sum": {
        "loops/sequential": [decayed_by_scan, decayed_by_fori_loop, decayed_by_numpy],
        "loops/unrolled": [decayed_unrolled],
        "value/differs": [
            not_associative,
            combined_the_other_way,
            divided_by_products,
            first_halves,
            zero_made_small,
            three_rounds,
            six_rounds,
        ],
        "cost/memory": [pairs_of_all, with_a_mask_of_pairs],
        "value/structure": [both_halves],
        "value/shape": [last_sum],
    },
}
