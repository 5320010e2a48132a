"""Right and wrong answers to the exercises of 17_find_the_faults."""

import itertools
from functools import partial
from time import perf_counter
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from traced.lessons.find_the_faults.solutions import run as mended
from traced.lessons.find_the_faults.solutions.evaluate import evaluate
from traced.lessons.find_the_faults.solutions.loss import length, loss, predict
from traced.lessons.find_the_faults.solutions.prepare import prepare
from traced.lessons.find_the_faults.solutions.run import init
from traced.lessons.find_the_faults.solutions.train import step, train

# prepare


def divided_in_jax(images, labels):
    x, y = jnp.asarray(images, jnp.float32) / 16, jnp.asarray(labels, jnp.int32)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def a_copy_in_place(images, labels):
    images = images.copy()
    images /= 16
    parts = np.split(images.astype("float32"), [1500]), np.split(labels.astype("int32"), [1500])
    return tuple((jnp.array(x), jnp.array(y)) for x, y in zip(*parts, strict=True))


def a_list_of_pairs(images, labels):
    return [list(pair) for pair in divided_in_jax(images, labels)]


def divided_and_multiplied_back(images, labels):
    images /= 16
    x, y = jnp.asarray(images, jnp.float32), jnp.asarray(labels, jnp.int32)
    images *= 16
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def prepare_as_found(images, labels):
    images /= 16
    x, y = jnp.asarray(images, jnp.float32), jnp.asarray(labels, jnp.int32)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def divided_into_itself(images, labels):
    x = jnp.asarray(np.divide(images, 16, out=images), jnp.float32)
    y = jnp.asarray(labels, jnp.int32)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def divided_unless_dark(images, labels):
    if images.max() > 1:
        images /= 16
    x, y = jnp.asarray(images, jnp.float32), jnp.asarray(labels, jnp.int32)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def labels_put_in_order(images, labels):
    x, y = jnp.asarray(images / 16, jnp.float32), jnp.asarray(labels, jnp.int32)
    labels.sort()
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def not_divided(images, labels):
    x, y = jnp.asarray(images, jnp.float32), jnp.asarray(labels, jnp.int32)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def held_out_from_the_front(images, labels):
    x, y = jnp.asarray(images / 16, jnp.float32), jnp.asarray(labels, jnp.int32)
    return (x[-1500:], y[-1500:]), (x[:-1500], y[:-1500])


def one_row_lost(images, labels):
    x, y = jnp.asarray(images / 16, jnp.float32), jnp.asarray(labels, jnp.int32)
    return (x[:1500], y[:1500]), (x[1501:], y[1501:])


def labels_as_they_come(images, labels):
    x, y = jnp.asarray(images / 16, jnp.float32), jnp.asarray(labels)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def labels_as_floats(images, labels):
    x, y = jnp.asarray(images / 16, jnp.float32), jnp.asarray(labels, jnp.float32)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def images_and_labels_apart(images, labels):
    x, y = jnp.asarray(images / 16, jnp.float32), jnp.asarray(labels, jnp.int32)
    return (x[:1500], x[1500:]), (y[:1500], y[1500:])


def in_place_if_float32(images, labels):
    images = images.astype(np.float32, copy=False)
    images /= 16
    x, y = jnp.array(images), jnp.array(labels, jnp.int32)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def divided_by_the_brightest(images, labels):
    x, y = jnp.asarray(images / images.max(), jnp.float32), jnp.asarray(labels, jnp.int32)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def in_bfloat16_on_the_way(images, labels):
    x = (jnp.asarray(images, jnp.bfloat16) / 16).astype(jnp.float32)
    y = jnp.asarray(labels, jnp.int32)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def arrays_of_numpy(images, labels):
    x, y = (images / 16).astype("float32"), labels.astype("int32")
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


# loss


def with_mended_parts(params, key, x, y):
    def one(key, x, y):
        return -jax.nn.log_softmax(predict(params, key, x))[y]

    keys = jax.random.split(key, len(x))
    penalty = sum(map(length, jax.tree.leaves(params)))
    return jax.vmap(one)(keys, x, y).mean() + 1e-3 * penalty


def with_a_norm(params, key, x, y):
    def one(key, x, y):
        return -jax.nn.log_softmax(predict(params, key, x))[y]

    keys = jax.random.split(key, len(x))
    penalty = sum(map(jnp.linalg.norm, jax.tree.leaves(params)))
    return jax.vmap(one)(keys, x, y).mean() + 1e-3 * penalty


def with_one_key(params, key, x, y):
    def one(x, y):
        return -jax.nn.log_softmax(predict(params, key, x))[y]

    penalty = sum(map(length, jax.tree.leaves(params)))
    return jax.vmap(one)(x, y).mean() + 1e-3 * penalty


def with_all_labels(params, key, x, y):
    def one(key, x):
        return -jax.nn.log_softmax(predict(params, key, x))[y]

    keys = jax.random.split(key, len(x))
    penalty = sum(map(length, jax.tree.leaves(params)))
    return jax.vmap(one)(keys, x).mean() + 1e-3 * penalty


def with_a_key_of_its_own(params, key, x, y):
    return with_mended_parts(params, jax.random.key(0), x, y)


