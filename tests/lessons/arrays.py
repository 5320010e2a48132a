"""Right and wrong answers to the exercises of 01_arrays."""

import time
from functools import cache, partial
from itertools import zip_longest
from time import perf_counter

import jax
import jax.numpy as jnp
import numpy as np

# clip_boxes


def with_slices(boxes, width, height):
    boxes = boxes.at[:, 0:4:2].set(jnp.clip(boxes[:, 0:4:2], 0, width))
    return boxes.at[:, 1:4:2].set(jnp.clip(boxes[:, 1:4:2], 0, height))


def with_min_and_max(boxes, width, height):
    limits = jnp.array([width, height, width, height])
    return boxes.at[:, :4].max(0.0).at[:, :4].min(limits)


def put_together(boxes, width, height):
    left, top, right, bottom = boxes[:, :4].T
    sides = [left.clip(0, width), top.clip(0, height), right.clip(0, width)]
    corners = jnp.stack([*sides, bottom.clip(0, height)], axis=1)
    return jnp.concatenate([corners, boxes[:, 4:]], axis=1)


@jax.jit
def with_where(boxes, width, height):
    limits = jnp.full(boxes.shape[1], jnp.inf).at[:4].set(jnp.array([width, height] * 2))
    floors = jnp.where(jnp.arange(boxes.shape[1]) < 4, 0.0, -jnp.inf)
    return jnp.minimum(jnp.maximum(boxes, floors), limits)


def column_by_column(boxes, width, height):
    for column in range(4):
        limit = height if column % 2 else width
        boxes = boxes.at[:, column].set(jnp.clip(boxes[:, column], 0, limit))
    return boxes


def clip_boxes_as_given(boxes, width, height):
    boxes[:, [0, 2]] = boxes[:, [0, 2]].clip(0, width)
    boxes[:, [1, 3]] = boxes[:, [1, 3]].clip(0, height)
    return boxes


def not_bound(boxes, width, height):
    boxes.at[:, [0, 2]].set(boxes[:, [0, 2]].clip(0, width))
    boxes.at[:, [1, 3]].set(boxes[:, [1, 3]].clip(0, height))
    return boxes


def second_from_the_old_one(boxes, width, height):
    clipped = boxes.at[:, [0, 2]].set(boxes[:, [0, 2]].clip(0, width))
    clipped = boxes.at[:, [1, 3]].set(boxes[:, [1, 3]].clip(0, height))
    return clipped  # noqa: RET504  # as it is written by mistake


def at_called(boxes, width, height):
    return boxes.at(0).set(boxes[0].clip(0, width))


def in_a_copy_of_numpy(boxes, width, height):
    clipped = np.array(boxes)
    return jnp.asarray(clip_boxes_as_given(clipped, width, height))


def edges_as_python_numbers(boxes, width, height):
    return with_slices(boxes, float(width), float(height))


def edges_exchanged(boxes, width, height):
    return with_slices(boxes, height, width)


def upper_edges_alone(boxes, width, height):
    return boxes.at[:, :4].min(jnp.array([width, height, width, height]))


def further_columns_left_out(boxes, width, height):
    return with_slices(boxes[:, :4], width, height)


def further_columns_clipped(boxes, width, height):
    boxes = boxes.at[:, 0::2].set(boxes[:, 0::2].clip(0, width))
    return boxes.at[:, 1::2].set(boxes[:, 1::2].clip(0, height))


def nan_replaced(boxes, width, height):
    return jnp.nan_to_num(with_slices(boxes, width, height))


def boxes_outside_left_out(boxes, width, height):
    inside = (boxes[:, 0] < width) & (boxes[:, 1] < height)
    return with_slices(boxes, width, height)[inside]


def nothing_returned(boxes, width, height):
    with_slices(boxes, width, height)


def rounded_to_pixels(boxes, width, height):
    return with_slices(boxes, width, height).astype("int32")


def edge_of_the_last_pixel(boxes, width, height):
    return with_slices(boxes, width - 1, height - 1)


