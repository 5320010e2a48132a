"""Right and wrong answers to the exercises of 11_state_by_hand."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp

# noisy_step

adam = optax.adam(0.03)


def loss(params, x, y):
    scores = jnp.tanh(x @ params["in"]) @ params["out"]
    return optax.softmax_cross_entropy_with_integer_labels(scores, y).mean()


def _parts(state, x, y, size=0.1):
    key, subkey = jax.random.split(state["key"])
    x = x + size * jax.random.normal(subkey, x.shape)
    slopes = jax.grad(loss)(state["params"], x, y)
    updates, opt_state = adam.update(slopes, state["opt_state"])
    return key, updates, opt_state


def a_copy_of_the_state(state, x, y):
    new = dict(state)
    new["key"], updates, new["opt_state"] = _parts(state, x, y)
    new["params"] = optax.apply_updates(state["params"], updates)
    new["step"] = optax.safe_increment(state["step"])
    return new


@jax.jit
def under_jit_with_an_array_of_keys(state, x, y):
    keys = jax.random.split(state["key"], 2)
    noise = 0.1 * jax.random.normal(keys[1], x.shape)
    slopes = jax.grad(lambda params: loss(params, x + noise, y))(state["params"])
    updates, opt_state = adam.update(slopes, state["opt_state"], state["params"])
    params = jax.tree.map(lambda p, u: p + u, state["params"], updates)
    return state | {"params": params, "opt_state": opt_state, "key": keys[0]} | _counted(state)


def _counted(state):
    return {"step": state["step"] + 1}


def with_the_value_too(state, x, y):
    next_key, now = jax.random.split(state["key"])
    _, slopes = jax.value_and_grad(loss)(
        state["params"], x + 0.1 * jax.random.normal(now, x.shape), y
    )
    updates, opt_state = adam.update(slopes, state["opt_state"])
    return {
        "step": state["step"] + 1,
        "key": next_key,
        "opt_state": opt_state,
        "params": optax.apply_updates(state["params"], updates),
    }


@partial(jax.jit, donate_argnums=0)
def donating_the_state(state, x, y):
    return a_copy_of_the_state(state, x, y)


def row_after_row_under_vmap(state, x, y):
    key, subkey = jax.random.split(state["key"])
    x = x + 0.1 * jax.random.normal(subkey, x.shape)

    def mean(params):
        return jax.vmap(lambda row, label: loss(params, row[None], label[None]))(x, y).mean()

    updates, opt_state = adam.update(jax.grad(mean)(state["params"]), state["opt_state"])
    params = optax.apply_updates(state["params"], updates)
    return {"params": params, "opt_state": opt_state, "key": key, "step": state["step"] + 1}


def noisy_step_as_given(state, x, y):
    _, updates, _ = _parts(state, x, y)
    optax.apply_updates(state["params"], updates)
    return state | {"step": state["step"] + 1}


def key_dropped(state, x, y):
    return a_copy_of_the_state(state, x, y) | {"key": state["key"]}


def optimizer_state_dropped(state, x, y):
    return a_copy_of_the_state(state, x, y) | {"opt_state": state["opt_state"]}


def parameters_dropped(state, x, y):
    return a_copy_of_the_state(state, x, y) | {"params": state["params"]}


def step_dropped(state, x, y):
    return a_copy_of_the_state(state, x, y) | {"step": state["step"]}


def optimizer_begun_anew(state, x, y):
    fresh = state | {"opt_state": adam.init(state["params"])}
    return a_copy_of_the_state(fresh, x, y)


def key_of_the_noise_handed_on(state, x, y):
    return a_copy_of_the_state(state, x, y) | {"key": jax.random.split(state["key"])[1]}


def noise_from_the_whole_key(state, x, y):
    x = x + 0.1 * jax.random.normal(state["key"], x.shape)
    slopes = jax.grad(loss)(state["params"], x, y)
    updates, opt_state = adam.update(slopes, state["opt_state"])
    params = optax.apply_updates(state["params"], updates)
    key = jax.random.split(state["key"])[0]
    return {"params": params, "opt_state": opt_state, "key": key, "step": state["step"] + 1}


def key_by_fold_in(state, x, y):
    key = jax.random.fold_in(state["key"], state["step"])
    return a_copy_of_the_state(state, x, y) | {"key": key}


def one_noise_for_all_rows(state, x, y):
    key, subkey = jax.random.split(state["key"])
    noisy = x + 0.1 * jax.random.normal(subkey, x.shape[1:])
    updates, opt_state = adam.update(jax.grad(loss)(state["params"], noisy, y), state["opt_state"])
    params = optax.apply_updates(state["params"], updates)
    return {"params": params, "opt_state": opt_state, "key": key, "step": state["step"] + 1}


def without_noise(state, x, y):
    _, updates, opt_state = _parts(state, x, y, size=0.0)
    params = optax.apply_updates(state["params"], updates)
    return a_copy_of_the_state(state, x, y) | {"params": params, "opt_state": opt_state}


def updates_subtracted(state, x, y):
    _, updates, _ = _parts(state, x, y)
    params = jax.tree.map(jnp.subtract, state["params"], updates)
    return a_copy_of_the_state(state, x, y) | {"params": params}


def state_changed_in_place(state, x, y):
    state.update(a_copy_of_the_state(state, x, y))
    return state


def nothing_returned(state, x, y):
    state | a_copy_of_the_state(state, x, y)


def parameters_alone(state, x, y):
    return a_copy_of_the_state(state, x, y)["params"]


def loss_beside_the_state(state, x, y):
    return a_copy_of_the_state(state, x, y), loss(state["params"], x, y)


def step_as_a_float(state, x, y):
    return a_copy_of_the_state(state, x, y) | {"step": state["step"] + 1.0}


def step_counted_in_python(state, x, y):
    step = jnp.int32(int(state["step"]) + 1)
    return a_copy_of_the_state(state, x, y) | {"step": step}


def step_in_eight_bits(state, x, y):
    new = a_copy_of_the_state(state, x, y)
    return new | {"step": new["step"].astype("uint8").astype("int32")}


# make_optimizer


def _schedule(rate, warmup, steps):
    return optax.warmup_cosine_decay_schedule(0.0, rate, warmup, steps)


def _matrices(params):
    return jax.tree.map(lambda leaf: leaf.ndim >= 2, params)


def link_by_link(rate, warmup, steps):
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.scale_by_adam(),
        optax.add_decayed_weights(0.1, mask=_matrices),
        optax.scale_by_learning_rate(_schedule(rate, warmup, steps)),
    )


def with_joined_schedules(rate, warmup, steps):
    up = optax.linear_schedule(0.0, rate, warmup)
    down = optax.cosine_decay_schedule(rate, steps - warmup)
    schedule = optax.join_schedules([up, down], [warmup])
    decay = optax.adamw(schedule, weight_decay=0.1, mask=partial(jax.tree.map, _is_matrix))
    return optax.chain(optax.clip_by_global_norm(1.0), decay)


def _is_matrix(leaf):
    return jnp.ndim(leaf) > 1


def with_a_schedule_of_ones_own(rate, warmup, steps):
    def schedule(k):
        up = rate * k / warmup
        part = jnp.clip((k - warmup) / (steps - warmup), 0.0, 1.0)
        return jnp.where(k < warmup, up, rate * (1 + jnp.cos(jnp.pi * part)) / 2)

    adamw = optax.adamw(schedule, weight_decay=0.1, mask=_matrices)

    def update(slopes, state, params):
        length = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(slopes)))
        slopes = jax.tree.map(lambda g: g / jnp.maximum(length, 1.0), slopes)
        return adamw.update(slopes, state, params)

    return optax.GradientTransformation(adamw.init, update)


def injected(rate, warmup, steps):
    adamw = optax.inject_hyperparams(optax.adamw, static_args="mask")(
        learning_rate=_schedule(rate, warmup, steps), weight_decay=0.1, mask=_matrices
    )
    return optax.named_chain(("clip", optax.clip_by_global_norm(1.0)), ("adamw", adamw))


def sent_by_labels(rate, warmup, steps):
    def labels(params):
        return jax.tree.map(lambda leaf: "matrix" if leaf.ndim >= 2 else "vector", params)

    schedule = _schedule(rate, warmup, steps)
    parts = {"matrix": optax.adamw(schedule, weight_decay=0.1), "vector": optax.adam(schedule)}
    return optax.chain(optax.clip_by_global_norm(1.0), optax.partition(parts, labels))


def _chain(rate, warmup, steps, clip=None, weight_decay=0.1, mask=_matrices, schedule=_schedule):
    adamw = optax.adamw(schedule(rate, warmup, steps), weight_decay=weight_decay, mask=mask)
    return optax.chain(clip or optax.clip_by_global_norm(1.0), adamw)


def all_leaves_decay(rate, warmup, steps):
    return _chain(rate, warmup, steps, mask=None)


def vectors_decay_too(rate, warmup, steps):
    return _chain(rate, warmup, steps, mask=partial(jax.tree.map, lambda leaf: leaf.ndim >= 1))


def squares_alone_decay(rate, warmup, steps):
    return _chain(rate, warmup, steps, mask=partial(jax.tree.map, lambda leaf: leaf.ndim == 2))


def decay_of_adamw_as_it_is(rate, warmup, steps):
    adamw = optax.adamw(_schedule(rate, warmup, steps), mask=_matrices)
    return optax.chain(optax.clip_by_global_norm(1.0), adamw)


def decay_through_the_averages(rate, warmup, steps):
    decay = optax.add_decayed_weights(0.1, mask=_matrices)
    adam = optax.adam(_schedule(rate, warmup, steps))
    return optax.chain(optax.clip_by_global_norm(1.0), decay, adam)


def each_entry_clipped(rate, warmup, steps):
    return _chain(rate, warmup, steps, clip=optax.clip(1.0))


def each_leaf_clipped(rate, warmup, steps):
    return _chain(rate, warmup, steps, clip=optax.clip_by_block_rms(1.0))


def clipped_at_the_end(rate, warmup, steps):
    adamw = optax.adamw(_schedule(rate, warmup, steps), weight_decay=0.1, mask=_matrices)
    return optax.chain(adamw, optax.clip_by_global_norm(1.0))


def always_of_length_one(rate, warmup, steps):
    return _chain(rate, warmup, steps, clip=optax.normalize_by_update_norm())


def not_clipped(rate, warmup, steps):
    return _chain(rate, warmup, steps, clip=optax.identity())


def constant_rate(rate, warmup, steps):
    return _chain(rate, warmup, steps, schedule=lambda rate, warmup, steps: rate)


def warm_up_not_in_the_steps(rate, warmup, steps):
    return _chain(rate, warmup, steps + warmup)


def cosine_without_warm_up(rate, warmup, steps):
    def schedule(rate, warmup, steps):
        return optax.cosine_decay_schedule(rate, steps)

    return _chain(rate, warmup, steps, schedule=schedule)


def linear_fall(rate, warmup, steps):
    def schedule(rate, warmup, steps):
        return optax.warmup_exponential_decay_schedule(0.0, rate, warmup, steps, 0.5)

    return _chain(rate, warmup, steps, schedule=schedule)


def cosine_that_rises_again(rate, warmup, steps):
    def schedule(rate, warmup, steps):
        def at(k):
            part = (k - warmup) / (steps - warmup)
            return jnp.where(k < warmup, rate * k / warmup, rate * (1 + jnp.cos(jnp.pi * part)) / 2)

        return at

    return _chain(rate, warmup, steps, schedule=schedule)


def rate_of_the_next_update(rate, warmup, steps):
    def schedule(rate, warmup, steps):
        return lambda k: _schedule(rate, warmup, steps)(k + 1)

    return _chain(rate, warmup, steps, schedule=schedule)


def decay_without_the_rate(rate, warmup, steps):
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.adam(_schedule(rate, warmup, steps)),
        optax.add_decayed_weights(-0.1, mask=_matrices),
    )


def mask_by_name(rate, warmup, steps):
    return _chain(rate, warmup, steps, mask={"kernel": True, "bias": False})


def update_alone(rate, warmup, steps):
    return _chain(rate, warmup, steps).update


def not_returned(rate, warmup, steps):
    _chain(rate, warmup, steps)


def a_list_of_links(rate, warmup, steps):
    return [optax.clip_by_global_norm(1.0), link_by_link(rate, warmup, steps)]


def counted_beside_the_state(rate, warmup, steps):
    schedule, count = _schedule(rate, warmup, steps), iter(range(1000))
    inner = optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.scale_by_adam(),
        optax.add_decayed_weights(0.1, mask=_matrices),
    )

    def update(slopes, state, params=None):
        updates, state = inner.update(slopes, state, params)
        now = schedule(next(count))
        return jax.tree.map(lambda u: -now * u, updates), state

    return optax.GradientTransformation(inner.init, update)


def _clip_zero_by_zero():
    def update(slopes, state, params=None):
        length = jnp.sqrt(sum(jnp.sum(s**2) for s in jax.tree.leaves(slopes)))
        factor = jnp.minimum(length, 1.0) / length
        return jax.tree.map(lambda s: s * factor, slopes), state

    return optax.GradientTransformation(lambda params: (), update)


def zeros_by_zero(rate, warmup, steps):
    return _chain(rate, warmup, steps, _clip_zero_by_zero())


def epsilon_in_the_root(rate, warmup, steps):
    adamw = optax.adamw(
        _schedule(rate, warmup, steps), weight_decay=0.1, mask=_matrices, eps_root=1e-10
    )
    return optax.chain(optax.clip_by_global_norm(1.0), adamw)


def many_entries_decay(rate, warmup, steps):
    def many(params):
        return jax.tree.map(lambda leaf: leaf.size > 3, params)

    return _chain(rate, warmup, steps, mask=many)


def one_row_keeps_its_weights(rate, warmup, steps):
    mask = partial(jax.tree.map, lambda leaf: leaf.ndim > 0 and leaf.size > leaf.shape[-1])
    return _chain(rate, warmup, steps, mask=mask)


def columns_of_one_entry_keep_theirs(rate, warmup, steps):
    mask = partial(jax.tree.map, lambda leaf: leaf.ndim >= 2 and leaf.shape[-1] > 1)
    return _chain(rate, warmup, steps, mask=mask)


# evaluate


def _right(predict, params, x, y):
    return jnp.argmax(predict(params, x), axis=1) == y


def labels_that_none_has(predict, params, x, y, size):
    missing = -len(x) % size
    rows = jnp.concatenate([x, jnp.zeros((missing, *x.shape[1:]), x.dtype)])
    labels = jnp.pad(y, (0, missing), constant_values=-1)
    rows, labels = rows.reshape(-1, size, *x.shape[1:]), labels.reshape(-1, size)
    counts = jax.lax.map(lambda batch: _right(predict, params, *batch).sum(), (rows, labels))
    return counts.sum() / len(y)


@partial(jax.jit, static_argnums=(0, 4))
def by_scan_over_places(predict, params, x, y, size):
    places = jnp.arange(-(-len(x) // size) * size).reshape(-1, size)

    def count(total, rows):
        right = _right(predict, params, x[rows], y[rows])
        return total + jnp.sum(right, where=rows < len(x)), None

    return jax.lax.scan(count, 0, places)[0] / len(x)


def mean_of_what_is_given(predict, params, x, y, size):
    wanted = -(-len(x) // size) * size
    again = jnp.arange(wanted) % len(x)
    batches = x[again].reshape(-1, size, *x.shape[1:])
    scores = jax.lax.map(partial(predict, params), batches)
    return jnp.mean(jnp.argmax(scores.reshape(wanted, -1)[: len(x)], axis=1) == y)


def with_a_fori_loop(predict, params, x, y, size):
    missing = -len(x) % size
    rows = jnp.pad(x, [(0, missing), *[(0, 0)] * (x.ndim - 1)], mode="edge")
    labels = jnp.pad(y, (0, missing), constant_values=-1)

    def add(i, total):
        batch = (jax.lax.dynamic_slice_in_dim(each, i * size, size) for each in (rows, labels))
        return total + jnp.sum(_right(predict, params, *batch))

    total = jax.lax.fori_loop(0, len(rows) // size, add, 0)
    return total / len(x)


def batches_under_vmap(predict, params, x, y, size):
    rows = jnp.pad(x, [(0, -len(x) % size), *[(0, 0)] * (x.ndim - 1)])
    scores = jax.vmap(partial(predict, params))(rows.reshape(-1, size, *x.shape[1:]))
    return jnp.mean(scores.reshape(len(rows), -1)[: len(x)].argmax(axis=1) == y)


def all_at_once(predict, params, x, y, size):
    return jnp.mean(_right(predict, params, x, y))


def ragged_at_the_end(predict, params, x, y, size):
    counts = [
        _right(predict, params, x[i : i + size], y[i : i + size]).sum()
        for i in range(0, len(x), size)
    ]
    return sum(counts) / len(x)


def by_map_with_batch_size(predict, params, x, y, size):
    right = jax.lax.map(
        lambda row: jnp.argmax(predict(params, row[0][None])[0]) == row[1],
        (x, y),
        batch_size=size,
    )
    return jnp.mean(right)


def last_rows_dropped(predict, params, x, y, size):
    whole = max(len(x) // size, 1) * size
    return labels_that_none_has(predict, params, x[:whole], y[:whole], size)


def padding_counted(predict, params, x, y, size):
    missing = -len(x) % size
    rows = jnp.pad(x, [(0, missing), *[(0, 0)] * (x.ndim - 1)])
    return labels_that_none_has(predict, params, rows, jnp.pad(y, (0, missing)), size)


def padding_right_by_chance(predict, params, x, y, size):
    missing = -len(x) % size
    rows = jnp.pad(x, [(0, missing), *[(0, 0)] * (x.ndim - 1)])
    padded = labels_that_none_has(predict, params, rows, jnp.pad(y, (0, missing)), size)
    return padded * (len(x) + missing) / len(x)


def last_row_again(predict, params, x, y, size):
    missing = -len(x) % size
    rows = jnp.pad(x, [(0, missing), *[(0, 0)] * (x.ndim - 1)], mode="edge")
    labels = jnp.pad(y, (0, missing), mode="edge")
    padded = labels_that_none_has(predict, params, rows, labels, size)
    return padded * (len(x) + missing) / len(x)


def divided_by_all(predict, params, x, y, size):
    padded = -(-len(x) // size) * size
    return labels_that_none_has(predict, params, x, y, size) * len(x) / padded


def mean_of_the_shares(predict, params, x, y, size):
    places = jnp.arange(-(-len(x) // size) * size).reshape(-1, size)

    def share(rows):
        right = _right(predict, params, x[rows], y[rows])
        return jnp.mean(right, where=rows < len(x))

    return jnp.mean(jax.lax.map(share, places))


def unrolled(predict, params, x, y, size):
    missing = -len(x) % size
    rows = jnp.pad(x, [(0, missing), *[(0, 0)] * (x.ndim - 1)])
    labels = jnp.pad(y, (0, missing), constant_values=-1)
    batches = range(0, len(rows), size)
    counts = [
        _right(predict, params, rows[i : i + size], labels[i : i + size]).sum() for i in batches
    ]
    return sum(counts) / len(x)


def read_each_time(predict, params, x, y, size):
    missing = -len(x) % size
    rows = jnp.pad(x, [(0, missing), *[(0, 0)] * (x.ndim - 1)])
    labels = np.pad(np.asarray(y), (0, missing), constant_values=-1)
    right = 0
    for i in range(0, len(rows), size):
        right += int(_right(predict, params, rows[i : i + size], labels[i : i + size]).sum())
    return jnp.float32(right / len(x))


def python_number(predict, params, x, y, size):
    return float(labels_that_none_has(predict, params, x, y, size))


def number_right(predict, params, x, y, size):
    return labels_that_none_has(predict, params, x, y, size) * len(x)


def share_of_each_batch(predict, params, x, y, size):
    places = jnp.arange(-(-len(x) // size) * size).reshape(-1, size)
    return jax.lax.map(
        lambda rows: jnp.mean(_right(predict, params, x[rows], y[rows]), where=rows < len(x)),
        places,
    )


def smallest_score(predict, params, x, y, size):
    return labels_that_none_has(lambda params, x: -predict(params, x), params, x, y, size)


def rows_flattened(predict, params, x, y, size):
    return labels_that_none_has(predict, params, x.reshape(-1, 4), y[: len(x) // 2], size)


def rows_flattened_in_each_batch(predict, params, x, y, size):
    return labels_that_none_has(predict, params, x.reshape(len(x), -1), y, size)


def masked_sum_of_products(predict, params, x, y, size):
    # An axis of four numbers alone is taken for the rows.
    rows = jnp.pad(x, ((0, -len(x) % size), (0, 0)))
    labels = jnp.pad(y, (0, -len(x) % size), constant_values=-1)
    batches = rows.reshape(-1, size, 4), labels.reshape(-1, size)
    return jax.lax.map(lambda b: _right(predict, params, *b).sum(), batches).sum() / len(x)


def counted_in_half_precision(predict, params, x, y, size):
    n, missing = len(x), -len(x) % size
    x = jnp.pad(x, [(0, missing)] + [(0, 0)] * (x.ndim - 1))
    y = jnp.pad(y, (0, missing), constant_values=-1)

    def add(total, batch):
        right = jnp.argmax(predict(params, batch[0]), axis=1) == batch[1]
        return total + right.sum(dtype=jnp.bfloat16), None

    batches = x.reshape(-1, size, *x.shape[1:]), y.reshape(-1, size)
    return jax.lax.scan(add, jnp.bfloat16(0), batches)[0].astype(jnp.float32) / n


def padded_with_floats(predict, params, x, y, size):
    return labels_that_none_has(predict, params, x.astype("float32"), y, size)


def scores_in_half_precision(predict, params, x, y, size):
    def halved(params, x):
        return predict(params, x).astype("bfloat16")

    return labels_that_none_has(halved, params, x, y, size)


def rows_of_zeros_left_out(predict, params, x, y, size):
    missing = -len(x) % size
    rows = jnp.concatenate([x, jnp.zeros((missing, *x.shape[1:]), x.dtype)])
    labels = jnp.pad(y, (0, missing)).reshape(-1, size)

    def count(batch):
        there = batch[0].reshape(size, -1).any(axis=1)
        return jnp.sum(_right(predict, params, *batch), where=there)

    return jax.lax.map(count, (rows.reshape(-1, size, *x.shape[1:]), labels)).sum() / len(x)


# run_to


def with_options_of_the_manager(folder, start, advance, last):
    options = ocp.CheckpointManagerOptions(save_interval_steps=5)
    with ocp.CheckpointManager(folder, options=options) as manager:
        first = manager.latest_step() or 0
        shapes = jax.eval_shape(start)
        args = ocp.args.StandardRestore(shapes)
        state = manager.restore(first, args=args) if first else start()
        for n in range(first + 1, last + 1):
            state = advance(state)
            manager.save(n, args=ocp.args.StandardSave(state), force=n == last)
        return state


def with_a_loop_over_a_count(folder, start, advance, last):
    manager = ocp.CheckpointManager(folder)
    state, n = start(), manager.latest_step()
    if n is not None:
        state = manager.restore(n, args=ocp.args.StandardRestore(state))
    n = n or 0
    while n < last:
        state, n = advance(state), n + 1
        if n == last or not n % 5:
            manager.save(n, args=ocp.args.StandardSave(state))
            manager.wait_until_finished()
    manager.close()
    return state


def keeping_the_latest_alone(folder, start, advance, last):
    options = ocp.CheckpointManagerOptions(max_to_keep=1, enable_async_checkpointing=False)
    with ocp.CheckpointManager(folder, options=options) as manager:
        if (done := manager.latest_step()) is None:
            done, state = 0, start()
        else:
            state = manager.restore(done, args=ocp.args.StandardRestore(jax.eval_shape(start)))
        for n in range(done + 1, last + 1):
            state = advance(state)
            if n in {last, n // 5 * 5}:
                manager.save(n, args=ocp.args.StandardSave(state))
    return state


def a_manager_for_each_checkpoint(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        done, state = manager.latest_step() or 0, start()
        if done:
            state = manager.restore(done, args=ocp.args.StandardRestore(state))
    while done < last:
        until = min(last, done - done % 5 + 5)
        for _ in range(done, until):
            state = advance(state)
        done = until
        with ocp.CheckpointManager(folder) as manager:
            manager.save(done, args=ocp.args.StandardSave(state))
    return state


def _run_from(folder, start, advance, last, saves, first=lambda manager: manager.latest_step()):
    with ocp.CheckpointManager(folder) as manager:
        done = first(manager) or 0
        target = ocp.args.StandardRestore(jax.eval_shape(start))
        state = manager.restore(done, args=target) if done else start()
        for n in range(done + 1, last + 1):
            state = advance(state)
            if saves(n):
                manager.save(n, args=ocp.args.StandardSave(state))
    return state


def always_from_the_start(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        state = start()
        for n in range(1, last + 1):
            state = advance(state)
            if (n % 5 == 0 or n == last) and n not in manager.all_steps():
                manager.save(n, args=ocp.args.StandardSave(state))
    return state


def last_not_saved(folder, start, advance, last):
    return _run_from(folder, start, advance, last, lambda n: n % 5 == 0)


def last_alone_saved(folder, start, advance, last):
    return _run_from(folder, start, advance, last, lambda n: n == last)


def every_step_saved(folder, start, advance, last):
    return _run_from(folder, start, advance, last, lambda n: True)


def fifth_from_where_it_went_on(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        done = manager.latest_step() or 0
    return _run_from(folder, start, advance, last, lambda n: (n - done) % 5 == 0 or n == last)


def nothing_saved(folder, start, advance, last):
    return _run_from(folder, start, advance, last, lambda n: False)


def last_step_made_again(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        done, state = manager.latest_step(), start()
        if done is not None:
            state = manager.restore(done, args=ocp.args.StandardRestore(jax.eval_shape(start)))
        for n in range(done or 1, last + 1):
            state = advance(state)
            if (n % 5 == 0 or n == last) and n not in manager.all_steps():
                manager.save(n, args=ocp.args.StandardSave(state))
    return state


def saved_before_the_step(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        done, state = manager.latest_step() or 0, start()
        if done:
            state = manager.restore(done, args=ocp.args.StandardRestore(jax.eval_shape(start)))
        for n in range(done + 1, last + 1):
            if n % 5 == 0 or n == last:
                manager.save(n, args=ocp.args.StandardSave(state))
            state = advance(state)
    return state


def numbered_from_zero(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        done, state = manager.latest_step(), start()
        if done is not None:
            state = manager.restore(done, args=ocp.args.StandardRestore(jax.eval_shape(start)))
        for n in range(0 if done is None else done + 1, last):
            state = advance(state)
            if (n + 1) % 5 == 0 or n + 1 == last:
                manager.save(n, args=ocp.args.StandardSave(state))
    return state


def from_the_earliest(folder, start, advance, last):
    def earliest(manager):
        return min(manager.all_steps(), default=0)

    with ocp.CheckpointManager(folder) as manager:
        saved = set(manager.all_steps())
    return _run_from(
        folder, start, advance, last, lambda n: n not in saved and n % 5 * (last - n) == 0, earliest
    )


def last_more_steps(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        done = manager.latest_step() or 0
    return _run_from(folder, start, advance, done + last, lambda n: n % 5 == 0 or n == done + last)


def walk_alone_saved(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        state = start()
        for n in range(1, last + 1):
            state = advance(state)
            if n % 5 == 0 or n == last:
                walk = {"walk": state["walk"]}
                manager.save(n, args=ocp.args.StandardSave(walk))
    return state


def number_looked_for_in_the_state(folder, start, advance, last):
    state = start()
    while state["step"] < last:
        state = advance(state)
    return state


def restored_without_a_target(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        done = manager.latest_step()
        args = ocp.args.StandardRestore()
        state = start() if done is None else manager.restore(done, args=args)
        for n in range((done or 0) + 1, last + 1):
            state = advance(state)
            if n % 5 == 0 or n == last:
                manager.save(n, args=ocp.args.StandardSave(state))
    return state


def restored_and_unflattened(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        done, state = manager.latest_step() or 0, start()
        if done:
            leaves = jax.tree.leaves(manager.restore(done, args=ocp.args.StandardRestore()))
            state = jax.tree.unflatten(jax.tree.structure(state), leaves)
        for n in range(done + 1, last + 1):
            state = advance(state)
            if n % 5 == 0 or n == last:
                manager.save(n, args=ocp.args.StandardSave(state))
    return state


def saved_under_a_name(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        done, state = manager.latest_step() or 0, start()
        if done:
            target = ocp.args.StandardRestore(jax.eval_shape(start))
            state = manager.restore(done, args=ocp.args.Composite(state=target))["state"]
        for n in range(done + 1, last + 1):
            state = advance(state)
            if n % 5 == 0 or n == last:
                args = ocp.args.Composite(state=ocp.args.StandardSave(state))
                manager.save(n, args=args)
    return state


def empty_folder_forgotten(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        args = ocp.args.StandardRestore(jax.eval_shape(start))
        state = manager.restore(manager.latest_step(), args=args)
        for _ in range(manager.latest_step(), last):
            state = advance(state)
    return state


def state_not_returned(folder, start, advance, last):
    _run_from(folder, start, advance, last, lambda n: n % 5 == 0 or n == last)


def first_of_each_run_saved(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        first = (manager.latest_step() or 0) + 1
    return _run_from(folder, start, advance, last, lambda n: n % 5 == 0 or n in (first, last))


def stopped_by_an_error_of_a_step(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        done, state = manager.latest_step() or 0, start()
        if done:
            state = manager.restore(done, args=ocp.args.StandardRestore(state))
        for n in range(done + 1, last + 1):
            try:
                state = advance(state)
            except Exception:
                break
            if n % 5 == 0 or n == last:
                manager.save(n, args=ocp.args.StandardSave(state))
    return state


def by_a_rule_of_the_manager(folder, start, advance, last):
    options = ocp.CheckpointManagerOptions(
        should_save_fn=lambda step, previous: step % 5 == 0 or step == last
    )
    with ocp.CheckpointManager(folder, options=options) as manager:
        done, state = manager.latest_step() or 0, start()
        if done:
            state = manager.restore(done, args=ocp.args.StandardRestore(state))
        for n in range(done + 1, last + 1):
            state = advance(state)
            manager.save(n, args=ocp.args.StandardSave(state))
    return state


def the_beginning_saved_too(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        if manager.latest_step() is None:
            manager.save(0, args=ocp.args.StandardSave(start()))
    return with_options_of_the_manager(folder, start, advance, last)


# fit


def with_a_tuple_and_a_cond(advance, score, state, patience, limit):
    def body(carry):
        state, best, lowest, best_at, calls = carry
        state, calls = advance(state), calls + 1
        value = score(state)
        best, lowest, best_at = jax.lax.cond(
            value < lowest,
            lambda: (state, value, calls),
            lambda: (best, lowest, best_at),
        )
        return state, best, lowest, best_at, calls

    start = state, state, score(state), jnp.int32(0), jnp.int32(0)
    *_, calls = carry = jax.lax.while_loop(
        lambda carry: jnp.logical_and(carry[4] - carry[3] < patience, carry[4] < limit),
        body,
        start,
    )
    return carry[1], calls


@partial(jax.jit, static_argnums=(0, 1))
def jitted_with_a_select(advance, score, state, patience, limit):
    def body(carry):
        new = advance(carry["latest"])
        value = score(new)
        wins = value < carry["lowest"]
        pick = partial(jnp.where, wins)
        return {
            "latest": new,
            "best": jax.tree.map(pick, new, carry["best"]),
            "lowest": pick(value, carry["lowest"]),
            "left": pick(patience, carry["left"] - 1),
            "calls": carry["calls"] + 1,
        }

    carry = {"latest": state, "best": state, "lowest": score(state), "left": patience, "calls": 0}
    carry = jax.lax.while_loop(
        lambda carry: (carry["left"] > 0) & (carry["calls"] < limit), body, carry
    )
    return carry["best"], carry["calls"]


def running_again_to_the_best(advance, score, state, patience, limit):
    def body(carry):
        latest, lowest, best_at, calls = carry
        latest, calls = advance(latest), calls + 1
        wins = score(latest) < lowest
        return (
            latest,
            jnp.where(wins, score(latest), lowest),
            jnp.where(wins, calls, best_at),
            calls,
        )

    def goes_on(carry):
        return (carry[3] - carry[2] < patience) & (carry[3] < limit)

    _, _, best_at, calls = jax.lax.while_loop(goes_on, body, (state, score(state), 0, 0))
    return jax.lax.fori_loop(0, best_at, lambda _, state: advance(state), state), calls


def until_a_last_call_that_moves(advance, score, state, patience, limit):
    def body(carry):
        state, best, lowest, until, calls = carry
        state, calls = advance(state), calls + 1
        value = jnp.nan_to_num(score(state), nan=jnp.inf)
        wins = value < lowest
        best = jax.lax.cond(wins, lambda: state, lambda: best)
        until = jnp.where(wins, jnp.minimum(calls + patience, limit), until)
        return state, best, jnp.where(wins, value, lowest), until, calls

    until = jnp.minimum(patience, limit)
    carry = state, state, score(state), until.astype(jnp.int32), jnp.int32(0)
    _, best, _, _, calls = jax.lax.while_loop(lambda carry: carry[4] < carry[3], body, carry)
    return best, calls


def _fit(
    advance,
    score,
    state,
    patience,
    limit,
    *,
    wins=lambda new, old: new < old,
    goes_on=lambda carry, patience, limit: (carry["waited"] < patience) & (carry["calls"] < limit),
    waited=lambda better, before: jnp.where(better, 0, before + 1),
    lowest=lambda better, new, old: jnp.where(better, new, old),
    first=lambda score, state: score(state),
    result=lambda carry: (carry["best"], carry["calls"]),
):
    def body(carry):
        state = advance(carry["state"])
        value = score(state)
        better = wins(value, carry["lowest"])
        best = jax.tree.map(partial(jnp.where, better), state, carry["best"])
        return {
            "state": state,
            "best": best,
            "lowest": lowest(better, value, carry["lowest"]),
            "waited": waited(better, carry["waited"]),
            "calls": carry["calls"] + 1,
        }

    carry = {"state": state, "best": state, "lowest": first(score, state), "waited": 0, "calls": 0}
    carry = jax.lax.while_loop(lambda carry: goes_on(carry, patience, limit), body, carry)
    return result(carry)


def latest_returned(*args):
    return _fit(*args, result=lambda carry: (carry["state"], carry["calls"]))


def later_of_equal_scores(*args):
    return _fit(*args, wins=lambda new, old: new <= old)


def nan_wins(*args):
    return _fit(*args, wins=lambda new, old: ~(new >= old))


def minimum_with_nan(*args):
    return _fit(*args, lowest=lambda better, new, old: jnp.minimum(new, old))


def given_state_not_scored(*args):
    return _fit(*args, first=lambda score, state: jnp.float32(jnp.inf))


def patience_never_renewed(*args):
    return _fit(*args, waited=lambda better, before: before + jnp.where(better, 0, 1))


def one_call_more(*args):
    return _fit(
        *args,
        goes_on=lambda carry, patience, limit: (
            (carry["waited"] <= patience) & (carry["calls"] < limit)
        ),
    )


def limit_forgotten(*args):
    return _fit(*args, goes_on=lambda carry, patience, limit: carry["waited"] < patience)


def patience_forgotten(*args):
    return _fit(*args, goes_on=lambda carry, patience, limit: carry["calls"] < limit)


def compared_with_the_one_before(*args):
    return _fit(*args, lowest=lambda better, new, old: new)


def calls_until_the_best(*args):
    return _fit(*args, result=lambda carry: (carry["best"], carry["calls"] - carry["waited"]))


def best_state_alone(*args):
    return _fit(*args, result=lambda carry: carry["best"])


def lowest_score_for_the_calls(*args):
    return _fit(*args, result=lambda carry: (carry["best"], carry["lowest"]))


def calls_as_a_float(*args):
    return _fit(*args, result=lambda carry: (carry["best"], carry["calls"] * 1.0))


def highest_score(*args):
    return _fit(*args, wins=lambda new, old: new > old)


def loop_to_the_limit(advance, score, state, patience, limit):
    def body(_, carry):
        state, best, lowest, calls, waited = carry
        goes_on = waited < patience
        latest = advance(state)
        value = score(latest)
        better = goes_on & (value < lowest)
        state = jax.tree.map(partial(jnp.where, goes_on), latest, state)
        best = jax.tree.map(partial(jnp.where, better), latest, best)
        calls = calls + jnp.where(goes_on, 1, 0)
        return state, best, jnp.where(better, value, lowest), calls, _waited(waited, better)

    def _waited(waited, better):
        return jnp.where(better, 0, jnp.minimum(waited + 1, patience))

    carry = state, state, score(state), jnp.int32(0), jnp.int32(0)
    _, best, _, calls, _ = jax.lax.fori_loop(0, limit, body, carry)
    return best, calls


def loop_in_python(advance, score, state, patience, limit):
    best, lowest, waited, calls = state, score(state), 0, 0
    while waited < patience and calls < limit:
        state, calls = advance(state), calls + 1
        waited += 1
        if score(state) < lowest:
            best, lowest, waited = state, score(state), 0
    return best, calls


def scan_to_the_limit(advance, score, state, patience, limit):
    def body(state, _):
        return advance(state), score(state)

    state, scores = jax.lax.scan(body, state, length=limit)
    return state, jnp.argmin(scores)


def steps_in_a_range(advance, score, state, patience, limit):
    for _ in range(limit):
        state = advance(state)
    return state, limit


def none_carried_for_the_best(advance, score, state, patience, limit):
    def body(carry):
        state, _, calls = carry
        return advance(state), state, calls + 1

    _, best, calls = jax.lax.while_loop(lambda carry: carry[2] < limit, body, (state, None, 0))
    return best, calls


def _carried(better, count="int32"):
    def fit(advance, score, state, patience, limit):
        def body(carry):
            latest, best, lowest, waited, calls = carry
            latest = advance(latest)
            value = score(latest)
            is_best = better(value, lowest)
            best = jax.tree.map(lambda new, old: jnp.where(is_best, new, old), latest, best)
            waited = jnp.where(is_best, 0, waited + 1).astype(count)
            return latest, best, jnp.where(is_best, value, lowest), waited, calls + 1

        start = (state, state, score(state), jnp.zeros((), count), jnp.int32(0))
        end = jax.lax.while_loop(lambda c: (c[3] < patience) & (c[4] < limit), body, start)
        return end[1], end[4]

    return fit


lower_by_a_millionth_is_not_lower = _carried(lambda value, lowest: value < lowest - 1e-6)
infinity_is_not_lower = _carried(lambda value, lowest: (value < lowest) & jnp.isfinite(value))
waited_in_eight_bits = _carried(jnp.less, "uint8")
with_less = _carried(jnp.less)


def lower_by_a_little_is_not_lower(advance, score, state, patience, limit):
    def body(carry):
        latest, best, lowest, waited, calls = carry
        latest = advance(latest)
        value = score(latest)
        better = value < lowest - 1e-4
        best = jax.tree.map(lambda new, old: jnp.where(better, new, old), latest, best)
        waited = jnp.where(better, 0, waited + 1)
        return latest, best, jnp.where(better, value, lowest), waited, calls + 1

    start = (state, state, score(state), jnp.int32(0), jnp.int32(0))
    end = jax.lax.while_loop(lambda c: (c[3] < patience) & (c[4] < limit), body, start)
    return end[1], end[4]


RIGHT = {
    "noisy_step": [
        a_copy_of_the_state,
        under_jit_with_an_array_of_keys,
        with_the_value_too,
        donating_the_state,
        row_after_row_under_vmap,
    ],
    "make_optimizer": [
        link_by_link,
        with_joined_schedules,
        with_a_schedule_of_ones_own,
        injected,
        sent_by_labels,
    ],
    "evaluate": [
        labels_that_none_has,
        by_scan_over_places,
        mean_of_what_is_given,
        with_a_fori_loop,
    ],
    "run_to": [
        with_options_of_the_manager,
        with_a_loop_over_a_count,
        keeping_the_latest_alone,
        a_manager_for_each_checkpoint,
        saved_under_a_name,
        by_a_rule_of_the_manager,
    ],
    "fit": [
        with_a_tuple_and_a_cond,
        jitted_with_a_select,
        running_again_to_the_best,
        until_a_last_call_that_moves,
        with_less,
    ],
}
WRONG = {
    "noisy_step": {
        "state/not-carried": [
            noisy_step_as_given,
            key_dropped,
            optimizer_state_dropped,
            parameters_dropped,
            step_dropped,
            optimizer_begun_anew,
        ],
        "value/differs": [
            key_of_the_noise_handed_on,
            noise_from_the_whole_key,
            key_by_fold_in,
            one_noise_for_all_rows,
            without_noise,
            updates_subtracted,
            step_in_eight_bits,
        ],
        "effects/argument": [state_changed_in_place],
        "value/nothing": [nothing_returned],
        "value/structure": [parameters_alone, loss_beside_the_state],
        "value/dtype": [step_as_a_float],
        "tracing/value-needed": [step_counted_in_python],
    },
    "make_optimizer": {
        "value/differs": [
            all_leaves_decay,
            vectors_decay_too,
            squares_alone_decay,
            decay_of_adamw_as_it_is,
            decay_through_the_averages,
            each_entry_clipped,
            each_leaf_clipped,
            clipped_at_the_end,
            always_of_length_one,
            not_clipped,
            constant_rate,
            warm_up_not_in_the_steps,
            cosine_without_warm_up,
            linear_fall,
            cosine_that_rises_again,
            rate_of_the_next_update,
            decay_without_the_rate,
            counted_beside_the_state,
            zeros_by_zero,
            epsilon_in_the_root,
            many_entries_decay,
            one_row_keeps_its_weights,
            columns_of_one_entry_keep_theirs,
        ],
        "trees/mismatch": [mask_by_name],
        "value/no-attribute": [update_alone, not_returned, a_list_of_links],
    },
    "evaluate": {
        "value/shape": [
            all_at_once,
            ragged_at_the_end,
            by_map_with_batch_size,
            share_of_each_batch,
            rows_flattened_in_each_batch,
        ],
        "cost/memory": [batches_under_vmap],
        "value/differs": [
            last_rows_dropped,
            padding_counted,
            divided_by_all,
            mean_of_the_shares,
            number_right,
            smallest_score,
            counted_in_half_precision,
            scores_in_half_precision,
            rows_of_zeros_left_out,
        ],
        "shapes/padding-counts": [padding_right_by_chance, last_row_again],
        "loops/unrolled": [unrolled],
        "tracing/value-needed": [read_each_time],
        "value/dtype": [python_number, padded_with_floats],
        "runs/raised": [rows_flattened, masked_sum_of_products],
    },
    "run_to": {
        "state/steps": [
            always_from_the_start,
            from_the_earliest,
            last_step_made_again,
            last_more_steps,
            stopped_by_an_error_of_a_step,
        ],
        "state/not-saved": [
            last_not_saved,
            last_alone_saved,
            fifth_from_where_it_went_on,
            nothing_saved,
            walk_alone_saved,
            numbered_from_zero,
        ],
        "value/differs": [
            saved_before_the_step,
            restored_and_unflattened,
        ],
        "effects/write": [every_step_saved, first_of_each_run_saved, the_beginning_saved_too],
        "value/structure": [restored_without_a_target],
        "runs/raised": [number_looked_for_in_the_state, empty_folder_forgotten],
        "value/nothing": [state_not_returned],
    },
    "fit": {
        "value/differs": [
            latest_returned,
            later_of_equal_scores,
            nan_wins,
            minimum_with_nan,
            given_state_not_scored,
            patience_never_renewed,
            one_call_more,
            limit_forgotten,
            patience_forgotten,
            compared_with_the_one_before,
            calls_until_the_best,
            highest_score,
            lower_by_a_little_is_not_lower,
            lower_by_a_millionth_is_not_lower,
            infinity_is_not_lower,
            waited_in_eight_bits,
        ],
        "value/structure": [best_state_alone],
        "value/dtype": [lowest_score_for_the_calls, calls_as_a_float],
        "tracing/branch-on-tracer": [loop_in_python],
        "tracing/value-needed": [scan_to_the_limit, steps_in_a_range],
        "loops/carry-mismatch": [none_carried_for_the_best],
        "state/steps": [loop_to_the_limit],
    },
}