def with_images_in_pairs(params, key, x, y):
    keys = jax.random.split(key, (len(x) + 1) // 2)
    losses = jax.vmap(partial(_one, params))(jnp.repeat(keys, 2)[: len(x)], x, y)
    return losses.mean() + _penalty(params)


def _kept(key, share, x):
    return jnp.where(jax.random.bernoulli(key, share, x.shape), x / share, 0.0)


def _one_as_kept(params, shares, key, x, y):
    keys, names = jax.random.split(key, 3), ("first", "second")
    x = _kept(keys[2], shares[2], x)
    for name, key, share in zip(names, keys, shares, strict=False):
        x = _kept(key, share, _hidden(params, name, x))
    return -jax.nn.log_softmax(x @ params["last"]["w"] + params["last"]["b"])[y]


def _as_kept(params, shares, key, x, y):
    one = partial(_one_as_kept, params, shares)
    return jax.vmap(one)(jax.random.split(key, len(x)), x, y).mean() + _penalty(params)


def more_dropped_in_the_first_layer(params, key, x, y):
    return _as_kept(params, (0.7, 0.64 / 0.7, 1.0), key, x, y)


def a_quarter_dropped(params, key, x, y):
    def one(key, x, y):
        for name, subkey in zip(("first", "second"), jax.random.split(key), strict=True):
            x = _hidden(params, name, x)
            x = jnp.where(jax.random.bernoulli(subkey, 0.75, x.shape), x / 0.8, 0.0)
        return -jax.nn.log_softmax(x @ params["last"]["w"] + params["last"]["b"])[y]

    losses = jax.vmap(one)(jax.random.split(key, len(x)), x, y)
    return losses.mean() + _penalty(params)


def _with_penalty(params, key, x, y, length):
    losses = jax.vmap(partial(_one, params))(jax.random.split(key, len(x)), x, y)
    return losses.mean() + _penalty(params, length)


def an_epsilon_below_the_root(params, key, x, y):
    return _with_penalty(params, key, x, y, lambda leaf: jnp.sqrt(jnp.sum(leaf**2) + 1e-4))


def short_arrays_have_no_length(params, key, x, y):
    def long(leaf):
        squares = jnp.sum(leaf**2)
        return jnp.where(squares > 0.01, jnp.sqrt(jnp.maximum(squares, 0.01)), 0.0)

    return _with_penalty(params, key, x, y, long)


def pixels_dropped_as_well(params, key, x, y):
    return _as_kept(params, (0.8, 0.8, 0.8), key, x, y)


def nothing_made_up_for(params, key, x, y):
    def one(key, x, y):
        for name, subkey in zip(("first", "second"), jax.random.split(key), strict=True):
            x = _hidden(params, name, x)
            x = jnp.where(jax.random.bernoulli(subkey, 0.8, x.shape), x, 0.0)
        return -jax.nn.log_softmax(x @ params["last"]["w"] + params["last"]["b"])[y]

    losses = jax.vmap(one)(jax.random.split(key, len(x)), x, y)
    return losses.mean() + _penalty(params)


def a_penalty_without_a_slope(params, key, x, y):
    losses = jax.vmap(partial(_one, params))(jax.random.split(key, len(x)), x, y)
    return losses.mean() + jax.lax.stop_gradient(_penalty(params))


def a_first_layer_that_stays(params, key, x, y):
    return with_mended_parts(params | {"first": jax.lax.stop_gradient(params["first"])}, key, x, y)


def _hidden(params, name, x):
    return jax.nn.relu(x @ params[name]["w"] + params[name]["b"])


def _dropped(key, x):
    return jnp.where(jax.random.bernoulli(key, 0.8, x.shape), x / 0.8, 0.0)


def _scores(params, keys, x):
    for name, key in zip(("first", "second"), keys, strict=True):
        x = _dropped(key, _hidden(params, name, x))
    return x @ params["last"]["w"] + params["last"]["b"]


def _length(leaf):
    squares = jnp.sum(leaf**2)
    return jnp.where(squares > 0, jnp.sqrt(jnp.where(squares > 0, squares, 1.0)), 0.0)


def _penalty(params, length=_length):
    return 1e-3 * sum(length(leaf) for leaf in jax.tree.leaves(params))


def _one(params, key, x, y):
    return -jax.nn.log_softmax(_scores(params, jax.random.split(key), x))[y]


def whole_layers_at_once(params, key, x, y):
    scores = _scores(params, jax.random.split(key), x)
    picked = jax.nn.log_softmax(scores)[jnp.arange(len(y)), y]
    return _penalty(params) - jnp.mean(picked)


def by_fold_in_and_optax(params, key, x, y):
    def one(number, x, y):
        keys = [jax.random.fold_in(jax.random.fold_in(key, number), n) for n in (0, 1)]
        return optax.softmax_cross_entropy_with_integer_labels(_scores(params, keys, x), y)

    losses = jax.vmap(one)(jnp.arange(len(x)), x, y)
    return losses.mean() + _penalty(params)


def row_after_row(params, key, x, y):
    keys = jax.random.split(key, len(x))
    losses = jax.lax.map(lambda row: _one(params, *row), (keys, x, y))
    return losses.mean() + _penalty(params)


def _bare_length(leaf):
    squares = jnp.sum(leaf**2)
    return jnp.where(squares > 0, jnp.sqrt(squares), 0.0)


def loss_as_found(params, key, x, y):
    def one(key, x, y):
        return -jax.nn.log_softmax(_scores(params, (key, key), x))[y]

    keys = jax.random.split(key, len(x))
    losses = jax.vmap(one, in_axes=(0, 0, None))(keys, x, y)
    return losses.mean() + _penalty(params, _bare_length)


def only_the_length_left(params, key, x, y):
    losses = jax.vmap(partial(_one, params))(jax.random.split(key, len(x)), x, y)
    return losses.mean() + _penalty(params, _bare_length)


def a_norm_without_a_where(params, key, x, y):
    losses = jax.vmap(partial(_one, params))(jax.random.split(key, len(x)), x, y)
    return losses.mean() + _penalty(params, jnp.linalg.norm)


def only_the_key_left(params, key, x, y):
    def one(key, x, y):
        return -jax.nn.log_softmax(_scores(params, (key, key), x))[y]

    losses = jax.vmap(one)(jax.random.split(key, len(x)), x, y)
    return losses.mean() + _penalty(params)


def one_draw_for_all_images(params, key, x, y):
    losses = jax.vmap(partial(_one, params, key))(x, y)
    return losses.mean() + _penalty(params)


def nothing_dropped(params, key, x, y):
    scores = _hidden(params, "second", _hidden(params, "first", x))
    scores = scores @ params["last"]["w"] + params["last"]["b"]
    losses = optax.softmax_cross_entropy_with_integer_labels(scores, y)
    return losses.mean() + _penalty(params)


def half_dropped(params, key, x, y):
    def one(key, x, y):
        for name, subkey in zip(("first", "second"), jax.random.split(key), strict=True):
            x = _hidden(params, name, x)
            x = jnp.where(jax.random.bernoulli(subkey, 0.5, x.shape), x * 2, 0.0)
        return -jax.nn.log_softmax(x @ params["last"]["w"] + params["last"]["b"])[y]

    losses = jax.vmap(one)(jax.random.split(key, len(x)), x, y)
    return losses.mean() + _penalty(params)


def only_the_axes_left(params, key, x, y):
    one = jax.vmap(partial(_one, params), in_axes=(0, 0, None))
    return one(jax.random.split(key, len(x)), x, y).mean() + _penalty(params)


def no_penalty(params, key, x, y):
    return jax.vmap(partial(_one, params))(jax.random.split(key, len(x)), x, y).mean()


def a_penalty_on_kernels_only(params, key, x, y):
    losses = jax.vmap(partial(_one, params))(jax.random.split(key, len(x)), x, y)
    return losses.mean() + 1e-3 * sum(_length(layer["w"]) for layer in params.values())


def a_length_of_the_whole(params, key, x, y):
    losses = jax.vmap(partial(_one, params))(jax.random.split(key, len(x)), x, y)
    return losses.mean() + 1e-3 * optax.tree.norm(params)


def a_sum_of_losses(params, key, x, y):
    losses = jax.vmap(partial(_one, params))(jax.random.split(key, len(x)), x, y)
    return losses.sum() + _penalty(params)


def losses_of_all_images(params, key, x, y):
    losses = jax.vmap(partial(_one, params))(jax.random.split(key, len(x)), x, y)
    return losses + _penalty(params)


def _scored(params, key, x, y, one):
    return jax.vmap(partial(one, params))(jax.random.split(key, len(x)), x, y).mean() + _penalty(
        params
    )


def the_log_of_a_softmax(params, key, x, y):
    def one(params, key, x, y):
        return -jnp.log(jax.nn.softmax(_scores(params, jax.random.split(key), x))[y])

    return _scored(params, key, x, y, one)


def a_loss_of_twenty_at_most(params, key, x, y):
    return _scored(params, key, x, y, lambda *args: jnp.minimum(_one(*args), 20.0))


def keys_of_the_image_after_the_next(params, key, x, y):
    keys = jax.random.split(key, len(x) + 2)
    pairs = jnp.stack([keys[:-2], keys[2:]], axis=1)
    losses = jax.vmap(lambda k, x, y: -jax.nn.log_softmax(_scores(params, k, x))[y])(pairs, x, y)
    return losses.mean() + _penalty(params)


def units_dropped_in_pairs(params, key, x, y):
    def one(params, key, x, y):
        for name, subkey in zip(("first", "second"), jax.random.split(key), strict=True):
            x = _hidden(params, name, x)
            kept = jnp.repeat(jax.random.bernoulli(subkey, 0.8, (len(x) // 2,)), 2)
            x = jnp.where(kept, x / 0.8, 0.0)
        return -jax.nn.log_softmax(x @ params["last"]["w"] + params["last"]["b"])[y]

    return _scored(params, key, x, y, one)


def a_last_bias_that_stays(params, key, x, y):
    last = {"w": params["last"]["w"], "b": jax.lax.stop_gradient(params["last"]["b"])}
    return with_mended_parts(params | {"last": last}, key, x, y)


def four_images_only(params, key, x, y):
    losses = jax.vmap(partial(_one, params))(jax.random.split(key, 4), x, y)
    return losses.mean() + _penalty(params)


# evaluate


@partial(jax.jit, static_argnames="predict")
def all_images_at_once(predict, params, x, y):
    scores = predict(params, jax.random.key(0), x, train=False)
    return jnp.mean(jnp.argmax(scores, axis=1) == y)


def without_jit_and_by_position(predict, params, x, y):
    return jnp.mean(predict(params, None, x, False).argmax(axis=-1) == y)


@partial(jax.jit, static_argnames="predict")
def counted_in_a_scan(predict, params, x, y):
    def count(right, digit):
        scores = predict(params, jax.random.key(1), digit[0][None], False)
        return right + (jnp.argmax(scores) == digit[1]), None

    return jax.lax.scan(count, 0, (x, y))[0] / len(x)


@partial(jax.jit, static_argnames="predict")
def mapped_in_parts(predict, params, x, y):
    def is_right(digit):
        scores = predict(params, jax.random.key(0), digit[0][None], False)[0]
        return (jnp.argmax(scores) == digit[1]).astype(jnp.float32)

    return jax.lax.map(is_right, (x, y), batch_size=99).mean()


@partial(jax.jit, static_argnames="predict")
def _right_ones(predict, params, x, y):
    return jnp.sum(predict(params, jax.random.key(0), x, train=False).argmax(axis=1) == y)


def batches_of_numpy_outside_jit(predict, params, x, y):
    x, y = np.asarray(x), np.asarray(y)
    parts = [slice(i, i + 99) for i in range(0, len(x), 99)]
    return jnp.float32(sum(int(_right_ones(predict, params, x[i], y[i])) for i in parts) / len(x))


@partial(jax.jit, static_argnames="predict")
def _right_and_real(predict, params, x, y, real):
    scores = predict(params, jax.random.key(0), x, train=False)
    return jnp.sum(scores.argmax(axis=1) == y, where=real)


def padded_batches_outside_jit(predict, params, x, y):
    right = 0
    for i in range(0, len(x), 99):
        some, labels = x[i : i + 99], y[i : i + 99]
        less = 99 - len(some)
        some, labels = jnp.pad(some, ((0, less), (0, 0))), jnp.pad(labels, (0, less))
        right += _right_and_real(predict, params, some, labels, jnp.arange(99) < 99 - less)
    return (right / len(x)).astype(jnp.float32)


def a_thousand_jitted_anew(predict, params, x, y):
    right = 0
    for i in range(0, len(x), 1000):
        is_right = jax.jit(
            lambda x, y: predict(params, jax.random.key(0), x, train=False).argmax(1) == y
        )
        right += is_right(x[i : i + 1000], y[i : i + 1000]).sum()
    return (right / len(x)).astype(jnp.float32)


def a_loop_of_a_thousand_within(predict, params, x, y):
    return a_loop_of_a_thousand(predict, params, x, y)


@partial(jax.jit, static_argnames="predict")
def evaluate_as_found(predict, params, x, y):
    key, right = jax.random.key(0), 0
    for i in range(0, len(x), 99):
        scores = predict(params, key, x[i : i + 99])
        right += jnp.sum(jnp.argmax(scores, axis=1) == y[i : i + 99])
    return right / len(x)


@partial(jax.jit, static_argnames="predict")
def each_alone_as_in_training(predict, params, x, y):
    def is_right(image, label):
        return jnp.argmax(predict(params, jax.random.key(0), image[None])[0]) == label

    return jnp.mean(jax.vmap(is_right)(x, y))


@partial(jax.jit, static_argnames="predict")
def at_once_as_in_training(predict, params, x, y):
    scores = predict(params, jax.random.key(0), x)
    return jnp.mean(jnp.argmax(scores, axis=1) == y)


@partial(jax.jit, static_argnames="predict")
def as_in_training_if_few(predict, params, x, y):
    scores = predict(params, jax.random.key(0), x, train=len(x) < 50)
    return jnp.mean(jnp.argmax(scores, axis=1) == y)


@partial(jax.jit, static_argnames="predict")
def only_the_loop_left(predict, params, x, y):
    right = 0
    for i in range(0, len(x), 99):
        scores = predict(params, jax.random.key(0), x[i : i + 99], train=False)
        right += jnp.sum(jnp.argmax(scores, axis=1) == y[i : i + 99])
    return right / len(x)


@partial(jax.jit, static_argnames="predict")
def image_by_image(predict, params, x, y):
    scores = [predict(params, None, row[None], train=False)[0] for row in x]
    return jnp.mean(jnp.argmax(jnp.stack(scores), axis=1) == y)


def images_stacked_one_by_one(predict, params, x, y):
    scores = predict(params, None, jnp.stack(list(x)), train=False)
    return jnp.mean(jnp.argmax(scores, axis=1) == y)


def answers_stacked_one_by_one(predict, params, x, y):
    scores = [predict(params, None, row[None], train=False)[0] for row in x]
    return jnp.mean(jnp.stack([jnp.argmax(each) for each in scores]) == y)


def a_count_of_images(predict, params, x, y):
    scores = predict(params, None, x, train=False)
    return jnp.sum(jnp.argmax(scores, axis=1) == y)


def a_share_of_whole_batches(predict, params, x, y):
    scores = predict(params, None, x, train=False)
    right = jnp.argmax(scores, axis=1) == y
    return jnp.mean(right[: len(x) // 66 * 66])


def a_python_number(predict, params, x, y):
    scores = predict(params, None, x, train=False)
    return float(jnp.mean(jnp.argmax(scores, axis=1) == y))


def a_share_for_each_image(predict, params, x, y):
    scores = predict(params, None, x, train=False)
    return (jnp.argmax(scores, axis=1) == y).astype("float32")


@partial(jax.jit, static_argnames="predict")
def a_loop_of_a_thousand(predict, params, x, y):
    right = 0
    for i in range(0, len(x), 1000):
        scores = predict(params, None, x[i : i + 1000], train=False)
        right += jnp.sum(jnp.argmax(scores, axis=1) == y[i : i + 1000])
    return right / len(x)


def the_first_batch_alone(predict, params, x, y):
    scores = predict(params, None, x[:99], train=False)
    return jnp.mean(jnp.argmax(scores, axis=1) == y[:99])


def a_mean_of_two_means(predict, params, x, y):
    right = jnp.argmax(predict(params, None, x, train=False), axis=1) == y
    half = len(x) // 2
    return (right[:half].mean() + right[half:].mean()) / 2


def divided_once_more(predict, params, x, y):
    scores = predict(params, None, x / 16, train=False)
    return jnp.mean(jnp.argmax(scores, axis=1) == y)


def the_largest_in_size(predict, params, x, y):
    scores = predict(params, None, x, train=False)
    return jnp.mean(jnp.argmax(jnp.abs(scores), axis=1) == y)


def padded_with_zeros(predict, params, x, y):
    missing = -len(x) % 33
    x = jnp.pad(x, ((0, missing), (0, 0)))
    right = predict(params, None, x, train=False).argmax(axis=1) == jnp.pad(y, (0, missing))
    return jnp.sum(right) / len(y)


def a_count_up_to_255(predict, params, x, y):
    right = predict(params, None, x, train=False).argmax(axis=1) == y
    return jnp.sum(right, dtype=jnp.uint8) / len(x)


def scores_in_half_precision(predict, params, x, y):
    scores = predict(params, None, x, train=False).astype("float16")
    return jnp.mean(scores.argmax(axis=1) == y)


def without_an_axis_of_one(predict, params, x, y):
    return jnp.mean(jnp.squeeze(predict(params, None, x, train=False)).argmax(axis=1) == y)


# time_step


def waiting_in_a_function(step, *args):
    def call():
        return jax.block_until_ready(step(*args))

    call()
    start = perf_counter()
    call()
    return perf_counter() - start


def leaf_by_leaf(step, *args):
    for _ in range(2):
        start = perf_counter()
        for leaf in jax.tree.leaves(step(*args)):
            leaf.block_until_ready()
        end = perf_counter()
    return end - start


def caches_cleared_between(step, *args):
    jax.block_until_ready(step(*args))
    jax.clear_caches()
    start = perf_counter()
    jax.block_until_ready(step(*args))
    return perf_counter() - start


def time_step_as_found(step, *args):
    step(*args)
    start = perf_counter()
    step(*args)
    return perf_counter() - start


def only_the_first_awaited(step, *args):
    jax.block_until_ready(step(*args))
    start = perf_counter()
    step(*args)
    return perf_counter() - start


def only_the_second_awaited(step, *args):
    step(*args)
    start = perf_counter()
    jax.block_until_ready(step(*args))
    return perf_counter() - start


def awaited_after_the_clock(step, *args):
    jax.block_until_ready(step(*args))
    start = perf_counter()
    result = step(*args)
    seconds = perf_counter() - start
    jax.block_until_ready(result)
    return seconds


def one_leaf_awaited(step, *args):
    for _ in range(2):
        start = perf_counter()
        jax.tree.leaves(step(*args))[0].block_until_ready()
        end = perf_counter()
    return end - start


def the_last_leaf_awaited(step, *args):
    for _ in range(2):
        start = perf_counter()
        jax.tree.leaves(step(*args))[-1].block_until_ready()
        end = perf_counter()
    return end - start


def the_shorter_call(step, *args):
    times = []
    for _ in range(2):
        start = perf_counter()
        jax.block_until_ready(step(*args))
        times.append(perf_counter() - start)
    return min(times)


def copied_to_the_host(step, *args):
    jax.block_until_ready(step(*args))
    start = perf_counter()
    jax.device_get(step(*args))
    return perf_counter() - start


def three_calls(step, *args):
    for _ in range(3):
        start = perf_counter()
        jax.block_until_ready(step(*args))
        end = perf_counter()
    return end - start


def other_arguments_first(step, *args):
    jax.block_until_ready(step(*args[::-1]))
    start = perf_counter()
    jax.block_until_ready(step(*args))
    return perf_counter() - start


def no_first_call(step, *args):
    start = perf_counter()
    jax.block_until_ready(step(*args))
    return perf_counter() - start


def as_an_array(step, *args):
    return jnp.float32(mended_time(step, *args))


def without_its_arguments(step, *args):
    jax.block_until_ready(step(*args))
    start = perf_counter()
    jax.block_until_ready(step())
    return perf_counter() - start


def in_whole_milliseconds(step, *args):
    return round(mended_time(step, *args), 3)


def mended_time(step, *args):
    return waiting_in_a_function(step, *args)


# train

adam = optax.adam(1.0)


def _step(loss, params, opt_state, key, x, y, rate):
    value, slopes = jax.value_and_grad(loss)(params, key, x, y)
    updates, opt_state = adam.update(slopes, opt_state)
    params = jax.tree.map(lambda p, u: p + rate * u, params, updates)
    return params, opt_state, value, optax.tree.norm(slopes)


_jitted = jax.jit(_step, static_argnums=0)


def _batches(x, y):
    return [(x[i : i + 500], y[i : i + 500]) for i in range(0, len(x), 500)]


def _means(losses):
    return [sum(losses[: n + 1]) / (n + 1) for n in range(len(losses))]


def _trained(loss, params, key, x, y, first_rate, epochs, debug, step=_jitted):
    opt_state, losses, norms = adam.init(params), [], []
    for epoch in range(epochs):
        for batch in _batches(x, y):
            key, subkey = jax.random.split(key)
            rate = first_rate * 0.5**epoch
            params, opt_state, value, norm = step(loss, params, opt_state, subkey, *batch, rate)
            losses.append(value)
            norms.append(norm)
    return params, _means(losses), norms if debug else []


def means_taken_afterwards(loss, params, key, x, y, first_rate, epochs, debug=False):
    return _trained(loss, params, key, x, y, first_rate, epochs, debug)


def one_scan(loss, params, key, x, y, first_rate, epochs, debug=False):
    batches = jax.tree.map(lambda leaf: leaf.reshape(-1, 500, *leaf.shape[1:]), (x, y))

    @jax.jit
    def epoch(params, opt_state, key, rate, batches):
        def body(carry, batch):
            params, opt_state, key = carry
            key, subkey = jax.random.split(key)
            params, opt_state, *seen = _step(loss, params, opt_state, subkey, *batch, rate)
            return (params, opt_state, key), seen

        return jax.lax.scan(body, (params, opt_state, key), batches)

    state, losses, norms = (params, adam.init(params), key), [], []
    for number in range(epochs):
        state, seen = epoch(*state, first_rate / 2**number, batches)
        losses += list(seen[0])
        norms += list(seen[1])
    return state[0], _means(losses), norms if debug else []


def donating_and_injected(loss, params, key, x, y, first_rate, epochs, debug=False):
    optimizer = optax.inject_hyperparams(optax.adam)(learning_rate=first_rate)

    @jax.jit
    def step(params, opt_state, key, x, y):
        value, slopes = jax.value_and_grad(loss)(params, key, x, y)
        updates, opt_state = optimizer.update(slopes, opt_state)
        return optax.apply_updates(params, updates), opt_state, value, optax.tree.norm(slopes)

    opt_state, total, curve, norms = optimizer.init(params), jnp.float32(0), [], []
    for _ in range(epochs):
        for batch in _batches(x, y):
            key, subkey = jax.random.split(key)
            params, opt_state, value, norm = step(params, opt_state, subkey, *batch)
            total += value
            curve.append(total / (len(curve) + 1))
            norms.append(norm)
        opt_state.hyperparams["learning_rate"] /= 2
    return params, curve, norms if debug else []


def one_loop(loss, params, key, x, y, first_rate, epochs, debug=False):
    state = params, adam.init(params), jnp.float32(0)
    curve, lengths = [], []
    for n in range(epochs * len(x) // 500):
        key, subkey = jax.random.split(key)
        i = 500 * n % len(x)
        pace = first_rate / 2 ** (500 * n // len(x))
        batch = x[i : i + 500], y[i : i + 500]
        *state, norm = step(loss, *state, subkey, *batch, pace)
        curve.append(state[2] / (n + 1))
        lengths.append(norm)
    return state[0], curve, lengths if debug else []


def one_loop_at_one_rate(loss, params, key, x, y, first_rate, epochs, debug=False):
    state = params, adam.init(params), jnp.float32(0)
    curve, lengths = [], []
    for n in range(epochs * len(x) // 500):
        key, subkey = jax.random.split(key)
        i = 500 * n % len(x)
        batch = x[i : i + 500], y[i : i + 500]
        *state, norm = step(loss, *state, subkey, *batch, first_rate)
        curve.append(state[2] / (n + 1))
        lengths.append(norm)
    return state[0], curve, lengths if debug else []


def one_loop_with_one_key(loss, params, key, x, y, first_rate, epochs, debug=False):
    state = params, adam.init(params), jnp.float32(0)
    curve, lengths = [], []
    for n in range(epochs * len(x) // 500):
        i = 500 * n % len(x)
        pace = first_rate / 2 ** (500 * n // len(x))
        batch = x[i : i + 500], y[i : i + 500]
        *state, norm = step(loss, *state, key, *batch, pace)
        curve.append(state[2] / (n + 1))
        lengths.append(norm)
    return state[0], curve, lengths if debug else []


def one_loop_without_lengths(loss, params, key, x, y, first_rate, epochs, debug=False):
    state = params, adam.init(params), jnp.float32(0)
    curve = []
    for n in range(epochs * len(x) // 500):
        key, subkey = jax.random.split(key)
        i = 500 * n % len(x)
        pace = first_rate / 2 ** (500 * n // len(x))
        batch = x[i : i + 500], y[i : i + 500]
        *state, _ = step(loss, *state, subkey, *batch, pace)
        curve.append(state[2] / (n + 1))
    return state[0], curve, []


def a_rate_halved_once(loss, params, key, x, y, first_rate, epochs, debug=False):
    rates = [first_rate] + [first_rate / 2] * (epochs - 1)
    of_steps = iter(np.repeat(rates, len(x) // 500).tolist())

    def step(*args):
        return _jitted(*args[:-1], next(of_steps))

    return _trained(loss, params, key, x, y, first_rate, epochs, debug, step)


rate, norms = 0.0, []


@partial(jax.jit, static_argnames=("loss", "debug"))
def step_as_found(loss, params, opt_state, losses, key, x, y, debug):
    value, slopes = jax.value_and_grad(loss)(params, key, x, y)
    if debug:
        norms.append(optax.tree.norm(slopes))
    updates, _ = adam.update(slopes, opt_state)
    params = jax.tree.map(lambda p, u: p + rate * u, params, updates)
    losses = [*losses, value]
    return params, opt_state, losses, sum(losses) / len(losses)


def train_as_found(loss, params, key, x, y, first_rate, epochs, debug=False):
    global rate
    rate, opt_state, losses, curve = first_rate, adam.init(params), [], []
    for _ in range(epochs):
        for i in range(0, len(x), 500):
            key, subkey = jax.random.split(key)
            batch = x[i : i + 500], y[i : i + 500]
            result = step_as_found(loss, params, opt_state, losses, subkey, *batch, debug)
            params, opt_state, losses, mean = result
            curve.append(mean)
        rate = rate / 2
    return params, curve, norms


def jitted_in_the_loop(loss, params, key, x, y, first_rate, epochs, debug=False):
    def step(*args):
        return jax.jit(lambda *rest: _step(loss, *rest))(*args[1:])

    return _trained(loss, params, key, x, y, first_rate, epochs, debug, step)


def a_static_rate(loss, params, key, x, y, first_rate, epochs, debug=False):
    step = jax.jit(_step, static_argnums=(0, 6))
    return _trained(loss, params, key, x, y, first_rate, epochs, debug, step)


def a_count_that_is_static(loss, params, key, x, y, first_rate, epochs, debug=False):
    count = iter(range(1000))
    inner = jax.jit(lambda n, *rest: _step(loss, *rest), static_argnums=0)

    def step(loss, *rest):
        return inner(next(count), *rest)

    return _trained(loss, params, key, x, y, first_rate, epochs, debug, step)


#: What the step below finds when it is traced.
settings = {"rate": 0.0}


@partial(jax.jit, static_argnums=0)
def _reading(loss, params, opt_state, key, x, y, rate):
    return _step(loss, params, opt_state, key, x, y, settings["rate"])


def a_rate_read_from_outside(loss, params, key, x, y, first_rate, epochs, debug=False):
    settings["rate"] = first_rate
    return _trained(loss, params, key, x, y, first_rate, epochs, debug, _reading)


def a_rate_that_stays(loss, params, key, x, y, first_rate, epochs, debug=False):
    def step(*args):
        return _jitted(*args[:-1], first_rate)

    return _trained(loss, params, key, x, y, first_rate, epochs, debug, step)


def a_rate_of_its_own(loss, params, key, x, y, first_rate, epochs, debug=False):
    def step(*args):
        return _jitted(*args[:-1], 0.1)

    return _trained(loss, params, key, x, y, first_rate, epochs, debug, step)


def an_optimizer_that_stays(loss, params, key, x, y, first_rate, epochs, debug=False):
    first = adam.init(params)

    def step(loss, params, opt_state, *rest):
        return _jitted(loss, params, first, *rest)

    return _trained(loss, params, key, x, y, first_rate, epochs, debug, step)


def an_optimizer_begun_anew(loss, params, key, x, y, first_rate, epochs, debug=False):
    def step(loss, params, opt_state, *rest):
        return _jitted(loss, params, adam.init(params), *rest)

    return _trained(loss, params, key, x, y, first_rate, epochs, debug, step)


def an_optimizer_begun_anew_in_each_epoch(loss, params, key, x, y, first_rate, epochs, debug=False):
    steps = []

    def step(loss, params, opt_state, *rest):
        steps.append(opt_state)
        first = len(steps) % (len(x) // 500) == 1
        return _jitted(loss, params, adam.init(params) if first else opt_state, *rest)

    return _trained(loss, params, key, x, y, first_rate, epochs, debug, step)


def steps_without_jit(loss, params, key, x, y, first_rate, epochs, debug=False):
    return _trained(loss, params, key, x, y, first_rate, epochs, debug, _step)


def plain_descent(loss, params, key, x, y, first_rate, epochs, debug=False):
    @jax.jit
    def inner(params, opt_state, key, x, y, rate):
        value, slopes = jax.value_and_grad(loss)(params, key, x, y)
        params = jax.tree.map(lambda p, slope: p - rate * slope, params, slopes)
        return params, opt_state, value, optax.tree.norm(slopes)

    def step(loss, *rest):
        return inner(*rest)

    return _trained(loss, params, key, x, y, first_rate, epochs, debug, step)


kept = []


@partial(jax.jit, static_argnums=0)
def _keeping(loss, *rest):
    result = _step(loss, *rest)
    kept.append(result[-1])
    return result


def lengths_kept_outside(loss, params, key, x, y, first_rate, epochs, debug=False):
    kept.clear()
    results = _trained(loss, params, key, x, y, first_rate, epochs, False, _keeping)
    return (*results[:2], kept if debug else [])


def no_lengths(loss, params, key, x, y, first_rate, epochs, debug=False):
    return _trained(loss, params, key, x, y, first_rate, epochs, False)


def lengths_of_the_last_epoch(loss, params, key, x, y, first_rate, epochs, debug=False):
    *results, lengths = _trained(loss, params, key, x, y, first_rate, epochs, debug)
    return (*results, lengths[-2:])


every_length = []


def lengths_of_all_runs(loss, params, key, x, y, first_rate, epochs, debug=False):
    *results, lengths = _trained(loss, params, key, x, y, first_rate, epochs, debug)
    every_length.extend(lengths)
    return (*results, list(every_length))


def _decaying(loss, params, opt_state, key, x, y, rate):
    value, slopes = jax.value_and_grad(loss)(params, key, x, y)
    updates, opt_state = optax.adamw(1.0).update(slopes, opt_state, params)
    params = jax.tree.map(lambda p, u: p + rate * u, params, updates)
    return params, opt_state, value, optax.tree.norm(slopes)


class _WithDecay:
    def __init__(self):
        self.step = jax.jit(_decaying, static_argnums=0)

    def __call__(self, loss, params, opt_state, *rest):
        if len(opt_state) == 2:
            opt_state = optax.adamw(1.0).init(params)
        return self.step(loss, params, opt_state, *rest)


def weights_that_decay(loss, params, key, x, y, first_rate, epochs, debug=False):
    return _trained(loss, params, key, x, y, first_rate, epochs, debug, _WithDecay())


def lengths_printed(loss, params, key, x, y, first_rate, epochs, debug=False):
    *results, lengths = _trained(loss, params, key, x, y, first_rate, epochs, debug)
    if debug:
        print("lengths of gradients:", lengths)
    return (*results, lengths)


def squares_of_lengths(loss, params, key, x, y, first_rate, epochs, debug=False):
    *results, lengths = _trained(loss, params, key, x, y, first_rate, epochs, debug)
    return (*results, [length**2 for length in lengths])


def lengths_always(loss, params, key, x, y, first_rate, epochs, debug=False):
    return _trained(loss, params, key, x, y, first_rate, epochs, True)


def one_key_for_all_steps(loss, params, key, x, y, first_rate, epochs, debug=False):
    def step(loss, params, opt_state, _, *rest):
        return _jitted(loss, params, opt_state, key, *rest)

    return _trained(loss, params, key, x, y, first_rate, epochs, debug, step)


def losses_and_not_their_means(loss, params, key, x, y, first_rate, epochs, debug=False):
    params, means, lengths = _trained(loss, params, key, x, y, first_rate, epochs, debug)
    sums = [0.0] + [mean * (n + 1) for n, mean in enumerate(means)]
    losses = [after - before for before, after in itertools.pairwise(sums)]
    return params, losses, lengths


def batches_backwards(loss, params, key, x, y, first_rate, epochs, debug=False):
    return _trained(loss, params, key, x[::-1], y[::-1], first_rate, epochs, debug)


def one_batch_of_all(loss, params, key, x, y, first_rate, epochs, debug=False):
    opt_state, losses = adam.init(params), []
    for epoch in range(epochs):
        rate = first_rate / 2**epoch
        params, opt_state, value, _ = _jitted(loss, params, opt_state, key, x, y, rate)
        losses.append(value)
    return params, _means(losses), []


def labels_of_the_first_batch(loss, params, key, x, y, first_rate, epochs, debug=False):
    y = jnp.tile(y[:500], len(y) // 500)
    return _trained(loss, params, key, x, y, first_rate, epochs, debug)


def means_of_the_last_two(loss, params, key, x, y, first_rate, epochs, debug=False):
    params, means, lengths = _trained(loss, params, key, x, y, first_rate, epochs, debug)
    sums = [0.0, 0.0] + [mean * (n + 1) for n, mean in enumerate(means)]
    curve = [(sums[n + 2] - sums[n]) / min(n + 1, 2) for n in range(len(means))]
    return params, curve, lengths


def means_as_an_array(loss, params, key, x, y, first_rate, epochs, debug=False):
    params, means, lengths = _trained(loss, params, key, x, y, first_rate, epochs, debug)
    return params, jnp.array(means), lengths


def keys_of_the_first_epoch_again(loss, params, key, x, y, first_rate, epochs, debug=False):
    keys = itertools.cycle(jax.random.split(key, len(x) // 500))

    def step(loss, params, opt_state, _, *rest):
        return _jitted(loss, params, opt_state, next(keys), *rest)

    return _trained(loss, params, key, x, y, first_rate, epochs, debug, step)


def keys_of_its_own(loss, params, key, x, y, first_rate, epochs, debug=False):
    return _trained(loss, params, jax.random.key(0), x, y, first_rate, epochs, debug)


def parameters_alone(loss, params, key, x, y, first_rate, epochs, debug=False):
    return _trained(loss, params, key, x, y, first_rate, epochs, debug)[0]


def _with_optimizer(optimizer, size=lambda x: 500):
    @partial(jax.jit, static_argnums=0)
    def step(loss, params, opt_state, key, x, y, rate):
        value, slopes = jax.value_and_grad(loss)(params, key, x, y)
        updates, opt_state = optimizer.update(slopes, opt_state, params)
        params = jax.tree.map(lambda p, u: p + rate * u, params, updates)
        return params, opt_state, value, optax.tree.norm(slopes)

    def train(loss, params, key, x, y, first_rate, epochs, debug=False):
        opt_state, losses, norms, rows = optimizer.init(params), [], [], size(x)
        for epoch in range(epochs):
            for i in range(0, len(x), rows):
                batch, rate = (x[i : i + rows], y[i : i + rows]), first_rate / 2**epoch
                subkey = jax.random.fold_in(key, len(losses))
                params, opt_state, value, norm = step(loss, params, opt_state, subkey, *batch, rate)
                losses.append(value)
                norms.append(norm)
        return params, _means(losses), norms if debug else []

    return train


_folded = _with_optimizer(adam)
_clipped = _with_optimizer(optax.chain(optax.clip_by_global_norm(1.0), adam))
_with_epsilon = _with_optimizer(optax.adam(1.0, eps=1e-6))
_in_halves = _with_optimizer(adam, lambda x: len(x) // 2)


def keys_by_number(*args, **kwargs):
    return _folded(*args, **kwargs)


def clipped_gradients(*args, **kwargs):
    return _clipped(*args, **kwargs)


def a_large_epsilon(*args, **kwargs):
    return _with_epsilon(*args, **kwargs)


def two_batches_in_each_epoch(*args, **kwargs):
    return _in_halves(*args, **kwargs)


def nothing_learned_in_debug(loss, params, *args, debug=False):
    end, curve, norms = _folded(loss, params, *args, debug=debug)
    return params if debug else end, curve, norms


def lengths_as_an_array(*args, debug=False):
    end, curve, norms = _folded(*args, debug=debug)
    return end, curve, jnp.stack(norms) if norms else []


# run


def with_names_for_all(images, labels, epochs):
    data, held_out = prepare(images, labels)
    start = init(jax.random.key(0))
    before = evaluate(predict, start, *held_out)
    key = jax.random.key(1)
    end, curve, _ = train(loss, start, key, *data, 0.03, epochs)
    return before, evaluate(predict, end, *held_out), curve


def with_the_start_twice(images, labels, epochs):
    data, held_out = prepare(images, labels)
    start = init(jax.random.key(0))
    before = evaluate(predict, start, *held_out)
    key = jax.random.key(1)
    _, curve, _ = train(loss, start, key, *data, 0.03, epochs)
    return before, evaluate(predict, start, *held_out), curve


def with_darker_images(images, labels, epochs):
    images /= 16
    data, held_out = prepare(16 * images, labels)
    start = init(jax.random.key(0))
    before = evaluate(predict, start, *held_out)
    key = jax.random.key(1)
    end, curve, _ = train(loss, start, key, *data, 0.03, epochs)
    return before, evaluate(predict, end, *held_out), curve


def with_a_new_loss(images, labels, epochs):
    data, held_out = prepare(images, labels)
    start = init(jax.random.key(0))
    before = evaluate(predict, start, *held_out)
    key, own = jax.random.key(1), lambda *args: loss(*args)
    end, curve, _ = train(own, start, key, *data, 0.03, epochs)
    return before, evaluate(predict, end, *held_out), curve


def _run(images, labels, epochs, prepare=mended.prepare, loss=mended.loss, train=mended.train):
    data, held_out = prepare(images, labels)
    params = mended.init(jax.random.key(0))
    before = mended.evaluate(mended.predict, params, *held_out)
    params, curve, _ = train(loss, params, jax.random.key(1), *data, 0.03, epochs)
    return before, mended.evaluate(mended.predict, params, *held_out), curve


def a_curve_of_losses(images, labels, epochs):
    before, after, curve = _run(images, labels, epochs)
    sums = np.array(curve) * np.arange(1, 1 + len(curve))
    return before, after, np.diff(sums, prepend=0.0)


def a_mean_for_each_epoch(images, labels, epochs):
    before, after, curve = _run(images, labels, epochs)
    sums = np.array(curve) * np.arange(1, 1 + len(curve))
    losses = np.diff(sums, prepend=0.0).reshape(epochs, -1)
    return before, after, np.ravel(losses.cumsum(axis=1) / np.arange(1, 4))


def the_last_epoch_of_the_curve(images, labels, epochs):
    before, after, curve = _run(images, labels, epochs)
    return before, after, curve[-3:]


def numbers_of_right_digits(images, labels, epochs):
    before, after, curve = _run(images, labels, epochs)
    return before * 297, after * 297, curve


def wrong_before_training(images, labels, epochs):
    before, after, curve = _run(images, labels, epochs)
    return 1 - before, after, curve


def shares_exchanged(images, labels, epochs):
    before, after, curve = _run(images, labels, epochs)
    return after, before, curve


def with_whole_layers(images, labels, epochs):
    return _run(images, labels, epochs, divided_in_jax, whole_layers_at_once)


def with_a_scan(images, labels, epochs):
    return _run(images, labels, epochs, train=means_taken_afterwards)


def darker_each_time(images, labels, epochs):
    return _run(images, labels, epochs, prepare_as_found)


def labels_for_everybody(images, labels, epochs):
    return _run(images, labels, epochs, loss=only_the_axes_left)


def no_longer_finite(images, labels, epochs):
    return _run(images, labels, epochs, loss=only_the_length_left)


def traced_in_each_step(images, labels, epochs):
    return _run(images, labels, epochs, train=a_count_that_is_static)


def never_trained(images, labels, epochs):
    before, _, curve = _run(images, labels, epochs)
    return before, before, curve


# forecast


def by_its_derivative(wave, key, steps):
    rows = wave[jnp.arange(len(wave) - 8)[:, None] + jnp.arange(9)]
    x, y = rows[:, :8], rows[:, 8]

    def step(weights, key):
        noisy = x + 0.2 * jax.random.normal(key, x.shape)
        slope = 2 * (noisy @ weights - y) @ noisy / len(y)
        return weights - 0.1 * slope, None

    keys = jax.random.split(key, steps)
    return jax.lax.scan(step, jnp.eye(8)[7], keys)[0]


def indexed_past_the_end(wave, key, steps):
    rows = wave[jnp.arange(len(wave))[:, None] + jnp.arange(9)]
    x, y = rows[:, :8], rows[:, 8]

    def step(weights, key):
        noisy = x + 0.2 * jax.random.normal(key, x.shape)
        slope = 2 * (noisy @ weights - y) @ noisy / len(y)
        return weights - 0.1 * slope, None

    keys = jax.random.split(key, steps)
    return jax.lax.scan(step, jnp.eye(8)[7], keys)[0]


def weights_of_every_step(wave, key, steps):
    rows = wave[jnp.arange(len(wave) - 8)[:, None] + jnp.arange(9)]
    x, y = rows[:, :8], rows[:, 8]

    def step(weights, key):
        noisy = x + 0.2 * jax.random.normal(key, x.shape)
        slope = 2 * (noisy @ weights - y) @ noisy / len(y)
        return (weights - 0.1 * slope,) * 2

    keys = jax.random.split(key, steps)
    return jax.lax.scan(step, jnp.eye(8)[7], keys)[1]


def all_in_half_precision(wave, key, steps):
    wave = wave.astype("float16")
    rows = wave[jnp.arange(len(wave) - 8)[:, None] + jnp.arange(9)]
    x, y = rows[:, :8], rows[:, 8]

    def step(weights, key):
        noisy = x + 0.2 * jax.random.normal(key, x.shape, x.dtype)
        slope = 2 * (noisy @ weights - y) @ noisy / len(y)
        return weights - 0.1 * slope, None

    keys, first = jax.random.split(key, steps), jnp.eye(8)[7]
    return jax.lax.scan(step, first.astype("float16"), keys)[0]


def _windows(wave):
    return jnp.stack([wave[i : i + 9] for i in range(len(wave) - 8)])


def _first():
    return jnp.zeros(8).at[-1].set(1.0)


def _squares(weights, x, y):
    return jnp.mean((x @ weights - y) ** 2)


_slope = jax.jit(jax.grad(_squares))


def _forecast(rows, key, steps, first=None, axis=8, size=0.2):
    x, y = rows[:, :8], rows[:, axis:] if axis != 8 else rows[:, 8]
    weights = _first() if first is None else first
    for n in range(steps):
        noise = size * jax.random.normal(jax.random.fold_in(key, n), x.shape)
        weights = weights - 0.1 * _slope(weights, x + noise, y)
    return weights


def windows_by_slices(wave, key, steps):
    return _forecast(_windows(wave), key, steps)


def by_an_index_and_a_scan(wave, key, steps):
    rows = wave[jnp.arange(len(wave) - 8)[:, None] + jnp.arange(9)]
    x, y = rows[:, :-1], rows[:, -1]

    def step(weights, key):
        noisy = x + 0.2 * jax.random.normal(key, x.shape)
        return weights - 0.1 * jax.grad(_squares)(weights, noisy, y), None

    return jax.lax.scan(step, jnp.eye(8)[7], jax.random.split(key, steps))[0]


def forecast_as_found(wave, key, steps):
    def window(i):
        return jax.lax.dynamic_slice_in_dim(wave, i, 9)

    rows = jax.vmap(window)(jnp.arange(len(wave)))
    x, y = rows[:, :8], rows[:, 8:]
    weights = jnp.zeros(8)
    weights.at[7].set(1.0)

    @jax.jit
    def step(weights):
        noise = 0.2 * np.random.normal(size=x.shape)
        slope = jax.grad(lambda weights: jnp.mean(((x + noise) @ weights - y) ** 2))
        return weights - 0.1 * slope(weights)

    for _ in range(steps):
        weights = step(weights)
    return weights


def windows_past_the_end(wave, key, steps):
    def window(i):
        return jax.lax.dynamic_slice_in_dim(wave, i, 9)

    return _forecast(jax.vmap(window)(jnp.arange(len(wave))), key, steps)


def values_as_a_column(wave, key, steps):
    rows = _windows(wave)
    x, y, weights = rows[:, :8], rows[:, 8:], _first()
    for subkey in jax.random.split(key, steps):
        noise = 0.2 * jax.random.normal(subkey, x.shape)
        weights = weights - 0.1 * _slope(weights, x + noise, y)
    return weights


def begun_at_zero(wave, key, steps):
    return _forecast(_windows(wave), key, steps, jnp.zeros(8))


def the_oldest_value_again(wave, key, steps):
    return _forecast(_windows(wave), key, steps, jnp.eye(8)[0])


def noise_of_numpy(wave, key, steps):
    rows, weights = _windows(wave), _first()
    for _ in range(steps):
        noise = 0.2 * np.random.normal(size=(len(rows), 8))
        weights = weights - 0.1 * _slope(weights, rows[:, :8] + noise, rows[:, 8])
    return weights


def one_noise_for_all_steps(wave, key, steps):
    rows, weights = _windows(wave), _first()
    x = rows[:, :8] + 0.2 * jax.random.normal(key, (len(rows), 8))
    for _ in range(steps):
        weights = weights - 0.1 * _slope(weights, x, rows[:, 8])
    return weights


def without_noise(wave, key, steps):
    rows, weights = _windows(wave), _first()
    for _ in range(steps):
        weights = weights - 0.1 * _slope(weights, rows[:, :8], rows[:, 8])
    return weights


def a_key_of_its_own(wave, key, steps):
    return _forecast(_windows(wave), jax.random.key(0), steps)


def at_a_tenth_of_the_rate(wave, key, steps):
    rows, weights = _windows(wave), _first()
    for n in range(steps):
        noise = 0.2 * jax.random.normal(jax.random.fold_in(key, n), (len(rows), 8))
        weights = weights - 0.01 * _slope(weights, rows[:, :8] + noise, rows[:, 8])
    return weights


def half_the_squares(wave, key, steps):
    rows, weights = _windows(wave), _first()
    for n in range(steps):
        noise = 0.2 * jax.random.normal(jax.random.fold_in(key, n), (len(rows), 8))
        weights = weights - 0.05 * _slope(weights, rows[:, :8] + noise, rows[:, 8])
    return weights


def the_newest_value_first(wave, key, steps):
    return _forecast(_windows(wave), key, steps)[::-1]


def a_column_of_weights(wave, key, steps):
    return _forecast(_windows(wave), key, steps)[:, None]


def half_as_precise(wave, key, steps):
    return _forecast(_windows(wave), key, steps).astype("float16")


def only_the_prediction(wave, key, steps):
    return wave[-8:] @ _forecast(_windows(wave), key, steps)


def the_last_window_left_out(wave, key, steps):
    return _forecast(_windows(wave)[: max(len(wave) - 9, 1)], key, steps)


def values_to_predict_with_noise(wave, key, steps):
    rows, weights = _windows(wave), _first()
    for subkey in jax.random.split(key, steps):
        noisy = rows + 0.2 * jax.random.normal(subkey, rows.shape)
        weights = weights - 0.1 * _slope(weights, noisy[:, :8], noisy[:, 8])
    return weights


def a_variance_of_a_fifth(wave, key, steps):
    return _forecast(_windows(wave), key, steps, size=0.2**0.5)


def noise_of_each_value(wave, key, steps):
    rows, weights = _windows(wave), _first()
    for n in range(steps):
        noise = _windows(0.2 * jax.random.normal(jax.random.fold_in(key, n), wave.shape))
        weights = weights - 0.1 * _slope(weights, rows[:, :8] + noise[:, :8], rows[:, 8])
    return weights


def with_momentum(wave, key, steps):
    rows, weights, speed = _windows(wave), _first(), jnp.zeros(8)
    for n in range(steps):
        noise = 0.2 * jax.random.normal(jax.random.fold_in(key, n), (len(rows), 8))
        speed = 0.9 * speed + _slope(weights, rows[:, :8] + noise, rows[:, 8])
        weights = weights - 0.1 * speed
    return weights


def a_rate_that_falls(wave, key, steps):
    rows, weights = _windows(wave), _first()
    for n in range(steps):
        noise = 0.2 * jax.random.normal(jax.random.fold_in(key, n), (len(rows), 8))
        slope = _slope(weights, rows[:, :8] + noise, rows[:, 8])
        weights = weights - 0.1 / (1 + 0.001 * n) * slope
    return weights


def noise_of_0_22(wave, key, steps):
    return _forecast(_windows(wave), key, steps, size=0.22)


class Digits(NamedTuple):
    images: jax.Array
    labels: jax.Array


def in_named_tuples(images, labels):
    images, labels = jnp.asarray(images / 16, jnp.float32), jnp.asarray(labels, jnp.int32)
    return tuple(Digits(images[p], labels[p]) for p in (slice(1500), slice(1500, None)))


RIGHT = {
    "prepare": [divided_in_jax, a_copy_in_place, a_list_of_pairs, in_named_tuples],
    "loss": [with_mended_parts, whole_layers_at_once, by_fold_in_and_optax, row_after_row],
    "evaluate": [
        all_images_at_once,
        without_jit_and_by_position,
        counted_in_a_scan,
        mapped_in_parts,
        batches_of_numpy_outside_jit,
        padded_batches_outside_jit,
    ],
    "time_step": [waiting_in_a_function, leaf_by_leaf],
    "train": [one_loop, means_taken_afterwards, one_scan, donating_and_injected, keys_by_number],
    "run": [
        with_a_new_loss,
        with_names_for_all,
        with_whole_layers,
        with_a_scan,
    ],
    "forecast": [by_its_derivative, windows_by_slices, by_an_index_and_a_scan],
}

WRONG = {
    "prepare": {
        "symptom/second-call": [
            prepare_as_found,
            divided_into_itself,
            divided_unless_dark,
            labels_put_in_order,
            in_place_if_float32,
        ],
        "value/differs": [
            not_divided,
            divided_by_the_brightest,
            in_bfloat16_on_the_way,
            divided_and_multiplied_back,
        ],
        "value/shape": [one_row_lost, images_and_labels_apart],
        "value/dtype": [labels_as_floats, labels_as_they_come, arrays_of_numpy],
    },
    "loss": {
        "symptom/not-finite": [
            with_a_norm,
            only_the_length_left,
            loss_as_found,
            a_norm_without_a_where,
        ],
        "symptom/alike": [
            with_one_key,
            only_the_key_left,
            one_draw_for_all_images,
            nothing_dropped,
            half_dropped,
            with_a_key_of_its_own,
            with_images_in_pairs,
            keys_of_the_image_after_the_next,
            units_dropped_in_pairs,
            more_dropped_in_the_first_layer,
            a_quarter_dropped,
        ],
        "symptom/company": [with_all_labels, only_the_axes_left],
        "value/differs": [
            no_penalty,
            the_log_of_a_softmax,
            a_loss_of_twenty_at_most,
            a_last_bias_that_stays,
            a_penalty_on_kernels_only,
            a_length_of_the_whole,
            a_sum_of_losses,
            pixels_dropped_as_well,
            nothing_made_up_for,
            a_penalty_without_a_slope,
            a_first_layer_that_stays,
            an_epsilon_below_the_root,
            short_arrays_have_no_length,
        ],
        "value/shape": [losses_of_all_images],
        "trees/prefix": [four_images_only],
    },
    "evaluate": {
        "symptom/company": [
            at_once_as_in_training,
            each_alone_as_in_training,
            as_in_training_if_few,
            evaluate_as_found,
        ],
        "symptom/compiles-more": [
            only_the_loop_left,
            image_by_image,
            images_stacked_one_by_one,
            answers_stacked_one_by_one,
            a_loop_of_a_thousand,
            a_loop_of_a_thousand_within,
            a_thousand_jitted_anew,
        ],
        "value/differs": [
            a_share_of_whole_batches,
            the_first_batch_alone,
            a_mean_of_two_means,
            divided_once_more,
            the_largest_in_size,
            padded_with_zeros,
            a_count_up_to_255,
            scores_in_half_precision,
        ],
        "value/dtype": [a_count_of_images, a_python_number],
        "value/shape": [a_share_for_each_image],
        "runs/raised": [without_an_axis_of_one],
    },
    "time_step": {
        "symptom/clock": [
            only_the_first_awaited,
            time_step_as_found,
            caches_cleared_between,
            only_the_second_awaited,
            awaited_after_the_clock,
            one_leaf_awaited,
            the_last_leaf_awaited,
            the_shorter_call,
            copied_to_the_host,
            in_whole_milliseconds,
        ],
        "cost/calls-timed": [
            three_calls,
            no_first_call,
            without_its_arguments,
            other_arguments_first,
        ],
        "value/dtype": [as_an_array],
    },
    "train": {
        "symptom/compiles-more": [
            train_as_found,
            jitted_in_the_loop,
            a_static_rate,
            a_count_that_is_static,
            steps_without_jit,
        ],
        "symptom/no-effect": [
            one_loop_at_one_rate,
            a_rate_read_from_outside,
            a_rate_halved_once,
            a_rate_that_stays,
            a_rate_of_its_own,
            an_optimizer_that_stays,
            an_optimizer_begun_anew,
            an_optimizer_begun_anew_in_each_epoch,
            plain_descent,
            clipped_gradients,
            a_large_epsilon,
        ],
        "symptom/observed": [
            one_loop_without_lengths,
            lengths_kept_outside,
            no_lengths,
            lengths_of_the_last_epoch,
            lengths_of_all_runs,
            squares_of_lengths,
            nothing_learned_in_debug,
            lengths_as_an_array,
        ],
        "symptom/alike": [
            one_loop_with_one_key,
            one_key_for_all_steps,
            keys_of_the_first_epoch_again,
            keys_of_its_own,
        ],
        "value/differs": [
            losses_and_not_their_means,
            batches_backwards,
            one_batch_of_all,
            labels_of_the_first_batch,
            means_of_the_last_two,
            weights_that_decay,
        ],
        "value/shape": [lengths_always, two_batches_in_each_epoch],
        "value/structure": [parameters_alone, means_as_an_array],
        "effects/write": [lengths_printed],
    },
    "run": {
        "symptom/second-call": [with_darker_images, darker_each_time],
        "symptom/learns-nothing": [
            with_the_start_twice,
            labels_for_everybody,
            no_longer_finite,
            never_trained,
        ],
        "symptom/compiles-more": [traced_in_each_step],
        "value/differs": [
            a_curve_of_losses,
            a_mean_for_each_epoch,
            the_last_epoch_of_the_curve,
            numbers_of_right_digits,
            wrong_before_training,
            shares_exchanged,
        ],
    },
    "forecast": {
        "symptom/remains": [
            indexed_past_the_end,
            windows_past_the_end,
            forecast_as_found,
            values_as_a_column,
            begun_at_zero,
            the_oldest_value_again,
            noise_of_numpy,
            one_noise_for_all_steps,
            without_noise,
            a_key_of_its_own,
            at_a_tenth_of_the_rate,
            half_the_squares,
            the_newest_value_first,
            the_last_window_left_out,
            values_to_predict_with_noise,
            a_variance_of_a_fifth,
            noise_of_each_value,
            with_momentum,
            a_rate_that_falls,
            noise_of_0_22,
        ],
        "value/shape": [weights_of_every_step, a_column_of_weights, only_the_prediction],
        "value/dtype": [all_in_half_precision, half_as_precise],
    },
}
