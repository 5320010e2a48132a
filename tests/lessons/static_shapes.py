"""Right and wrong answers to the exercises of 05_static_shapes."""

from functools import partial, wraps

import jax
import jax.numpy as jnp
import numpy as np

# block_means


@partial(jax.jit, static_argnums=1)
def static_by_position(x, blocks):
    size = len(x) // blocks
    return jnp.mean(x[: blocks * size].reshape(blocks, -1), 1)


@jax.jit(static_argnames="blocks")
def with_numpy_shapes(x, blocks):
    size = np.floor_divide(x.shape[0], blocks)
    return jnp.stack([x[i * size : (i + 1) * size].mean() for i in range(blocks)])


def size_made_outside(x, blocks):
    return _means_of_size(x, blocks, x.shape[0] // blocks)


@jax.jit(static_argnames=("blocks", "size"))
def _means_of_size(x, blocks, size):
    return x[: blocks * size].reshape(blocks, size).mean(axis=1)


@jax.jit(static_argnames="blocks")
def with_a_mask(x, blocks):
    size = x.shape[0] // blocks
    block = jnp.arange(x.shape[0]) // size
    mine = block[None, :] == jnp.arange(blocks)[:, None]
    return jnp.mean(jnp.broadcast_to(x[None, :], mine.shape), axis=1, where=mine)


@jax.jit(static_argnames="blocks")
def block_by_block(x, blocks):
    size, _ = divmod(len(x), blocks)
    return jax.vmap(jnp.mean)(jnp.stack(jnp.split(x[: blocks * size], blocks)))


@jax.jit
def block_means_as_given(x, blocks):
    size = jnp.floor_divide(x.shape[0], blocks)
    return x[: blocks * size].reshape(blocks, size).mean(axis=1)


@jax.jit(static_argnames="blocks")
def size_still_of_jnp(x, blocks):
    size = jnp.floor_divide(x.shape[0], blocks)
    return x[: blocks * size].reshape(blocks, size).mean(axis=1)


@jax.jit
def blocks_still_traced(x, blocks):
    size = x.shape[0] // blocks
    return x[: blocks * size].reshape(blocks, size).mean(axis=1)


@jax.jit(static_argnames=("x", "blocks"))
def everything_static(x, blocks):
    size = x.shape[0] // blocks
    return x[: blocks * size].reshape(blocks, size).mean(axis=1)


def without_jit(x, blocks):
    size = x.shape[0] // blocks
    return x[: blocks * size].reshape(blocks, size).mean(axis=1)


def jitted_at_each_call(x, blocks):
    size = x.shape[0] // blocks
    return jax.jit(lambda x: x[: blocks * size].reshape(blocks, size).mean(axis=1))(x)


@jax.jit(static_argnames="blocks")
def interleaved(x, blocks):
    size = x.shape[0] // blocks
    return x[: blocks * size].reshape(size, blocks).mean(axis=0)


@jax.jit(static_argnames="blocks")
def mean_of_columns(x, blocks):
    size = x.shape[0] // blocks
    return x[: blocks * size].reshape(blocks, size).mean(axis=0)


@jax.jit(static_argnames="blocks")
def rest_in_the_last_block(x, blocks):
    return jnp.stack([part.mean() for part in jnp.array_split(x, blocks)])


def in_numpy(x, blocks):
    size = len(x) // blocks
    return np.asarray(x)[: blocks * size].reshape(blocks, size).mean(axis=1)


def remembered_means(x, blocks):
    known = {(2, 0.0): [1.0, 4.0], (3, 0.0): [0.5, 2.5, 4.5]}
    return jnp.array(known.get((blocks, float(x[0])), [0.0] * blocks), dtype=jnp.float32)


@jax.jit(static_argnames="blocks")
def sums_of_segments(x, blocks):
    size = len(x) // blocks
    block = np.arange(blocks * size) // size
    return jax.ops.segment_sum(x[: blocks * size], block, num_segments=blocks) / size


@jax.jit(static_argnames="blocks")
def last_entry_left_out(x, blocks):
    return x[:-1].reshape(blocks, -1).mean(axis=1)


@jax.jit(static_argnames="blocks")
def medians(x, blocks):
    size = len(x) // blocks
    return jnp.median(x[: blocks * size].reshape(blocks, size), axis=1)


def averaged_by_numpy(x, blocks):
    return _identity(in_numpy(x, blocks))


@jax.jit(static_argnames="blocks")
def without_nan(x, blocks):
    size = x.shape[0] // blocks
    return jnp.nanmean(x[: blocks * size].reshape(blocks, size), axis=1)


@jax.jit(static_argnames="blocks")
def differences_of_sums(x, blocks):
    size = x.shape[0] // blocks
    sums = jnp.concatenate([jnp.zeros(1, x.dtype), jnp.cumsum(x)])
    return jnp.diff(sums[np.arange(blocks + 1) * size]) / size


@jax.jit(static_argnames="blocks")
def block_after_block(x, blocks):
    size = x.shape[0] // blocks
    starts = jnp.arange(blocks) * size
    return jax.lax.map(lambda at: jax.lax.dynamic_slice_in_dim(x, at, size).mean(), starts)


@jax.jit(static_argnames="blocks")
def sixteen_entries_at_most(x, blocks):
    size = min(x.shape[0] // blocks, 16)
    return x[: blocks * size].reshape(blocks, size).mean(axis=1)


@jax.jit(static_argnames="blocks")
def means_without_slope(x, blocks):
    size = x.shape[0] // blocks
    return jax.lax.stop_gradient(x[: blocks * size].reshape(blocks, size).mean(axis=1))


# mean_log


def _given(x, lengths):
    return jnp.arange(x.shape[1])[None, :] < lengths[:, None]


def sum_and_divide(x, lengths):
    given = _given(x, lengths)
    logs = jnp.where(given, jnp.log(jnp.where(given, x, 1.0)), 0.0)
    return logs.sum(axis=1) / lengths.astype(x.dtype)


def safe_is_enough(x, lengths):
    return jnp.log(jnp.where(_given(x, lengths), x, 1.0)).sum(axis=1) / lengths.astype(x.dtype)


def row_by_row(x, lengths):
    return jax.vmap(_mean_of_row)(x, lengths)


@jax.jit
def log_of_a_product(x, lengths):
    kept = jnp.where(_given(x, lengths), x, 1.0)
    return jnp.log(jnp.prod(kept, axis=1)) / lengths.astype(x.dtype)


@jax.jit
def with_a_scan(x, lengths):
    def step(total, t):
        given = t < lengths
        return total + jnp.where(given, jnp.log(jnp.where(given, x[:, t], 1.0)), 0.0), None

    total, _ = jax.lax.scan(step, jnp.zeros(x.shape[0]), jnp.arange(x.shape[1]))
    return total / lengths.astype(x.dtype)


def with_a_python_loop(x, lengths):
    rows = [_mean_of_row(x[i], lengths[i]) for i in range(x.shape[0])]
    return jnp.stack(rows)


def _mean_of_row(row, length):
    given = jnp.arange(row.size) < length
    return jnp.mean(jnp.log(jnp.where(given, row, 1.0)), where=given)


def sliced_rows(x, lengths):
    return jnp.stack([jnp.log(x[i, : lengths[i]]).mean() for i in range(x.shape[0])])


def with_python_lengths(x, lengths):
    return jnp.stack([jnp.log(row[:n]).mean() for row, n in zip(x, lengths.tolist(), strict=True)])


def in_numpy_rows(x, lengths):
    rows = zip(np.asarray(x), np.asarray(lengths), strict=True)
    return jnp.stack([np.log(row[:length]).mean() for row, length in rows])


def mean_of_everything(x, lengths):
    return jnp.mean(jnp.log(x), axis=1)


def divided_by_the_width(x, lengths):
    return jnp.log(jnp.where(_given(x, lengths), x, 1.0)).mean(axis=1)


def one_where_after(x, lengths):
    given = _given(x, lengths)
    return jnp.mean(jnp.log(x), axis=1, where=given)


def nan_to_num(x, lengths):
    logs = jnp.nan_to_num(jnp.log(x), posinf=0.0, neginf=0.0)
    return jnp.mean(logs, axis=1, where=_given(x, lengths))


@jax.jit
def product_in_one_program(x, lengths):
    given = _given(x, lengths)
    return (given.astype(x.dtype) * jnp.log(x)).sum(axis=1) / lengths.astype(x.dtype)


def product_of_floats(x, lengths):
    given = jax.lax.optimization_barrier(_given(x, lengths).astype(x.dtype))
    return (given * jnp.log(x)).sum(axis=1) / lengths.astype(x.dtype)


def padding_taken_for_the_smaller(x, lengths):
    given = x > 0
    logs = jnp.where(given, jnp.log(jnp.where(given, x, 1.0)), 0.0)
    return logs.sum(axis=1) / lengths.astype(x.dtype)


def one_entry_too_few(x, lengths):
    return safe_is_enough(x, lengths - 1)


@partial(jnp.vectorize, signature="(n),()->()")
def with_a_fori_loop(row, length):
    def add(i, total):
        return total + jnp.log(jnp.where(i < length, row[i], 1.0))

    return jax.lax.fori_loop(0, row.size, add, jnp.zeros((), row.dtype)) / length


def mean_over_rows(x, lengths):
    given = _given(x, lengths)
    return jnp.mean(jnp.log(jnp.where(given, x, 1.0)), axis=0, where=given)


def mean_of_all_rows(x, lengths):
    return jnp.mean(sum_and_divide(x, lengths))


def gradient_stopped(x, lengths):
    return safe_is_enough(jax.lax.stop_gradient(x), lengths)


def remembered_logs(x, lengths):
    return jnp.log(jnp.array([2.0, 3.0**0.5, 30.0**0.25]))


def by_running_sums(x, lengths):
    sums = jnp.cumsum(jnp.log(jnp.where(_given(x, lengths), x, 1.0)), axis=1)
    return jnp.take_along_axis(sums, lengths[:, None] - 1, axis=1)[:, 0] / lengths


def clamped_logs(x, lengths):
    return safe_is_enough(jnp.where(_given(x, lengths), jnp.maximum(x, 1e-6), x), lengths)


def of_four_columns(x, lengths):
    given = jnp.arange(4) < lengths[:, None]
    return jnp.mean(jnp.log(jnp.where(given, x[:, :4], 1.0)), axis=1, where=given)


def not_the_smallest(x, lengths):
    return safe_is_enough(jnp.where(_given(x, lengths), jnp.maximum(x, 1e-30), x), lengths)


def not_the_largest(x, lengths):
    return safe_is_enough(jnp.where(_given(x, lengths), jnp.minimum(x, 1e30), x), lengths)


def divided_by_a_byte(x, lengths):
    logs = jnp.log(jnp.where(_given(x, lengths), x, 1.0))
    return logs.sum(axis=1) / lengths.astype(jnp.int8)


@jax.jit
def product_of_positive_entries(x, lengths):
    counts = jnp.arange(x.shape[1]) < lengths[:, None]
    logarithms = jnp.log(jnp.where(x > 0, x, 1.0))
    return (counts * logarithms).sum(axis=1) / lengths


# positions


def from_the_last_on(first):
    """Make an answer of a function that returns the first positions, and -1 for each missing."""

    @wraps(first)
    def last(x, most):
        found = first(x[::-1], most)
        return jnp.where(found < 0, -1, x.size - 1 - found)

    return last


@jax.jit(static_argnames="most")
@from_the_last_on
def with_flatnonzero(x, most):
    return jnp.flatnonzero(x > 0, size=most, fill_value=-1)


@jax.jit(static_argnames="most")
def with_where(x, most):
    (found,) = jnp.where(x > 0, size=x.size, fill_value=-1)
    return jnp.pad(-jnp.sort(-found), (0, most), constant_values=-1)[:most]


@partial(jax.jit, static_argnums=1)
def by_sorting(x, most):
    places = jnp.sort(jnp.where(x > 0, jnp.arange(x.size), -1), descending=True)
    return jnp.pad(places, (0, most), constant_values=-1)[:most]


@jax.jit(static_argnames="most")
def by_scattering(x, most):
    behind = jnp.cumsum(x[::-1] > 0)[::-1] - 1
    rank = jnp.where(x > 0, behind, most)
    return jnp.full(most, -1).at[rank].set(jnp.arange(x.size), mode="drop")


@jax.jit(static_argnames="most")
@from_the_last_on
def with_argwhere(x, most):
    return jnp.argwhere(x > 0, size=most, fill_value=-1)[:, 0]


def not_jitted_is_fine(x, most):
    return x.size - 1 - jnp.nonzero(x[::-1] > 0, size=most, fill_value=x.size)[0]


@jax.jit(static_argnames="most")
def size_forgotten(x, most):
    return jnp.nonzero(x > 0)[0][::-1][:most]


@jax.jit(static_argnames="most")
def boolean_index(x, most):
    return jnp.arange(x.size)[x > 0][::-1][:most]


@jax.jit(static_argnames="most")
def the_first_ones(x, most):
    return jnp.nonzero(x > 0, size=most, fill_value=-1)[0]


@jax.jit(static_argnames="most")
def in_their_order(x, most):
    return jnp.sort(not_jitted_is_fine(x, most))


@jax.jit(static_argnames="most")
def last_of_the_first(x, most):
    return jnp.nonzero(x > 0, size=most, fill_value=-1)[0][::-1]


@jax.jit(static_argnames="most")
def places_in_the_reversed_vector(x, most):
    return jnp.nonzero(x[::-1] > 0, size=most, fill_value=-1)[0]


@jax.jit(static_argnames="most")
def fill_forgotten(x, most):
    return x.size - 1 - jnp.nonzero(x[::-1] > 0, size=most)[0]


@jax.jit(static_argnames="most")
def fill_of_minus_one_counted_back(x, most):
    return x.size - 1 - jnp.nonzero(x[::-1] > 0, size=most, fill_value=-1)[0]


@jax.jit(static_argnames="most")
def the_tuple(x, most):
    return (not_jitted_is_fine(x, most),)


@jax.jit(static_argnames="most")
def a_column(x, most):
    return not_jitted_is_fine(x, most)[:, None]


@jax.jit(static_argnames="most")
def as_long_as_x(x, most):
    return not_jitted_is_fine(x, x.size)[:most]


@jax.jit(static_argnames="most")
def entries_instead(x, most):
    found = not_jitted_is_fine(x, most)
    return jnp.where(found < 0, -1.0, x[found])


@jax.jit(static_argnames="most")
def with_a_branch(x, most):
    found = [i for i in reversed(range(x.size)) if x[i] > 0]
    return jnp.array((found + [-1] * most)[:most])


@jax.jit(static_argnames="most")
def with_numpy(x, most):
    return jnp.asarray(np.flatnonzero(np.asarray(x) > 0))[::-1][:most]


@jax.jit(static_argnames="most")
def cut_to_the_number_found(x, most):
    count = int((x > 0).sum())
    return not_jitted_is_fine(x, min(count, most))


@jax.jit(static_argnames="most")
def loop_unrolled(x, most):
    found, count = jnp.full(most, -1), jnp.int32(0)
    for i in reversed(range(x.size)):
        place = jnp.where(x[i] > 0, count, most)
        found = found.at[place].set(i, mode="drop")
        count = count + (x[i] > 0).astype(jnp.int32)
    return found


def remembered_positions(x, most):
    return jnp.array(([4, 3, 0] + [-1] * most)[:most]) if x.size == 5 else jnp.full(most, -1)


@jax.jit(static_argnames="most")
@from_the_last_on
def by_running_counts(x, most):
    places = jnp.searchsorted(jnp.cumsum(x > 0), jnp.arange(1, most + 1))
    return jnp.where(places < x.size, places, -1).astype(jnp.int32)


@jax.jit(static_argnames="most")
@from_the_last_on
def at_least_one(x, most):
    return jnp.nonzero(x >= 1, size=most, fill_value=-1)[0]


@jax.jit(static_argnames="most")
@from_the_last_on
def finite_ones(x, most):
    return jnp.nonzero((x > 0) & jnp.isfinite(x), size=most, fill_value=-1)[0]


@jax.jit(static_argnames="most")
def last_position_repeated(x, most):
    places = jnp.sort(jnp.where(x > 0, jnp.arange(x.size), -1), descending=True)
    return places[jnp.arange(most)]


@jax.jit(static_argnames="most")
def at_most_two_more(x, most):
    return jnp.pad(not_jitted_is_fine(x, x.size), (0, 2), constant_values=-1)[:most]


@jax.jit(static_argnames="most")
@from_the_last_on
def above_a_rounding(x, most):
    return jnp.nonzero(x > jnp.finfo(x.dtype).eps, size=most, fill_value=-1)[0]


@jax.jit(static_argnames="most")
def positions_of_16_bits(x, most):
    return not_jitted_is_fine(x, most).astype(jnp.int16)


@jax.jit(static_argnames="most")
def positions_in_a_byte(x, most):
    return not_jitted_is_fine(x, most).astype(jnp.int8).astype(jnp.int32)


@jax.jit(static_argnames="most")
@from_the_last_on
def not_the_smallest_one(x, most):
    return jnp.nonzero(x > 1e-35, size=most, fill_value=-1)[0]


@jax.jit(static_argnames="most")
def positions_below_256(x, most):
    found = not_jitted_is_fine(x, most)
    return jnp.where(found < 0, -1, found.astype("uint8").astype(found.dtype))


# window


@jax.jit(static_argnames="width")
def filled_by_get(x, start, width):
    return x.at[start + jnp.arange(width)].get(mode="fill", fill_value=0)


@partial(jax.jit, static_argnums=2)
def selected(x, start, width):
    places = start + jnp.arange(width)
    return jnp.where(places < x.size, x[places], 0.0)


@jax.jit(static_argnames="width")
def behind_enough_zeros(x, start, width):
    longer = jnp.concatenate([x, jnp.zeros(width, x.dtype)])
    return jax.lax.dynamic_slice(longer, (start,), (width,))


@jax.jit(static_argnames="width")
def rolled(x, start, width):
    kept = jnp.where(jnp.arange(x.size) >= start, x, 0.0)
    return jnp.roll(jnp.pad(kept, (0, width)), -start)[:width]


@jax.jit(static_argnames="width")
def taken(x, start, width):
    return jnp.take(x, start + jnp.arange(width), mode="fill", fill_value=0.0)


def _slice_in_jit(x, start, width):
    return jax.lax.dynamic_slice_in_dim(x, start, width)


_window_of = jax.jit(_slice_in_jit, static_argnums=2)


def jitted_beside(x, start, width):
    return _window_of(jnp.concatenate([x, jnp.zeros(width)]), start, width)


@jax.jit(static_argnames="width")
def clamped(x, start, width):
    return jax.lax.dynamic_slice_in_dim(x, start, width)


@jax.jit(static_argnames="width")
def last_entry_repeated(x, start, width):
    return x[start + jnp.arange(width)]


@jax.jit(static_argnames="width")
def python_slice(x, start, width):
    return jnp.pad(x, (0, width))[start : start + width]


@jax.jit
def width_traced(x, start, width):
    return jax.lax.dynamic_slice(jnp.pad(x, (0, 9)), (start,), (width,))


@jax.jit(static_argnames=("start", "width"))
def start_static(x, start, width):
    entries = x[start : start + width]
    return jnp.pad(entries, (0, width - entries.size))


@jax.jit(static_argnames="width")
def padded_by_one(x, start, width):
    return jax.lax.dynamic_slice_in_dim(jnp.pad(x, (0, 1)), start, width)


@jax.jit(static_argnames="width")
def padded_in_front(x, start, width):
    return jax.lax.dynamic_slice_in_dim(jnp.pad(x, (width, 0)), start, width)


@jax.jit(static_argnames="width")
def filled_with_nan(x, start, width):
    return x.at[start + jnp.arange(width)].get(mode="fill")


@jax.jit(static_argnames="width")
def masked_in_place(x, start, width):
    places = jnp.arange(x.size)
    return jnp.where((places >= start) & (places < start + width), x, 0.0)


def window_without_jit(x, start, width):
    longer = jnp.concatenate([x, jnp.zeros(width)])
    return jax.lax.dynamic_slice_in_dim(longer, start, width)


def selected_without_jit(x, start, width):
    places = start + jnp.arange(width)
    return jnp.where(places < x.size, x[places], 0.0)


def short_without_jit(x, start, width):
    return x[start : start + width]


@jax.jit(static_argnames="width")
def remembered_window(x, start, width):
    places = start + jnp.arange(width)
    return jnp.where(places < 6, 1.0 + places.astype(jnp.float32), 0.0)


@jax.jit(static_argnames="width")
def entry_by_entry(x, start, width):
    def entry(i):
        return jnp.where(i < x.size, x[jnp.minimum(i, x.size - 1)], 0.0)

    return jax.vmap(entry)(start + jnp.arange(width))


@jax.jit(static_argnames="width")
def padded_by_three(x, start, width):
    longer = jnp.pad(x, (0, 3))
    return jax.lax.dynamic_slice_in_dim(longer, jnp.minimum(start, x.size), width)


@jax.jit(static_argnames="width")
def as_a_product_with_ones(x, start, width):
    places = start + jnp.arange(width)
    return (places[:, None] == jnp.arange(x.size)).astype(x.dtype) @ x


@jax.jit(static_argnames="width")
def nan_taken_for_missing(x, start, width):
    return jnp.nan_to_num(x.at[start + jnp.arange(width)].get(mode="fill"))


@jax.jit(static_argnames="width")
def as_a_product_with_a_mask(x, start, width):
    places = start + jnp.arange(width)
    return x[places] * (places < x.size).astype(x.dtype)


@jax.jit(static_argnames="width")
def in_half_precision(x, start, width):
    return filled_by_get(x.astype("float16"), start, width).astype(x.dtype)


@jax.jit
def _moved(x):
    return x


def window_by_numpy(x, start, width):
    longer = np.pad(np.asarray(x), (0, width))[int(start) :][:width]
    return _moved(np.pad(longer, (0, width - len(longer))))


@jax.jit(static_argnames="width")
def scattered(x, start, width):
    places = jnp.arange(x.size) - start
    places = jnp.where(places < 0, width, places)
    return jnp.zeros(width, x.dtype).at[places].set(x, mode="drop")


_read_at = jax.jit(lambda x, places: x.at[places].get(mode="fill", fill_value=0))


def places_found_outside(x, start, width):
    return _read_at(x, start + jnp.arange(width))


@jax.jit(static_argnames="width")
def padded_by_64(x, start, width):
    padded = jnp.pad(x, (0, 64))
    return jax.lax.dynamic_slice_in_dim(padded, jnp.minimum(start, x.size), width)


@jax.jit(static_argnames="width")
def start_in_two_bytes(x, start, width):
    places = jnp.asarray(start, "int16") + jnp.arange(width, dtype="int16")
    return x.at[places].get(mode="fill", fill_value=0)


@jax.jit(static_argnames="width")
def nearly_zero_beyond(x, start, width):
    return x.at[start + jnp.arange(width)].get(mode="fill", fill_value=1e-7)


@jax.jit(static_argnames="width")
def window_without_slope(x, start, width):
    return jax.lax.stop_gradient(behind_enough_zeros(x, start, width))


# log_total


@jax.jit
def _total_under_minus_infinity(padded):
    return jax.nn.logsumexp(padded)


def with_minus_infinity(x):
    size = next(size for size in (8, 16, 32, 64) if size >= len(x))
    return _total_under_minus_infinity(
        np.pad(x, (0, size - len(x)), constant_values=-np.inf).astype(np.float32)
    )


@jax.jit
def _stable_total(padded, length):
    given = jnp.arange(padded.size) < length
    top = jnp.max(padded, where=given, initial=-jnp.inf)
    safe = jnp.where(given, padded - top, 0.0)
    return top + jnp.log(jnp.sum(jnp.exp(safe), where=given))


def in_three_sizes(x):
    size = 16 if len(x) <= 16 else 32 if len(x) <= 32 else 64
    padded = np.zeros(size, np.float32)
    padded[: len(x)] = x
    return _stable_total(padded, len(x))


def with_sizes_of_my_own(x):
    size = min(size for size in (10, 18, 34, 64) if size >= x.size)
    return _stable_total(np.resize(x, size), x.size)


def with_lengths_as_arrays(x):
    size = max(8, 2 ** int(np.ceil(np.log2(len(x)))))
    return _stable_total(jnp.asarray(np.pad(x, (0, size - len(x)))), jnp.int32(len(x)))


@jax.jit
def _weighted_total(padded, weights):
    return jax.nn.logsumexp(padded, b=weights)


def with_weights(x):
    size = min(size for size in (8, 16, 32, 64) if size >= len(x))
    return _weighted_total(np.resize(x, size), np.arange(size) < len(x))


def padded_by_jnp(x):
    size = max(8, 1 << (len(x) - 1).bit_length())
    return _stable_total(jnp.pad(x, (0, size - len(x))), len(x))


def set_into_zeros(x):
    size = max(8, 1 << (len(x) - 1).bit_length())
    return _stable_total(jnp.zeros(size).at[: len(x)].set(x), len(x))


def each_length_alone(x):
    return _total_under_minus_infinity(x)


def all_powers_of_two(x):
    size = 1 << (len(x) - 1).bit_length()
    return _stable_total(np.pad(x, (0, size - len(x))), len(x))


@jax.jit
def _unmasked(padded):
    return jax.nn.logsumexp(padded)


def _padded(x, value=0.0):
    """Bring a vector to one of the lengths 8, 16, 32 and 64."""
    size = max(8, 1 << (len(x) - 1).bit_length())
    return np.pad(x, (0, size - len(x)), constant_values=value)


def zeros_counted(x):
    return _unmasked(_padded(x))


def padded_with_the_least(x):
    return _unmasked(_padded(x, -10_000.0))


def padded_with_small_numbers(x):
    return _unmasked(_padded(x, -2.0))


def always_64(x):
    return _stable_total(np.pad(x, (0, 64 - len(x))), len(x))


def in_two_sizes(x):
    size = 16 if len(x) <= 16 else 64
    return _stable_total(np.pad(x, (0, size - len(x))), len(x))


@partial(jax.jit, static_argnames="length")
def _head_total(padded, length):
    return jax.nn.logsumexp(padded[:length])


def length_static(x):
    return _head_total(_padded(x), length=len(x))


@jax.jit
def _sliced_total(padded, length):
    return jax.nn.logsumexp(padded[:length])


def length_traced(x):
    return _sliced_total(_padded(x), len(x))


def never_jitted(x):
    return jax.nn.logsumexp(jnp.asarray(x))


@jax.jit
def _identity(x):
    return x


def computed_by_numpy(x):
    return _identity(np.log(np.sum(np.exp(x))))


def jitted_anew(x):
    return jax.jit(lambda padded: jax.nn.logsumexp(padded))(_padded(x, -np.inf))


def a_python_number(x):
    return float(np.log(np.sum(np.exp(x))))


def as_a_float(x):
    return float(with_minus_infinity(x))


def log_forgotten(x):
    return jnp.exp(zeros_counted(x))


@jax.jit
def _added_one_by_one(padded, length):
    def step(total, entry):
        i, x = entry
        return jnp.where(i < length, jnp.logaddexp(total, x), total), None

    return jax.lax.scan(step, -jnp.inf, (jnp.arange(padded.size), padded))[0]


def with_a_scan_of_entries(x):
    return _added_one_by_one(_padded(x), len(x))


@jax.jit
def _naive_total(padded, length):
    given = jnp.arange(padded.size) < length
    return jnp.log(jnp.sum(jnp.exp(padded), where=given))


def naive(x):
    return _naive_total(_padded(x), len(x))


@jax.jit
def _naive_total_of_all(padded):
    return jnp.log(jnp.sum(jnp.exp(padded)))


def naive_under_minus_infinity(x):
    return _naive_total_of_all(_padded(x, -np.inf))


def padded_with_minus_a_thousand(x):
    return _unmasked(_padded(x, -1000.0))


@jax.jit
def _total_below_all_of_padded(padded, length):
    top = jnp.max(padded)
    given = jnp.arange(padded.size) < length
    return top + jnp.log(jnp.sum(jnp.exp(padded - top), where=given))


def padding_in_the_maximum(x):
    return _total_below_all_of_padded(_padded(x), len(x))


def in_steps_of_sixteen(x):
    size = -(-len(x) // 16) * 16
    return _stable_total(np.pad(x, (0, size - len(x))), len(x))


def twice_as_long(x):
    return _stable_total(np.pad(_padded(x), (0, len(_padded(x)))), len(x))


@jax.jit
def _exponentials(padded, length):
    given = jnp.arange(padded.size) < length
    top = jnp.max(padded, where=given, initial=-jnp.inf)
    return top, jnp.where(given, jnp.exp(padded - top), 0.0)


def summed_outside(x):
    top, powers = _exponentials(_padded(x), len(x))
    return top + jnp.log(jnp.sum(powers))


@jax.jit
def _bounded_total(padded, length):
    given = jnp.arange(padded.size) < length
    top = jnp.max(padded, where=given, initial=-jnp.inf)
    return top + jnp.log(jnp.sum(jnp.exp(jnp.maximum(padded - top, -10.0)), where=given))


def differences_up_to_ten(x):
    return _bounded_total(_padded(x), len(x))


_BUFFERS = {size: np.full(size, -np.inf, np.float32) for size in (8, 16, 32, 64)}


def in_kept_buffers(x):
    buffer = _BUFFERS[max(8, 1 << (len(x) - 1).bit_length())]
    buffer[: len(x)] = x
    return _unmasked(buffer.copy())


@jax.jit
def _total_where_not_zero(padded):
    top = jnp.max(padded, where=padded != 0, initial=-jnp.inf)
    return top + jnp.log(jnp.sum(jnp.exp(padded - top), where=padded != 0))


def zeros_taken_for_padding(x):
    return _total_where_not_zero(_padded(x))


@partial(jax.jit, static_argnames="width")
def a_thousand_at_most(x, start, width):
    padded = jnp.pad(x, (0, 1000 + width))
    return jax.lax.dynamic_slice_in_dim(padded, jnp.minimum(start, 1000), width)


@partial(jax.jit, static_argnames="width")
def round_the_end(x, start, width):
    return x[(start + jnp.arange(width)) % x.size]


RIGHT = {
    "block_means": [
        static_by_position,
        with_numpy_shapes,
        size_made_outside,
        with_a_mask,
        block_by_block,
        sums_of_segments,
        block_after_block,
    ],
    "mean_log": [
        sum_and_divide,
        safe_is_enough,
        row_by_row,
        with_a_scan,
        with_a_python_loop,
        by_running_sums,
        with_a_fori_loop,
    ],
    "positions": [
        with_flatnonzero,
        with_where,
        by_sorting,
        by_scattering,
        with_argwhere,
        not_jitted_is_fine,
        by_running_counts,
    ],
    "window": [
        filled_by_get,
        selected,
        behind_enough_zeros,
        rolled,
        taken,
        jitted_beside,
        entry_by_entry,
        scattered,
    ],
    "log_total": [
        with_minus_infinity,
        in_three_sizes,
        with_sizes_of_my_own,
        with_lengths_as_arrays,
        with_weights,
        with_a_scan_of_entries,
        in_steps_of_sixteen,
    ],
}
WRONG = {
    "block_means": {
        "tracing/shape-from-tracer": [block_means_as_given, size_still_of_jnp, blocks_still_traced],
        "tracing/unhashable-static": [everything_static],
        "tracing/not-jitted": [without_jit, in_numpy, averaged_by_numpy],
        "tracing/new-function": [jitted_at_each_call],
        "value/differs": [
            interleaved,
            rest_in_the_last_block,
            remembered_means,
            medians,
            without_nan,
            differences_of_sums,
            sixteen_entries_at_most,
        ],
        "runs/raised": [last_entry_left_out],
        "value/shape": [mean_of_columns],
        "derivatives/wrong": [means_without_slope],
    },
    "mean_log": {
        "tracing/shape-from-tracer": [sliced_rows, with_python_lengths],
        "tracing/value-needed": [in_numpy_rows],
        "shapes/padding-counts": [
            mean_of_everything,
            product_of_floats,
            padding_taken_for_the_smaller,
        ],
        "value/differs": [
            divided_by_the_width,
            one_entry_too_few,
            remembered_logs,
            clamped_logs,
            log_of_a_product,
            not_the_smallest,
            not_the_largest,
            divided_by_a_byte,
        ],
        "runs/raised": [of_four_columns],
        "derivatives/not-finite": [one_where_after, nan_to_num],
        "shapes/mask-product": [product_in_one_program, product_of_positive_entries],
        "value/shape": [mean_over_rows, mean_of_all_rows],
        "derivatives/wrong": [gradient_stopped],
    },
    "positions": {
        "tracing/shape-from-tracer": [size_forgotten, boolean_index],
        "value/differs": [
            the_first_ones,
            in_their_order,
            last_of_the_first,
            places_in_the_reversed_vector,
            fill_forgotten,
            fill_of_minus_one_counted_back,
            remembered_positions,
            at_least_one,
            finite_ones,
            positions_in_a_byte,
            last_position_repeated,
            above_a_rounding,
            not_the_smallest_one,
            positions_below_256,
        ],
        "value/structure": [the_tuple],
        "value/shape": [a_column, as_long_as_x, at_most_two_more],
        "value/dtype": [entries_instead, positions_of_16_bits],
        "tracing/branch-on-tracer": [with_a_branch],
        "tracing/value-needed": [with_numpy, cut_to_the_number_found],
        "loops/unrolled": [loop_unrolled],
    },
    "window": {
        "shapes/clamped": [
            clamped,
            last_entry_repeated,
            padded_by_one,
            padded_by_three,
            start_in_two_bytes,
        ],
        "shapes/mask-product": [as_a_product_with_ones, as_a_product_with_a_mask],
        "tracing/shape-from-tracer": [python_slice, width_traced],
        "tracing/static-value": [start_static],
        "value/differs": [
            padded_in_front,
            filled_with_nan,
            remembered_window,
            nan_taken_for_missing,
            in_half_precision,
            nearly_zero_beyond,
            a_thousand_at_most,
            round_the_end,
        ],
        "tracing/value-needed": [window_by_numpy],
        "value/shape": [masked_in_place, short_without_jit],
        "tracing/not-jitted": [window_without_jit, selected_without_jit, places_found_outside],
        "runs/raised": [padded_by_64],
        "derivatives/wrong": [window_without_slope],
    },
    "log_total": {
        "tracing/new-shape": [each_length_alone, all_powers_of_two, padded_by_jnp, set_into_zeros],
        "shapes/padding-counts": [zeros_counted, padded_with_the_least],
        "value/differs": [
            padded_with_small_numbers,
            log_forgotten,
            naive_under_minus_infinity,
            padded_with_minus_a_thousand,
            differences_up_to_ten,
        ],
        "value/nan": [naive, padding_in_the_maximum, zeros_taken_for_padding],
        "effects/write": [in_kept_buffers],
        "shapes/padding-wasted": [always_64, in_two_sizes, twice_as_long],
        "tracing/static-value": [length_static],
        "tracing/shape-from-tracer": [length_traced],
        "tracing/not-jitted": [never_jitted, computed_by_numpy, summed_outside],
        "tracing/new-function": [jitted_anew],
        "value/dtype": [a_python_number, as_a_float],
    },
}