@partial(jax.jit, static_argnames=("width", "height"))
def edges_static(boxes, width, height):
    boxes = boxes.at[:, 0:3:2].set(jnp.clip(boxes[:, 0:3:2], 0, width))
    return boxes.at[:, 1:4:2].set(jnp.clip(boxes[:, 1:4:2], 0, height))


def boxes_in_16_bits(boxes, width, height):
    short = boxes.astype(jnp.bfloat16)
    return with_slices(short, width, height).astype(boxes.dtype)


def further_columns_not_below_zero(boxes, width, height):
    limits = jnp.stack([width, height, width, height])
    more = jnp.full(boxes.shape[1] - 4, jnp.inf)
    return jnp.clip(boxes, 0, jnp.concatenate([limits, more])).astype(boxes.dtype)


# counts


def dropped_without_wrapping(labels, k):
    zeros = jnp.zeros(k, dtype="int32")
    return zeros.at[labels].add(1, mode="drop", wrap_negative_indices=False)


def compared(labels, k):
    return (labels[None, :] == jnp.arange(k)[:, None]).sum(axis=1).astype("int32")


@partial(jax.jit, static_argnums=1)
def one_hot(labels, k):
    return jax.nn.one_hot(labels, k, dtype="int32").sum(axis=0)


def weights_of_zero(labels, k):
    valid = (labels >= 0) & (labels < k)
    return jnp.zeros(k, dtype="int32").at[jnp.where(valid, labels, 0)].add(valid.astype("int32"))


def counted_by_bincount(labels, k):
    return jnp.bincount(jnp.where(labels < 0, k, labels), length=k + 1)[:k]


def sorted_and_searched(labels, k):
    edges = jnp.searchsorted(jnp.sort(labels), jnp.arange(k + 1))
    return jnp.diff(edges).astype("int32")


def negative_ones_wrapped(labels, k):
    return jnp.zeros(k, dtype="int32").at[labels].add(1)


def dropped_and_wrapped(labels, k):
    return jnp.zeros(k, dtype="int32").at[labels].add(1, mode="drop")


def set_to_one(labels, k):
    return jnp.zeros(k, dtype="int32").at[jnp.where(labels < 0, k, labels)].set(1)


def read_raised_and_set(labels, k):
    counted, places = jnp.zeros(k, dtype="int32"), jnp.where(labels < 0, k, labels)
    return counted.at[places].set(counted[places] + 1)


def clipped_labels(labels, k):
    return jnp.zeros(k, dtype="int32").at[labels.clip(0, k - 1)].add(1)


def mode_clip(labels, k):
    places = jnp.where(labels < 0, k + 5, labels)
    return jnp.zeros(k, dtype="int32").at[places].add(1, mode="clip")


def negative_ones_as_zero(labels, k):
    return jnp.bincount(labels, length=k)


def as_floats(labels, k):
    return jnp.zeros(k).at[jnp.where(labels < 0, k, labels)].add(1)


def counts_not_bound(labels, k):
    counted = jnp.zeros(k, dtype="int32")
    counted.at[jnp.where(labels < 0, k, labels)].add(1)
    return counted


def valid_ones_selected(labels, k):
    return negative_ones_wrapped(labels[(labels >= 0) & (labels < k)], k)


def counted_by_numpy(labels, k):
    labels = np.asarray(labels)
    return jnp.asarray(np.bincount(labels[(labels >= 0) & (labels < k)], minlength=k))


def label_after_label(labels, k):
    counted = jnp.zeros(k, dtype="int32")
    for label in labels:
        counted = counted.at[jnp.where(label < 0, k, label)].add(1)
    return counted


def with_a_branch(labels, k):
    return jnp.stack([jnp.int32(sum(1 for label in labels if label == i)) for i in range(k)])


@jax.jit
def number_of_labels_traced(labels, k):
    return counted_by_bincount(labels, k)


def place_for_the_others(labels, k):
    places = jnp.where((labels < 0) | (labels >= k), k, labels)
    return jnp.zeros(k + 1, dtype="int32").at[places].add(1)


def counted_in_16_bits(labels, k):
    return (labels[:, None] == jnp.arange(k)).sum(axis=0, dtype="float16").astype("int32")


def counted_in_a_byte(labels, k):
    places = jnp.where(labels < 0, k, labels)
    return jnp.zeros(k, dtype="uint8").at[places].add(1).astype("int32")


