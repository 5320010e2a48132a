"""Right and wrong answers to the exercises of 07_loops."""

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


def a_scan_for_each_block(signal):
    level, levels = signal[0], []
    for start in range(0, signal.size, 50):
        block = signal[start : start + 50]
        level, each = lax.scan(lambda y, v: (0.9 * y + 0.1 * v,) * 2, level, block)
        levels.append(each)
    return jnp.concatenate(levels)


def a_sixteenth_laid_out(signal):
    unroll = max(1, signal.size // 16)
    return lax.scan(lambda y, v: (0.9 * y + 0.1 * v,) * 2, signal[0], signal, unroll=unroll)[1]


def thirty_rounds_laid_out(signal):
    return lax.scan(lambda y, v: (0.9 * y + 0.1 * v,) * 2, signal[0], signal, unroll=30)[1]


def all_rounds_laid_out(signal):
    return lax.scan(lambda y, v: (0.9 * y + 0.1 * v,) * 2, signal[0], signal, unroll=True)[1]


def eight_rounds_laid_out(signal):
    return lax.scan(lambda y, v: (0.9 * y + 0.1 * v,) * 2, signal[0], signal, unroll=8)[1]


# bounded_while


def by_fori_loop_and_cond(goes_on, body, state, most):
    def step(_, pair):
        state, steps = pair
        return lax.cond(goes_on(state), lambda: (body(state), steps + 1), lambda: (state, steps))

    return lax.fori_loop(0, most, step, (state, jnp.int32(0)))


def with_a_flag_in_the_carry(goes_on, body, state, most):
    def step(carry, _):
        state, steps, done = carry
        done = done | jnp.logical_not(goes_on(state))
        state = lax.cond(done, lambda state: state, body, state)
        return (state, steps + jnp.where(done, 0, 1), done), None

    (state, steps, _), _ = lax.scan(step, (state, 0, False), None, length=most)
    return state, steps


def counted_from_flags(goes_on, body, state, most):
    def step(state, _):
        goes = jnp.asarray(goes_on(state))
        return lax.switch(goes.astype(int), [lambda s: s, body], state), goes

    state, went = lax.scan(jax.checkpoint(step), state, length=most)
    return state, jnp.sum(went, dtype=jnp.int32)


class BoundedWhile:
    def __call__(self, goes_on, body, state, most):
        @jax.jit
        def step(i, pair):
            go = lambda pair: (body(pair[0]), i + 1)  # noqa: E731  # as readers write it
            return lax.cond(goes_on(pair[0]), go, lambda pair: pair, pair)

        return lax.fori_loop(0, most, step, (state, 0))


def plain_while(goes_on, body, state, most):
    def both(pair):
        return (pair[1] < most) & goes_on(pair[0])

    return lax.while_loop(both, lambda pair: (body(pair[0]), pair[1] + 1), (state, 0))


def bound_made_an_array(goes_on, body, state, most):
    return by_fori_loop_and_cond(goes_on, body, state, jnp.array(most))


def left_by_break(goes_on, body, state, most):
    steps = 0
    for _ in range(most):
        if not goes_on(state):
            break
        state, steps = body(state), steps + 1
    return state, jnp.int32(steps)


def while_unrolled(goes_on, body, state, most):
    steps = jnp.int32(0)
    for _ in range(most):
        goes = goes_on(state)
        state = lax.cond(goes, body, lambda state: state, state)
        steps = steps + goes
    return state, steps


def without_bound(goes_on, body, state, most):
    return plain_while(goes_on, body, state, 10**6)


def at_most_thirty(goes_on, body, state, most):
    return by_fori_loop_and_cond(goes_on, body, state, min(most, 30))


def never_finished(goes_on, body, state, most):
    return lax.fori_loop(0, most, lambda _, state: body(state), state), jnp.int32(most)


def asked_afterwards(goes_on, body, state, most):
    def step(carry, _):
        state, steps, goes = carry
        new = lax.cond(goes, body, lambda state: state, state)
        return (new, steps + goes.astype(int), goes & goes_on(new)), None

    start = state, 0, jnp.bool(True)
    (state, steps, _), _ = lax.scan(step, start, None, length=most)
    return state, steps


def bound_rounded_up(goes_on, body, state, most):
    def step(carry, _):
        state, steps = carry
        alive = goes_on(state)
        return (lax.cond(alive, body, lambda state: state, state), steps + alive), None

    def eight(carry, _):
        return lax.scan(step, carry, None, length=min(most, 8))

    return lax.scan(eight, (state, 0), None, length=-(-most // 8))[0]


def waste_counted(goes_on, body, state, most):
    return by_fori_loop_and_cond(goes_on, body, state, most)[0], jnp.int32(most)


def counted_in_floats(goes_on, body, state, most):
    state, steps = by_fori_loop_and_cond(goes_on, body, state, most)
    return state, steps.astype(float)


def state_alone(goes_on, body, state, most):
    return by_fori_loop_and_cond(goes_on, body, state, most)[0]


def steps_first(goes_on, body, state, most):
    return by_fori_loop_and_cond(goes_on, body, state, most)[::-1]


def kept_by_where(goes_on, body, state, most):
    def step(carry, _):
        state, steps = carry
        goes = goes_on(state)
        new = jax.tree.map(lambda new, old: jnp.where(goes, new, old), body(state), state)
        return (new, steps + jnp.where(goes, 1, 0)), None

    return lax.scan(step, (state, 0), None, length=most)[0]


def of_one_array(goes_on, body, state, most):
    def step(carry, _):
        state, steps = carry
        goes = goes_on(state)
        return (jnp.where(goes, body(state), state), steps + jnp.where(goes, 1, 0)), None

    return lax.scan(step, (state, 0), None, length=most)[0]


def result_held(goes_on, body, state, most):
    return lax.stop_gradient(by_fori_loop_and_cond(goes_on, body, state, most))


def start_held(goes_on, body, state, most):
    return by_fori_loop_and_cond(goes_on, body, lax.stop_gradient(state), most)


def one_last_step_derived(goes_on, body, state, most):
    state, steps = by_fori_loop_and_cond(goes_on, body, state, max(most - 1, 0))
    last = by_fori_loop_and_cond(goes_on, body, lax.stop_gradient(state), min(most, 1))
    return last[0], steps + last[1]


def nan_made_zero(goes_on, body, state, most):
    def tame(state):
        return jax.tree.map(jnp.nan_to_num, body(state))

    return kept_by_where(goes_on, tame, state, most)


def counted_in_a_byte(goes_on, body, state, most):
    def step(state, _):
        go = goes_on(state)
        return lax.cond(go, body, lambda s: s, state), go

    state, went = lax.scan(step, state, None, length=most)
    return state, jnp.sum(went.astype(jnp.int8), dtype=jnp.int8).astype(jnp.int32)


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


def in_batches_of_hundreds(rows):
    return lax.map(jax.checkpoint(_gap), rows, batch_size=256)


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


def _of_two(earlier, later):
    return earlier[0] * later[0], later[0] * earlier[1] + later[1]


@jax.custom_vjp
def with_a_way_back_of_its_own(decay, x):
    return lax.associative_scan(_of_two, (decay, x))[1]


def _keep_decays(decay, x):
    y = with_a_way_back_of_its_own(decay, x)
    return y, (decay, y)


def _go_back(kept, slopes):
    decay, y = kept
    later = jnp.concatenate([decay[1:], jnp.zeros(1)])
    of_x = jnp.flip(with_a_way_back_of_its_own(jnp.flip(later), jnp.flip(slopes)))
    return of_x * jnp.concatenate([jnp.zeros(1), y[:-1]]), of_x


with_a_way_back_of_its_own.defvjp(_keep_decays, _go_back)


def blocks_of_sixteen_by_python(decay, x):
    n, blocks = len(x), -(-len(x) // 16)
    decay, x = (jnp.pad(each, (0, 16 * blocks - n)).reshape(blocks, 16) for each in (decay, x))
    factors, sums = lax.associative_scan(_of_two, (decay, x), axis=1)
    rows = [sums[0]]
    for i in range(1, blocks):
        rows.append(factors[i] * rows[-1][-1] + sums[i])
    return jnp.concatenate(rows)[:n]


def as_many_rounds_as_the_root(decay, x):
    n, width = len(x), int(np.ceil(len(x) ** 0.5))
    decay, x = (jnp.pad(each, (0, width**2 - n)).reshape(width, width) for each in (decay, x))
    columns = [(decay[:, 0], x[:, 0])]
    for i in range(1, width):
        columns.append(_of_two(columns[-1], (decay[:, i], x[:, i])))
    factors, sums = (jnp.stack(each, axis=1) for each in zip(*columns, strict=True))
    rows = [sums[0]]
    for i in range(1, width):
        rows.append(factors[i] * rows[-1][-1] + sums[i])
    return jnp.concatenate(rows)[:n]


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


def in_thirds(decay, x):
    """Combine the entries in threes, then the threes, and so on."""

    def ends(decay, x):
        n = len(x)
        if n == 1:
            return decay, x
        rows = [
            jnp.pad(each, (0, -n % 3), constant_values=filled).reshape(-1, 3)
            for each, filled in ((decay, 1.0), (x, 0.0))
        ]
        one, two, three = ((rows[0][:, i], rows[1][:, i]) for i in range(3))
        two = _of_two(one, two)
        three = _of_two(two, three)
        last = ends(*three)
        before = (jnp.append(1.0, last[0][:-1]), jnp.append(0.0, last[1][:-1]))
        all_three = [_of_two(before, each) for each in (one, two, three)]
        return tuple(
            jnp.stack(each, axis=1).reshape(-1)[:n] for each in zip(*all_three, strict=True)
        )

    return ends(decay, x)[1]


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


def ten_rounds(decay, x):
    a, b, t = decay.at[0].set(0.0), x, jnp.arange(x.size)
    for k in range(10):
        before = t >= 2**k
        earlier_a = jnp.where(before, jnp.roll(a, 2**k), 1.0)
        earlier_b = jnp.where(before, jnp.roll(b, 2**k), 0.0)
        a, b = a * earlier_a, b + a * earlier_b
    return b


def levels_held(signal):
    return lax.stop_gradient(by_pairs(signal))


def all_rounds_but_one_laid_out(signal):
    def step(level, value):
        level = 0.9 * level + 0.1 * value
        return level, level

    return lax.scan(step, signal[0], signal, unroll=max(1, signal.size - 1))[1]


def five_hundred_at_most(goes_on, body, state, most):
    return by_fori_loop_and_cond(goes_on, body, state, min(most, 500))


def containers_held(goes_on, body, state, most):
    last, steps = by_fori_loop_and_cond(goes_on, body, state, most)
    return (last if hasattr(last, "dtype") else lax.stop_gradient(last)), steps


def gradient_of_the_rest_alone(rows):
    whole = rows.shape[0] // 8 * 8
    batches, rest = (one_row_at_a_time(each) for each in (rows[:whole], rows[whole:]))
    return jnp.concatenate([lax.stop_gradient(batches), rest])


def single_entries_returned(rows):
    return rows[:, 0] if rows.shape[1] == 1 else one_row_at_a_time(rows)


def decays_held(decay, x):
    return with_named_halves(lax.stop_gradient(decay), x)


def decays_up_to_a_hundred(decay, x):
    return with_named_halves(jnp.clip(decay, -100, 100), x)


def derivative_of_its_own(goes_on, body, state, most):
    """Go back by `custom_vjp`, which knows nothing of what `body` closes over."""

    def forward(state):
        def one(pair, _):
            state, steps = pair
            going = goes_on(state)
            return (lax.cond(going, body, lambda state: state, state), steps + going), state

        last, states = lax.scan(one, (state, 0), None, length=most)
        return last, (states, last[1])

    def backward(kept, slopes):
        def one(slope, each):
            state, i = each
            (earlier,) = jax.vjp(body, state)[1](slope)
            return lax.cond(i < kept[1], lambda: earlier, lambda: slope), None

        return lax.scan(one, slopes[0], (kept[0], jnp.arange(most)), reverse=True)[:1]

    run = jax.custom_vjp(lambda state: forward(state)[0])
    run.defvjp(forward, backward)
    return run(state)


def a_loop_for_each_bit(goes_on, body, state, most):
    def step(pair, _):
        go = lambda pair: (body(pair[0]), pair[1] + 1)  # noqa: E731  # as readers write it
        return lax.cond(goes_on(pair[0]), go, lambda pair: pair, pair), None

    pair = state, jnp.int32(0)
    for bit in range(most.bit_length()):
        if most >> bit & 1:
            pair = lax.scan(step, pair, None, length=1 << bit)[0]
    return pair


def by_a_tree_of_halves(goes_on, body, state, most):
    def run(pair, most):
        if most == 1:
            go = lambda pair: (body(pair[0]), pair[1] + 1)  # noqa: E731  # as readers write it
            return lax.cond(goes_on(pair[0]), go, lambda pair: pair, pair)
        half = jax.checkpoint(lambda pair, _: (run(pair, most // 2), None))
        return lax.scan(half, pair, None, length=2)[0]

    return run((state, jnp.int32(0)), most) if most else (state, jnp.int32(0))


def in_blocks_with_a_rest(goes_on, body, state, most):
    def step(pair, _):
        go = lambda pair: (body(pair[0]), pair[1] + 1)  # noqa: E731  # as readers write it
        return lax.cond(goes_on(pair[0]), go, lambda pair: pair, pair), None

    @jax.checkpoint
    def block(pair, _):
        return lax.scan(step, pair, None, length=9)[0], None

    pair = state, jnp.int32(0)
    if most >= 9:
        pair = lax.scan(block, pair, None, length=most // 9)[0]
    return lax.scan(step, pair, None, length=most % 9)[0] if most % 9 else pair


def rounds_of_conds(goes_on, body, state, most):
    steps = jnp.int32(0)
    for _ in range(most):
        going = goes_on(state)
        state, steps = lax.cond(going, body, lambda state: state, state), steps + going
    return state, steps


RIGHT = {
    "smooth": [
        with_the_rest_as_xs,
        filled_by_fori_loop,
        as_a_matrix,
        by_a_while_loop,
        by_pairs,
        Smoother(0.1),
        eight_rounds_laid_out,
        thirty_rounds_laid_out,
    ],
    "bounded_while": [
        by_fori_loop_and_cond,
        with_a_flag_in_the_carry,
        counted_from_flags,
        BoundedWhile(),
        in_blocks_with_a_rest,
    ],
    "median_gaps": [
        one_row_at_a_time,
        in_batches_of_five,
        by_scan_without_carry,
        by_padded_chunks,
        in_batches_of_dozens,
        filled_row_by_row,
    ],
    "decayed_sum": [
        with_named_halves,
        with_a_dict,
        with_matrices,
        doubled_by_hand,
        by_recursion,
        with_a_way_back_of_its_own,
        in_thirds,
    ],
}
WRONG = {
    "smooth": {
        "loops/unrolled": [
            smooth_as_given,
            unrolled_under_jit,
            unrolled_by_scan,
            all_rounds_laid_out,
            all_rounds_but_one_laid_out,
            a_scan_for_each_block,
            a_sixteenth_laid_out,
        ],
        "value/differs": [started_at_zero, first_level_forgotten, divided_by_powers],
        "value/shape": [last_level_only, first_signal_by_heart],
        "value/structure": [carry_and_levels],
        "runs/raised": [no_pair, filled_like_numpy],
        "tracing/numpy-on-tracer": [by_numpy],
        "loops/carry-mismatch": [carried_as_a_vector],
        "derivatives/wrong": [levels_held],
    },
    "bounded_while": {
        "loops/reverse-mode": [plain_while, bound_made_an_array],
        "tracing/branch-on-tracer": [left_by_break],
        "loops/unrolled": [
            while_unrolled,
            rounds_of_conds,
            a_loop_for_each_bit,
            by_a_tree_of_halves,
        ],
        "tracing/leaked": [derivative_of_its_own],
        "value/differs": [
            without_bound,
            at_most_thirty,
            never_finished,
            asked_afterwards,
            waste_counted,
            bound_rounded_up,
            counted_in_a_byte,
            five_hundred_at_most,
        ],
        "value/dtype": [counted_in_floats],
        "value/structure": [state_alone],
        "derivatives/wrong": [result_held, start_held, one_last_step_derived, containers_held],
        "derivatives/not-finite": [kept_by_where, nan_made_zero],
        "runs/raised": [of_one_array],
    },
    "median_gaps": {
        "cost/memory": [
            all_at_once,
            checkpointed_all_at_once,
            a_batch_of_all,
            two_halves,
            in_batches_of_hundreds,
            all_at_once_on_the_way_back,
        ],
        "derivatives/wrong": [gradient_stopped, half_of_the_gradient, gradient_of_the_rest_alone],
        "runs/raised": [by_reshaped_chunks],
        "loops/residuals": [forgotten_checkpoint, checkpoint_outside, pairs_kept_by_name],
        "loops/unrolled": [chunks_by_python, mapped_by_python],
        "value/differs": [pairs_without_itself, single_entries_returned],
        "value/shape": [median_of_all],
    },
    "decayed_sum": {
        "loops/sequential": [decayed_by_scan, decayed_by_fori_loop],
        "loops/unrolled": [
            decayed_unrolled,
            blocks_of_sixteen_by_python,
            as_many_rounds_as_the_root,
        ],
        "value/differs": [
            not_associative,
            combined_the_other_way,
            divided_by_products,
            first_halves,
            zero_made_small,
            three_rounds,
            six_rounds,
            ten_rounds,
            decays_up_to_a_hundred,
        ],
        "cost/memory": [pairs_of_all, with_a_mask_of_pairs],
        "value/structure": [both_halves],
        "value/shape": [last_sum],
        "derivatives/wrong": [decays_held],
        "cost/python-calls": [decayed_by_numpy],
    },
}
