"""Right and wrong answers to the exercises of 10_vmap."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

# rate_all


def rate(model, example):
    hidden = jnp.where(example["mask"], jnp.tanh(example["x"] @ model["kernel"]), 0.0)
    return {"hidden": hidden, "score": hidden @ model["head"], "used": jnp.sum(example["mask"])}


def transposed_by_hand(model, batch):
    axes = (None, {"x": 0, "mask": None})
    rated = jax.vmap(rate, in_axes=axes)(model, batch | {"x": batch["x"].T})
    return {"hidden": rated["hidden"].T, "score": rated["score"], "used": rated["used"][0]}


def model_closed_over(model, batch):
    axes = {"hidden": -1, "score": 0, "used": None}
    return jax.vmap(
        lambda x: rate(model, {"x": x, "mask": batch["mask"]}), in_axes=-1, out_axes=axes
    )(batch["x"])


def without_vmap(model, batch):
    hidden = jnp.tanh(model["kernel"].T @ batch["x"])
    hidden = jnp.where(batch["mask"][:, None], hidden, 0.0)
    return {"hidden": hidden, "score": model["head"] @ hidden, "used": batch["mask"].sum()}


def column_by_column_in_a_map(model, batch):
    rated = lax.map(lambda x: rate(model, batch | {"x": x}), batch["x"].T)
    return rated | {"hidden": rated["hidden"].T, "used": jnp.sum(batch["mask"])}


def rate_as_given(model, batch):
    return jax.vmap(rate, in_axes=(None, {"x": 0}))(model, batch)


def mask_mapped(model, batch):
    return jax.vmap(rate, in_axes=(None, {"x": 1, "mask": 0}))(model, batch)


def model_mapped(model, batch):
    return jax.vmap(rate, in_axes=(0, {"x": 1, "mask": None}))(model, batch)


def dictionary_alone(model, batch):
    return jax.vmap(rate, in_axes={"x": 1, "mask": None})(model, batch)


def rows_mapped(model, batch):
    return jax.vmap(rate, in_axes=(None, {"x": 0, "mask": None}))(model, batch)


def result_in_rows(model, batch):
    axes = {"hidden": 0, "score": 0, "used": None}
    return jax.vmap(rate, (None, {"x": 1, "mask": None}), axes)(model, batch)


def used_for_each(model, batch):
    axes = {"hidden": 1, "score": 0, "used": 0}
    return jax.vmap(rate, (None, {"x": 1, "mask": None}), axes)(model, batch)


def all_on_axis_one(model, batch):
    return jax.vmap(rate, (None, {"x": 1, "mask": None}), 1)(model, batch)


def score_without_axis(model, batch):
    axes = {"hidden": 1, "score": None, "used": None}
    return jax.vmap(rate, (None, {"x": 1, "mask": None}), axes)(model, batch)


def score_left_out(model, batch):
    rated = without_vmap(model, batch)
    return {"hidden": rated["hidden"], "used": rated["used"]}


def used_as_a_float(model, batch):
    rated = without_vmap(model, batch)
    return rated | {"used": rated["used"].astype("float32")}


def column_by_column(model, batch):
    rated = [rate(model, batch | {"x": x}) for x in batch["x"].T]
    hidden = jnp.stack([each["hidden"] for each in rated], axis=1)
    return {
        "hidden": hidden,
        "score": jnp.stack([each["score"] for each in rated]),
        "used": rated[0]["used"],
    }


def mask_multiplied(model, batch):
    hidden = jnp.tanh(model["kernel"].T @ batch["x"]) * batch["mask"][:, None]
    return {"hidden": hidden, "score": model["head"] @ hidden, "used": batch["mask"].sum()}


def square_ones_not_turned(model, batch):
    rated = without_vmap(model, batch)
    hidden = rated["hidden"]
    return rated | {"hidden": hidden.T if hidden.shape[0] == hidden.shape[1] else hidden}


def used_told_from_the_result(model, batch):
    rated = without_vmap(model, batch)
    return rated | {"used": jnp.sum((rated["hidden"] != 0).any(axis=1)).astype("int32")}


def model_stopped(model, batch):
    axes = {"hidden": 1, "score": 0, "used": None}
    rated = jax.vmap(rate, in_axes=(None, {"x": 1, "mask": None}), out_axes=axes)
    return rated(lax.stop_gradient(model), batch)


def counted_in_eight_bits(model, batch):
    rated = without_vmap(model, batch)
    return rated | {"used": jnp.sum(batch["mask"], dtype="int8").astype("int32")}


def columns_stopped(model, batch):
    return without_vmap(model, lax.stop_gradient(batch))


# table


def _entry(tree, places):
    return jax.tree.map(lambda leaf: leaf[places], tree)


def _stacked(trees, axis=0):
    return jax.tree.map(lambda *leaves: jnp.stack(leaves, axis), *trees)


def other_one_inside(f, xs, ys):
    return jax.vmap(jax.vmap(f, (0, None)), (None, 0), out_axes=1)(xs, ys)


def with_an_inner_function(f, xs, ys):
    return jax.vmap(lambda x: jax.vmap(lambda y: f(x, y))(ys))(xs)


def by_map_in_parts(f, xs, ys):
    def row(x):
        return lax.map(lambda y: f(x, y), ys, batch_size=5)

    return lax.map(row, xs, batch_size=4)


def by_map(f, xs, ys):
    return lax.map(lambda x: lax.map(lambda y: f(x, y), ys), xs)


def flattened(f, xs, ys):
    n, m = (len(jax.tree.leaves(each)[0]) for each in (xs, ys))
    i, j = jnp.repeat(jnp.arange(n), m), jnp.tile(jnp.arange(m), n)
    pairs = jax.vmap(f)(_entry(xs, i), _entry(ys, j))
    return jax.tree.map(lambda leaf: leaf.reshape(n, m, *leaf.shape[1:]), pairs)


def one_vmap(f, xs, ys):
    return jax.vmap(f)(xs, ys)


def axes_exchanged(f, xs, ys):
    return jax.vmap(jax.vmap(f, in_axes=(0, None)), in_axes=(None, 0))(xs, ys)


def both_mapped_twice(f, xs, ys):
    return jax.vmap(jax.vmap(f))(xs, ys)


def pair_after_pair(f, xs, ys):
    n, m = (len(jax.tree.leaves(each)[0]) for each in (xs, ys))
    rows = [_stacked([f(_entry(xs, i), _entry(ys, j)) for j in range(m)]) for i in range(n)]
    return _stacked(rows)


def row_after_row(f, xs, ys):
    row = jax.vmap(f, in_axes=(None, 0))
    n = len(jax.tree.leaves(xs)[0])
    return _stacked([row(_entry(xs, i), ys) for i in range(n)])


def column_after_column(f, xs, ys):
    column = jax.vmap(f, in_axes=(0, None))
    m = len(jax.tree.leaves(ys)[0])
    return _stacked([column(xs, _entry(ys, j)) for j in range(m)], axis=1)


def broadcast(f, xs, ys):
    return f(xs[:, None], ys[None, :])


def numbers_turned(f, xs, ys):
    columns = jax.vmap(jax.vmap(f, in_axes=(0, None)), in_axes=(None, 0))(xs, ys)
    return jax.tree.map(jnp.transpose, columns)


def not_called(f, xs, ys):
    return jax.vmap(jax.vmap(f, in_axes=(None, 0)), in_axes=(0, None))


def left_flat(f, xs, ys):
    pairs = with_an_inner_function(f, xs, ys)
    return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), pairs)


def all_made_floats(f, xs, ys):
    filled = jax.vmap(jax.vmap(f, in_axes=(None, 0)), in_axes=(0, None))(xs, ys)
    return jax.tree.map(lambda leaf: leaf.astype(jnp.float32), filled)


def arguments_as_floats(f, xs, ys):
    return with_an_inner_function(f, *jax.tree.map(lambda a: a.astype("float32"), (xs, ys)))


def xs_stopped(f, xs, ys):
    return with_an_inner_function(f, lax.stop_gradient(xs), ys)


def rows_by_the_length_of_xs(f, xs, ys):
    def row(i):
        return jax.vmap(f, in_axes=(None, 0))(_entry(xs, i), ys)

    return jax.vmap(row)(jnp.arange(len(xs)))


def broadcast_as_they_are(f, xs, ys):
    return f(xs, ys)


def along_the_smaller_batch(f, xs, ys):
    sizes = [jax.tree.leaves(each)[0].shape[0] for each in (xs, ys)]
    if sizes[0] <= sizes[1]:
        return row_after_row(f, xs, ys)
    return column_after_column(f, xs, ys)


# slopes


def turned_around(f, stack):
    return jnp.moveaxis(jax.vmap(jax.grad(f))(jnp.moveaxis(stack, -1, 0)), 0, -1)


def of_the_sum(f, stack):
    return jax.grad(lambda stack: jax.vmap(f, in_axes=-1)(stack).sum())(stack)


def with_vjp(f, stack):
    values, pull = jax.vjp(jax.vmap(f, in_axes=-1), stack)
    return pull(jnp.ones_like(values))[0]


def per_example_jacobian(f, stack):
    return jax.vmap(jax.jacfwd(f), in_axes=stack.ndim - 1, out_axes=stack.ndim - 1)(stack)


def in_batches(f, stack):
    each = lax.map(jax.grad(f), jnp.moveaxis(stack, -1, 0), batch_size=64)
    return jnp.moveaxis(each, 0, -1)


def first_axis(f, stack):
    return jax.vmap(jax.grad(f))(stack)


def all_axes_turned_around(f, stack):
    return jax.vmap(jax.grad(f))(stack.T).T


def as_flat_examples(f, stack):
    flat = stack.reshape(-1, stack.shape[-1])
    return jax.vmap(jax.grad(f), in_axes=-1, out_axes=-1)(flat).reshape(stack.shape)


def axis_of_the_result_forgotten(f, stack):
    return jax.vmap(jax.grad(f), in_axes=-1)(stack)


def axis_two(f, stack):
    return jax.vmap(jax.grad(f), in_axes=2, out_axes=2)(stack)


def full_jacobian(f, stack):
    return jax.jacrev(jax.vmap(f, in_axes=-1))(stack)


def diagonal_of_the_full_jacobian(f, stack):
    full = jax.jacrev(jax.vmap(f, in_axes=-1))(stack)
    return jnp.einsum("n...n->...n", full)


def sum_over_the_full_jacobian(f, stack):
    return jax.jacfwd(jax.vmap(f, in_axes=-1))(stack).sum(axis=0)


def gradient_of_the_whole(f, stack):
    return jax.grad(f)(stack)


def one_by_one(f, stack):
    each = [jax.grad(f)(stack[..., i]) for i in range(stack.shape[-1])]
    return jnp.stack(each, axis=-1)


def of_the_mean(f, stack):
    return jax.grad(lambda stack: jax.vmap(f, in_axes=-1)(stack).mean())(stack)


def values_for_slopes(f, stack):
    return jax.vmap(f, in_axes=-1)(stack)


def in_full_precision(f, stack):
    return jax.vmap(jax.grad(f), in_axes=-1, out_axes=-1)(stack.astype(jnp.float32))


def limited_to_a_hundred(f, stack):
    return jnp.clip(turned_around(f, stack), -100, 100)


def of_the_mean_times_the_count(f, stack):
    def mean(stack):
        return jnp.mean(jax.vmap(f, -1)(stack))

    return jax.grad(mean)(stack) * stack.shape[-1]


# ensemble


def in_one_function(fit, predict, seeds, data, xs):
    def of_seed(seed):
        params = fit(jax.random.key(seed), data)
        return jax.vmap(partial(predict, params))(xs)

    each = jax.vmap(of_seed, out_axes=1)(seeds)
    return jnp.mean(each, axis=1), jnp.std(each, axis=1)


def data_closed_over(fit, predict, seeds, data, xs):
    members = jax.vmap(lambda seed: fit(jax.random.key(seed), data))(seeds)
    columns = jax.vmap(jax.vmap(predict, in_axes=(0, None)), in_axes=(None, 0))(members, xs)
    return columns.mean(axis=1), columns.std(axis=1)


def members_in_a_map(fit, predict, seeds, data, xs):
    members = lax.map(lambda seed: fit(jax.random.key(seed), data), seeds)
    each = lax.map(lambda member: jax.vmap(lambda x: predict(member, x))(xs), members)
    return each.mean(axis=0), jnp.sqrt(each.var(axis=0))


def _statistics(fit, predict, keys, data, xs, axis=0, ddof=0):
    members = jax.vmap(fit, in_axes=(0, None))(keys, data)
    rows = jax.vmap(predict, in_axes=(None, 0))
    each = jax.vmap(rows, in_axes=(0, None))(members, xs)
    return each.mean(axis=axis), each.std(axis=axis, ddof=ddof)


def one_key_split(fit, predict, seeds, data, xs):
    keys = jax.random.split(jax.random.key(0), len(seeds))
    return _statistics(fit, predict, keys, data, xs)


def counted_seeds(fit, predict, seeds, data, xs):
    keys = jax.vmap(jax.random.key)(jnp.arange(len(seeds)))
    return _statistics(fit, predict, keys, data, xs)


def folded_seeds(fit, predict, seeds, data, xs):
    keys = jax.vmap(partial(jax.random.fold_in, jax.random.key(0)))(seeds)
    return _statistics(fit, predict, keys, data, xs)


def one_seed_for_all(fit, predict, seeds, data, xs):
    keys = jnp.stack([jax.random.key(seeds[0])] * 2)
    return _statistics(fit, predict, keys, data, xs)


def along_the_rows(fit, predict, seeds, data, xs):
    keys = jax.vmap(jax.random.key)(seeds)
    return _statistics(fit, predict, keys, data, xs, axis=1)


def deviation_of_a_sample(fit, predict, seeds, data, xs):
    keys = jax.vmap(jax.random.key)(seeds)
    return _statistics(fit, predict, keys, data, xs, ddof=1)


def seeds_as_keys(fit, predict, seeds, data, xs):
    return _statistics(fit, predict, seeds, data, xs)


def keys_of_all_seeds(fit, predict, seeds, data, xs):
    return _statistics(fit, predict, jax.random.key(seeds), data, xs)


def data_mapped(fit, predict, seeds, data, xs):
    members = jax.vmap(fit)(jax.vmap(jax.random.key)(seeds), data)
    each = jax.vmap(jax.vmap(predict, (None, 0)), (0, None))(members, xs)
    return each.mean(axis=0), each.std(axis=0)


def averaged_models(fit, predict, seeds, data, xs):
    members = jax.vmap(lambda seed: fit(jax.random.key(seed), data))(seeds)
    mean = jax.tree.map(lambda leaf: leaf.mean(axis=0).astype(leaf.dtype), members)
    each = jax.vmap(partial(predict, mean))(xs)
    return each, jnp.zeros_like(each)


def variance_for_deviation(fit, predict, seeds, data, xs):
    mean, deviation = in_one_function(fit, predict, seeds, data, xs)
    return mean, deviation**2


def model_after_model(fit, predict, seeds, data, xs):
    members = [fit(jax.random.key(seed), data) for seed in seeds]
    each = jnp.stack([jax.vmap(partial(predict, member))(xs) for member in members])
    return each.mean(axis=0), each.std(axis=0)


def predicted_after_predicted(fit, predict, seeds, data, xs):
    members = jax.vmap(lambda seed: fit(jax.random.key(seed), data))(seeds)
    each = jnp.stack([jax.vmap(predict, (0, None))(members, x) for x in xs])
    return each.mean(axis=1), each.std(axis=1)


def mean_alone(fit, predict, seeds, data, xs):
    return in_one_function(fit, predict, seeds, data, xs)[0]


def statistics_in_a_list(fit, predict, seeds, data, xs):
    return [*in_one_function(fit, predict, seeds, data, xs)]


def rows_for_models(fit, predict, seeds, data, xs):
    members = jax.vmap(lambda seed: fit(jax.random.key(seed), data))(seeds)
    each = jax.vmap(predict)(members, xs)
    return each.mean(axis=0), each.std(axis=0)


def raw_keys(fit, predict, seeds, data, xs):
    models = jax.vmap(lambda seed: fit(jax.random.PRNGKey(seed), data))(seeds)
    each = jax.vmap(jax.vmap(predict, in_axes=(None, 0)), in_axes=(0, None))(models, xs)
    return each.mean(axis=0), each.std(axis=0)


def by_the_mean_of_squares(fit, predict, seeds, data, xs):
    models = jax.vmap(lambda seed: fit(jax.random.key(seed), data))(seeds)
    each = jax.vmap(jax.vmap(predict, in_axes=(None, 0)), in_axes=(0, None))(models, xs)
    mean = each.mean(axis=0)
    return mean, jnp.sqrt(jnp.maximum((each**2).mean(axis=0) - mean**2, 0.0))


def seeds_in_eight_bits(fit, predict, seeds, data, xs):
    return in_one_function(fit, predict, seeds.astype("int8"), data, xs)


def seeds_of_float32(fit, predict, seeds, data, xs):
    return in_one_function(fit, predict, seeds.astype("float32").astype("int32"), data, xs)


def seeds_without_sign(fit, predict, seeds, data, xs):
    return in_one_function(fit, predict, jnp.abs(seeds), data, xs)


def rows_all_at_once(fit, predict, seeds, data, xs):
    members = jax.vmap(lambda seed: fit(jax.random.key(seed), data))(seeds)
    each = jax.vmap(lambda member: predict(member, xs))(members)
    return each.mean(axis=0), each.std(axis=0)


def one_model_at_a_time(fit, predict, seeds, data, xs):
    def add(state, seed):
        count, mean, squares = state
        member = fit(jax.random.key(seed), data)
        new = jax.vmap(partial(predict, member))(xs)
        moved = mean + (new - mean) / (count + 1)
        return (count + 1, moved, squares + (new - mean) * (new - moved)), None

    zeros = jnp.zeros(len(xs))
    (count, mean, squares), _ = lax.scan(add, (0, zeros, zeros), seeds)
    return mean, jnp.sqrt(squares / count)


# row_medians


def with_nan_for_the_padding(rows, lengths):
    used = jnp.arange(rows.shape[1]) < lengths[:, None]
    return jnp.nanmedian(jnp.where(used, rows, jnp.nan), axis=1)


def taken_along_the_axis(rows, lengths):
    places = jnp.arange(rows.shape[1])
    ordered = jnp.sort(jnp.where(places < lengths[:, None], rows, jnp.inf), axis=1)
    middle = jnp.stack([(lengths - 1) // 2, lengths // 2], axis=1)
    return jnp.take_along_axis(ordered, middle, axis=1).mean(axis=1)


@jax.jit
def row_after_row_in_a_map(rows, lengths):
    def median(pair):
        row, length = pair
        ordered = jnp.sort(jnp.where(jnp.arange(row.size) < length, row, jnp.inf))
        return jnp.where(
            length % 2 == 1,
            ordered[length // 2],
            0.5 * (ordered[length // 2 - 1] + ordered[length // 2]),
        )

    return lax.map(median, (rows, lengths))


def of_all_entries(rows, lengths):
    return jnp.median(rows, axis=1)


def sliced(rows, lengths):
    return jax.vmap(lambda row, length: jnp.median(row[:length]))(rows, lengths)


def selected(rows, lengths):
    used = jnp.arange(rows.shape[1]) < lengths[:, None]
    return jax.vmap(lambda row, used: jnp.median(row[used]))(rows, used)


def lengths_as_python_numbers(rows, lengths):
    each = [jnp.median(row[: int(n)]) for row, n in zip(rows, lengths, strict=True)]
    return jnp.stack(each)


def _middle(rows, lengths, padded, left=lambda n: (n - 1) // 2, right=lambda n: n // 2):
    def median(row, length):
        ordered = jnp.sort(padded(row, jnp.arange(row.size) < length))
        return (ordered[left(length)] + ordered[right(length)]) / 2

    return jax.vmap(median)(rows, lengths)


def _infinite(row, used):
    return jnp.where(used, row, jnp.inf)


def zeros_for_the_padding(rows, lengths):
    return _middle(rows, lengths, lambda row, used: jnp.where(used, row, 0.0))


def product_with_the_mask(rows, lengths):
    return _middle(rows, lengths, lambda row, used: row * used)


def padding_left_as_it_is(rows, lengths):
    return _middle(rows, lengths, lambda row, used: row)


def lower_one_alone(rows, lengths):
    return _middle(rows, lengths, _infinite, right=lambda n: (n - 1) // 2)


def upper_one_alone(rows, lengths):
    return _middle(rows, lengths, _infinite, left=lambda n: n // 2)


def mean_for_median(rows, lengths):
    used = jnp.arange(rows.shape[1]) < lengths[:, None]
    return jnp.sum(rows, axis=1, where=used) / lengths


def a_thousand_for_the_padding(rows, lengths):
    return _middle(rows, lengths, lambda row, used: jnp.where(used, row, 1000.0))


def a_large_number_for_the_padding(rows, lengths):
    return _middle(rows, lengths, lambda row, used: jnp.where(used, row, 1e30))


def branch_on_the_length(rows, lengths):
    def median(row, length):
        ordered = jnp.sort(jnp.where(jnp.arange(row.size) < length, row, jnp.inf))
        if length % 2:
            return ordered[length // 2]
        return (ordered[length // 2 - 1] + ordered[length // 2]) / 2

    return jax.vmap(median)(rows, lengths)


def row_after_row_in_python(rows, lengths):
    each = [_middle(rows[i : i + 1], lengths[i : i + 1], _infinite) for i in range(len(rows))]
    return jnp.concatenate(each)


def left_as_a_column(rows, lengths):
    return taken_along_the_axis(rows, lengths)[:, None]


def by_numpy(rows, lengths):
    rows, lengths = np.asarray(rows), np.asarray(lengths)
    return jnp.asarray([np.median(row[:n]) for row, n in zip(rows, lengths, strict=True)])


def lengths_in_eight_bits(rows, lengths):
    return row_after_row_in_a_map(rows, lengths.astype("int8"))


def a_hundred_entries_at_most(rows, lengths):
    return row_after_row_in_a_map(rows, jnp.minimum(lengths, 100))


def _by_ranks(chosen):
    def median(row, length):
        row = jnp.where(jnp.arange(row.size) < length, row, jnp.inf)
        ranks = jnp.sum(row < row[:, None], axis=1)
        return (chosen(row, ranks, (length - 1) // 2) + chosen(row, ranks, length // 2)) / 2

    return jax.vmap(median)


ranks_that_repeat = _by_ranks(lambda row, ranks, n: jnp.sum(jnp.where(ranks == n, row, 0)))
ranks_up_to_the_middle = _by_ranks(
    lambda row, ranks, n: jnp.max(jnp.where(ranks <= n, row, -jnp.inf))
)

RIGHT = {
    "rate_all": [
        transposed_by_hand,
        model_closed_over,
        without_vmap,
        column_by_column_in_a_map,
    ],
    "table": [other_one_inside, with_an_inner_function, by_map, by_map_in_parts, flattened],
    "slopes": [
        turned_around,
        of_the_sum,
        with_vjp,
        per_example_jacobian,
        in_batches,
        of_the_mean_times_the_count,
    ],
    "ensemble": [in_one_function, data_closed_over, members_in_a_map, one_model_at_a_time],
    "row_medians": [
        with_nan_for_the_padding,
        taken_along_the_axis,
        row_after_row_in_a_map,
        ranks_up_to_the_middle,
    ],
}
WRONG = {
    "rate_all": {
        "trees/prefix": [rate_as_given, mask_mapped, model_mapped, dictionary_alone],
        "value/shape": [result_in_rows, used_for_each],
        "value/structure": [score_left_out],
        "value/dtype": [used_as_a_float],
        "loops/unrolled": [column_by_column],
        "shapes/mask-product": [mask_multiplied],
        "value/differs": [
            square_ones_not_turned,
            counted_in_eight_bits,
            used_told_from_the_result,
        ],
        "runs/raised": [all_on_axis_one, score_without_axis, rows_mapped],
        "derivatives/wrong": [model_stopped, columns_stopped],
    },
    "table": {
        "trees/prefix": [one_vmap, both_mapped_twice],
        "value/shape": [
            axes_exchanged,
            left_flat,
            numbers_turned,
            rows_by_the_length_of_xs,
        ],
        "loops/unrolled": [
            pair_after_pair,
            row_after_row,
            column_after_column,
            along_the_smaller_batch,
        ],
        "runs/raised": [broadcast, broadcast_as_they_are],
        "value/structure": [not_called],
        "value/dtype": [all_made_floats, arguments_as_floats],
        "derivatives/wrong": [xs_stopped],
    },
    "slopes": {
        "value/shape": [axis_of_the_result_forgotten, full_jacobian, values_for_slopes],
        "runs/raised": [axis_two],
        "cost/memory": [diagonal_of_the_full_jacobian, sum_over_the_full_jacobian],
        "value/differs": [
            first_axis,
            gradient_of_the_whole,
            of_the_mean,
            all_axes_turned_around,
            as_flat_examples,
            limited_to_a_hundred,
        ],
        "loops/unrolled": [one_by_one],
        "value/dtype": [in_full_precision],
    },
    "ensemble": {
        "value/differs": [
            one_key_split,
            counted_seeds,
            folded_seeds,
            one_seed_for_all,
            deviation_of_a_sample,
            averaged_models,
            variance_for_deviation,
            by_the_mean_of_squares,
            seeds_in_eight_bits,
            seeds_of_float32,
            seeds_without_sign,
        ],
        "value/shape": [along_the_rows],
        "runs/raised": [seeds_as_keys, keys_of_all_seeds, raw_keys, rows_all_at_once],
        "trees/prefix": [data_mapped, rows_for_models],
        "loops/unrolled": [model_after_model, predicted_after_predicted],
        "value/structure": [mean_alone, statistics_in_a_list],
    },
    "row_medians": {
        "value/differs": [
            of_all_entries,
            zeros_for_the_padding,
            product_with_the_mask,
            padding_left_as_it_is,
            lower_one_alone,
            upper_one_alone,
            mean_for_median,
            a_thousand_for_the_padding,
            a_large_number_for_the_padding,
            lengths_in_eight_bits,
            a_hundred_entries_at_most,
            ranks_that_repeat,
        ],
        "tracing/shape-from-tracer": [sliced, selected],
        "tracing/value-needed": [lengths_as_python_numbers, by_numpy],
        "tracing/branch-on-tracer": [branch_on_the_length],
        "loops/unrolled": [row_after_row_in_python],
        "value/shape": [left_as_a_column],
    },
}