def wrapped_by_hand(labels, k):
    return jnp.bincount(labels % k, length=k)


def far_negative_ones_wrapped(labels, k):
    places = jnp.where((labels < 0) & (labels >= -k), k, labels)
    return jnp.zeros(k, dtype="int32").at[places % (k + 1)].add(1)


# store


@partial(jax.jit, donate_argnames="buffer")
def by_name(buffer, i, row):
    place = jnp.remainder(i, len(buffer))
    return jax.lax.dynamic_update_index_in_dim(buffer, row, place, axis=0)


@partial(jax.jit, donate_argnums=(0,))
def with_a_mask(buffer, i, row):
    here = jnp.arange(buffer.shape[0])[:, None] == i % buffer.shape[0]
    return jnp.where(here, row, buffer)


@partial(jax.jit, donate_argnums=0)
def _set_row(buffer, place, row):
    return buffer.at[place].set(row)


def place_found_outside(buffer, i, row):
    return _set_row(buffer, i % buffer.shape[0], row)


@jax.jit(donate_argnums=0)
def divided_with_rest(buffer, i, row):
    _, place = divmod(i, buffer.shape[0])
    return buffer.at[place, :].set(row)


@jax.jit
def not_donated(buffer, i, row):
    return buffer.at[i % buffer.shape[0]].set(row)


@jax.jit(donate_argnums=2)
def row_donated(buffer, i, row):
    return buffer.at[i % buffer.shape[0]].set(row)


@jax.jit(donate_argnums=0, static_argnames="i")
def place_static(buffer, i, row):
    return buffer.at[i % buffer.shape[0]].set(row)


@jax.jit(donate_argnums=0)
def beyond_the_end(buffer, i, row):
    return buffer.at[i].set(row)


@jax.jit(donate_argnums=0)
def moved_back(buffer, i, row):
    return jax.lax.dynamic_update_slice(buffer, row[None], (i, 0))


@jax.jit(donate_argnums=0)
def added(buffer, i, row):
    return buffer.at[i % buffer.shape[0]].add(row)


@jax.jit(donate_argnums=0)
def mixed_with_a_product(buffer, i, row):
    here = (jnp.arange(buffer.shape[0]) == i % buffer.shape[0])[:, None].astype(buffer.dtype)
    return jax.lax.optimization_barrier(1 - here) * buffer + here * row


@jax.jit(donate_argnums=0)
def store_not_bound(buffer, i, row):
    buffer.at[i % buffer.shape[0]].set(row)
    return buffer


def without_jit(buffer, i, row):
    return buffer.at[i % buffer.shape[0]].set(row)


def selected_without_jit(buffer, i, row):
    here = jnp.arange(buffer.shape[0])[:, None] == i % buffer.shape[0]
    return jnp.where(here, row, buffer)


def jitted_at_each_call(buffer, i, row):
    update = jax.jit(lambda buffer, i, row: buffer.at[i % buffer.shape[0]].set(row))
    return update(buffer, i, row)


@jax.jit(donate_argnums=0)
def in_place(buffer, i, row):
    buffer[i % buffer.shape[0]] = row
    return buffer


@jax.jit(donate_argnums=0)
def put_together_of_slices(buffer, i, row):
    place = i % buffer.shape[0]
    return jnp.concatenate([buffer[:place], row[None], buffer[place + 1 :]])


@jax.jit(donate_argnums=0)
def of_three_rows(buffer, i, row):
    return buffer.at[i % 3].set(row)


@jax.jit(donate_argnums=0)
def place_in_a_byte(buffer, i, row):
    return buffer.at[jnp.int32(i).astype("int8") % buffer.shape[0]].set(row)


@jax.jit(donate_argnums=0)
def shifted(buffer, i, row):
    return jnp.concatenate([buffer[1:], row[None]])


@partial(jax.jit, donate_argnums=0)
def place_in_floats(buffer, i, row):
    rounds = jnp.floor(jnp.float32(i) / len(buffer))
    place = jnp.float32(i) - rounds * len(buffer)
    return buffer.at[place.astype(int)].set(row)


# load


def padded_and_stacked(rows):
    width = max(len(row) for row in rows)
    padded = np.stack([np.pad(row, (0, width - len(row))) for row in rows])
    return jnp.array(padded / 255)


def moved_as_bytes(rows):
    filled = np.zeros((len(rows), max(row.size for row in rows)), "uint8")
    for target, row in zip(filled, rows, strict=True):
        target[: row.size] = row
    return jnp.asarray(filled) / 255


def scaled_under_jit(rows):
    filled = np.zeros((len(rows), max(row.size for row in rows)), "uint8")
    for target, row in zip(filled, rows, strict=True):
        target[: row.size] = row
    return _scaled(filled)


@jax.jit
def _scaled(pixels):
    return pixels.astype("float32") / 255.0


def put_on_the_device(rows):
    columns = [*zip_longest(*rows, fillvalue=0)]
    return jax.device_put(np.array(columns, "float32").T / np.float32(255))


def with_a_mask_of_lengths(rows):
    lengths = np.array([len(row) for row in rows])
    given = np.arange(lengths.max()) < lengths[:, None]
    filled = np.zeros(given.shape, "float32")
    filled[given] = np.concatenate(rows)
    return jnp.asarray(filled / 255)


def updated_in_jax(rows):
    filled = jnp.zeros((len(rows), max(map(len, rows))))
    for i, row in enumerate(rows):
        filled = filled.at[i, : len(row)].set(row / 255)
    return filled


def stacked_by_jax(rows):
    width = max(map(len, rows))
    return jnp.stack([jnp.asarray(np.pad(row, (0, width - len(row)))) / 255 for row in rows])


def padded_by_jax(rows):
    width = max(map(len, rows))
    return jnp.array([jnp.pad(row, (0, width - len(row))) / 255 for row in rows])


def in_place_in_jax(rows):
    filled = jnp.zeros((len(rows), max(map(len, rows))))
    for i, row in enumerate(rows):
        filled[i, : len(row)] = row / 255
    return filled


def left_in_numpy(rows):
    return np.asarray(padded_and_stacked(rows))


def left_as_bytes(rows):
    width = max(map(len, rows))
    return jnp.asarray(np.stack([np.pad(row, (0, width - len(row))) for row in rows]))


def divided_by_256(rows):
    return padded_and_stacked(rows) * (255 / 256)


def divided_as_bytes(rows):
    width = max(map(len, rows))
    return jnp.asarray(np.stack([np.pad(row // 255, (0, width - len(row))) for row in rows])) * 1.0


def in_half_precision(rows):
    return padded_and_stacked(rows).astype("float16").astype("float32")


def cut_to_the_shortest(rows):
    width = min(map(len, rows))
    return jnp.asarray(np.stack([row[:width] for row in rows]) / 255)


def zeros_in_front(rows):
    width = max(map(len, rows))
    return jnp.array(np.stack([np.pad(row, (width - len(row), 0)) for row in rows]) / 255)


def ragged(rows):
    return jnp.array(rows) / 255


def scaled_by_the_largest(rows):
    filled = padded_and_stacked(rows)
    return filled / filled.max()


def last_entry_repeated(rows):
    width = max(map(len, rows))
    padded = [np.pad(row, (0, width - len(row)), mode="edge") for row in rows]
    return jnp.asarray(np.stack(padded) / 255)


def one_list(rows):
    return jnp.asarray(np.concatenate(rows) / 255)


@cache
def table(*shape):
    return np.zeros(shape, "float32")


def into_one_table(rows):
    out = table(len(rows), max(map(len, rows)))
    for i, row in enumerate(rows):
        out[i, : len(row)] = row / 255
    return jnp.array(out)


def bytes_for_the_number_of_a_row(rows):
    filled = np.zeros((len(rows), max(map(len, rows))), "float32")
    for i in np.arange(len(rows)).astype("uint8"):
        filled[i, : len(rows[i])] = rows[i] / 255
    return jnp.asarray(filled)


# time_call


def with_the_method(f, x):
    jax.block_until_ready(f(x))
    begin = perf_counter()
    jax.tree.map(lambda leaf: leaf.block_until_ready(), f(x))
    end = perf_counter()
    return end - begin


def with_whole_nanoseconds(f, x):
    first = f(x)
    jax.block_until_ready(first)
    begin = time.perf_counter_ns()
    second = f(x)
    jax.block_until_ready(second)
    return (time.perf_counter_ns() - begin) / 1e9


def in_a_loop(f, x):
    for _ in range(2):
        begin = time.monotonic()
        jax.block_until_ready(f(x))
        seconds = time.monotonic() - begin
    return seconds


def not_awaited(f, x):
    jax.block_until_ready(f(x))
    start = perf_counter()
    f(x)
    return perf_counter() - start


def awaited_after_the_clock(f, x):
    jax.block_until_ready(f(x))
    start = perf_counter()
    result = f(x)
    stop = perf_counter()
    jax.block_until_ready(result)
    return stop - start


def first_one_not_awaited(f, x):
    f(x)
    start = perf_counter()
    jax.block_until_ready(f(x))
    return perf_counter() - start


def one_call(f, x):
    start = perf_counter()
    jax.block_until_ready(f(x))
    return perf_counter() - start


def first_one_timed(f, x):
    seconds = one_call(f, x)
    jax.block_until_ready(f(x))
    return seconds


def both_timed(f, x):
    start = perf_counter()
    jax.block_until_ready(f(x))
    jax.block_until_ready(f(x))
    return perf_counter() - start


def mean_of_both(f, x):
    return both_timed(f, x) / 2


def copied_to_the_host(f, x):
    jax.block_until_ready(f(x))
    start = perf_counter()
    jax.tree.map(np.asarray, f(x))
    return perf_counter() - start


def by_the_work_of_the_process(f, x):
    jax.block_until_ready(f(x))
    start = time.process_time()
    jax.block_until_ready(f(x))
    return time.process_time() - start


def first_array_awaited(f, x):
    jax.block_until_ready(f(x))
    start = perf_counter()
    jax.tree.leaves(f(x))[0].block_until_ready()
    return perf_counter() - start


def shortest_of_five(f, x):
    jax.block_until_ready(f(x))
    return min(one_call(f, x) for _ in range(5))


def begun_after_the_call(f, x):
    jax.block_until_ready(f(x))
    result = f(x)
    start = perf_counter()
    jax.block_until_ready(result)
    return perf_counter() - start


def in_milliseconds(f, x):
    jax.block_until_ready(f(x))
    return 1000 * one_call(f, x)


def with_the_result(f, x):
    result = jax.block_until_ready(f(x))
    return one_call(f, x), result


def under_jit(f, x):
    jitted = jax.jit(f)
    jax.block_until_ready(jitted(x))
    return one_call(jitted, x)


def warmed_up_with_zeros(f, x):
    jax.block_until_ready(f(jax.tree.map(jnp.zeros_like, x)))
    start = perf_counter()
    jax.block_until_ready(f(x))
    return perf_counter() - start


def box_by_box(boxes, width, height):
    def one(box):
        limits = jnp.array([width, height, width, height])
        return box.at[:4].set(jnp.clip(box[:4], 0.0, limits))

    return jax.vmap(one)(boxes)


def further_columns_up_to_a_million(boxes, width, height):
    limits = jnp.full(boxes.shape[1], 1e6).at[:4].set(jnp.array([width, height, width, height]))
    return jnp.clip(boxes, jnp.where(jnp.arange(boxes.shape[1]) < 4, 0.0, -1e6), limits)


def two_further_columns(boxes, width, height):
    return jnp.concatenate([with_slices(boxes[:, :4], width, height), boxes[:, 4:6]], axis=1)


def nan_of_further_columns_replaced(boxes, width, height):
    boxes = boxes.at[:, 4:].set(jnp.nan_to_num(boxes[:, 4:]))
    return with_slices(boxes, width, height)


def edges_put_in_order(boxes, width, height):
    boxes = with_slices(boxes, width, height)
    return boxes.at[:, 2:4].set(
        jnp.where(boxes[:, 2:4] < boxes[:, :2], boxes[:, :2], boxes[:, 2:4])
    )


def further_columns_in_16_bits(boxes, width, height):
    boxes = boxes.at[:, 4:].set(boxes[:, 4:].astype("bfloat16").astype("float32"))
    return with_slices(boxes, width, height)


def of_256_boxes(boxes, width, height):
    return boxes.at[:256].set(with_slices(boxes[:256], width, height))


@partial(jax.jit, donate_argnums=0)
def by_a_slice_and_a_remainder(buffer, i, row):
    place = jax.lax.rem(i, buffer.shape[0])
    return jax.lax.dynamic_update_slice_in_dim(buffer, row[None], place, axis=0)


@jax.jit(donate_argnums=0)
def place_in_16_bits(buffer, i, row):
    return buffer.at[jnp.asarray(i).astype("uint16") % buffer.shape[0]].set(row)


@jax.jit(donate_argnums=0)
def row_in_16_bits(buffer, i, row):
    return buffer.at[i % buffer.shape[0]].set(row.astype("float16").astype("float32"))


@jax.jit(donate_argnums=0)
def nan_not_stored(buffer, i, row):
    place = i % buffer.shape[0]
    return buffer.at[place].set(jnp.where(jnp.isnan(row), buffer[place], row))


@jax.jit(donate_argnums=0)
def row_within_bounds(buffer, i, row):
    return buffer.at[i % buffer.shape[0]].set(jnp.clip(row, -1e6, 1e6))


@jax.jit(donate_argnums=0)
def of_eight_columns(buffer, i, row):
    return buffer.at[i % buffer.shape[0], :8].set(row[:8])


@jax.jit(donate_argnums=0)
def place_by_bits(buffer, i, row):
    rows = buffer.shape[0]
    return buffer.at[i % rows if rows % 2 else i & (rows - 1)].set(row)


def summed_by_segment(labels, k):
    return jax.ops.segment_sum(jnp.ones_like(labels), labels, num_segments=k)


def counted_in_16_bits_without_a_sign(labels, k):
    return (labels[:, None] == jnp.arange(k)).sum(axis=0, dtype="uint16").astype("int32")


def labels_in_a_byte(labels, k):
    kept = jnp.where((labels < 0) | (labels >= k), 255, labels).astype("uint8")
    return (kept[:, None] == jnp.arange(k)).sum(axis=0).astype("int32")


def squeezed(labels, k):
    return jnp.squeeze(weights_of_zero(labels, k))


def lengths_in_a_byte(rows):
    lengths = np.array([len(row) for row in rows]).astype("uint8")
    filled = np.zeros((len(rows), lengths.max()), "float32")
    for i, row in enumerate(rows):
        filled[i, : lengths[i]] = row[: lengths[i]] / 255
    return jnp.asarray(filled)


def of_256_entries(rows):
    return padded_and_stacked([row[:256] for row in rows])


def in_a_number_of_numpy(f, x):
    return np.float32(with_the_method(f, x))


def shorter_of_both(f, x):
    return min(one_call(f, x), one_call(f, x))


def of_ones_at_first(f, x):
    jax.block_until_ready(f(jnp.ones_like(x)))
    start = perf_counter()
    jax.block_until_ready(f(x))
    return perf_counter() - start


def first_of_a_tuple_awaited(f, x):
    jax.block_until_ready(f(x))
    start = perf_counter()
    result = f(x)
    jax.block_until_ready(result[0] if isinstance(result, tuple) else result)
    return perf_counter() - start


def read_as_text(f, x):
    jax.block_until_ready(f(x))
    start = perf_counter()
    str(f(x))
    return perf_counter() - start


RIGHT = {
    "clip_boxes": [
        with_slices,
        with_min_and_max,
        put_together,
        with_where,
        column_by_column,
        box_by_box,
    ],
    "store": [
        by_name,
        with_a_mask,
        place_found_outside,
        divided_with_rest,
        by_a_slice_and_a_remainder,
    ],
    "counts": [
        dropped_without_wrapping,
        compared,
        one_hot,
        weights_of_zero,
        counted_by_bincount,
        sorted_and_searched,
        summed_by_segment,
    ],
    "load": [
        padded_and_stacked,
        moved_as_bytes,
        scaled_under_jit,
        put_on_the_device,
        with_a_mask_of_lengths,
    ],
    "time_call": [with_the_method, with_whole_nanoseconds, in_a_loop, in_a_number_of_numpy],
}
WRONG = {
    "clip_boxes": {
        "runs/raised": [clip_boxes_as_given, at_called],
        "arrays/lost-update": [not_bound, second_from_the_old_one],
        "tracing/value-needed": [in_a_copy_of_numpy, edges_as_python_numbers],
        "value/differs": [
            edges_exchanged,
            upper_edges_alone,
            further_columns_clipped,
            nan_replaced,
            edge_of_the_last_pixel,
            boxes_in_16_bits,
            further_columns_not_below_zero,
            further_columns_up_to_a_million,
            nan_of_further_columns_replaced,
            edges_put_in_order,
            further_columns_in_16_bits,
            of_256_boxes,
        ],
        "value/shape": [further_columns_left_out, two_further_columns],
        "tracing/shape-from-tracer": [boxes_outside_left_out],
        "tracing/static-tracer": [edges_static],
        "value/nothing": [nothing_returned],
        "value/dtype": [rounded_to_pixels],
    },
    "store": {
        "cost/not-donated": [not_donated, row_donated],
        "tracing/static-value": [place_static],
        "value/differs": [
            beyond_the_end,
            moved_back,
            added,
            mixed_with_a_product,
            of_three_rows,
            place_in_a_byte,
            place_in_floats,
            shifted,
            place_in_16_bits,
            row_in_16_bits,
            nan_not_stored,
            row_within_bounds,
            of_eight_columns,
            place_by_bits,
        ],
        "arrays/lost-update": [store_not_bound],
        "tracing/not-jitted": [without_jit, selected_without_jit],
        "tracing/new-function": [jitted_at_each_call],
        "runs/raised": [in_place],
        "tracing/shape-from-tracer": [put_together_of_slices],
    },
    "counts": {
        "arrays/negative-index": [
            negative_ones_wrapped,
            dropped_and_wrapped,
        ],
        "arrays/index-twice": [set_to_one, read_raised_and_set],
        "shapes/clamped": [clipped_labels, mode_clip, negative_ones_as_zero],
        "value/dtype": [as_floats],
        "arrays/lost-update": [counts_not_bound],
        "tracing/shape-from-tracer": [valid_ones_selected, number_of_labels_traced],
        "tracing/value-needed": [counted_by_numpy],
        "loops/unrolled": [label_after_label],
        "tracing/branch-on-tracer": [with_a_branch],
        "value/shape": [place_for_the_others, squeezed],
        "value/differs": [
            counted_in_a_byte,
            wrapped_by_hand,
            far_negative_ones_wrapped,
            counted_in_16_bits,
            counted_in_16_bits_without_a_sign,
            labels_in_a_byte,
        ],
    },
    "load": {
        "arrays/moved-in-pieces": [updated_in_jax, stacked_by_jax, padded_by_jax],
        "runs/raised": [in_place_in_jax, ragged],
        "arrays/not-moved": [left_in_numpy],
        "value/dtype": [left_as_bytes],
        "value/differs": [
            divided_by_256,
            divided_as_bytes,
            in_half_precision,
            zeros_in_front,
            scaled_by_the_largest,
            last_entry_repeated,
            bytes_for_the_number_of_a_row,
            into_one_table,
        ],
        "value/shape": [cut_to_the_shortest, one_list, lengths_in_a_byte, of_256_entries],
    },
    "time_call": {
        "cost/not-awaited": [not_awaited, first_array_awaited, first_of_a_tuple_awaited],
        "cost/undercounted": [
            awaited_after_the_clock,
            by_the_work_of_the_process,
            begun_after_the_call,
            shorter_of_both,
        ],
        "cost/overcounted": [
            first_one_not_awaited,
            first_one_timed,
            both_timed,
            mean_of_both,
            copied_to_the_host,
            in_milliseconds,
            read_as_text,
        ],
        "cost/calls-timed": [
            one_call,
            shortest_of_five,
            under_jit,
            warmed_up_with_zeros,
            of_ones_at_first,
        ],
        "value/structure": [with_the_result],
    },
}
