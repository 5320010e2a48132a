"""Right and wrong answers to the exercises of 13b_nnx_axes."""

import itertools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

# samples


def sample_by_axes(net, rows, rngs, n):
    def run(net, row, rngs):
        return net(row, rngs=rngs)

    each_row = nnx.vmap(run, in_axes=(None, 0, 0))
    return nnx.vmap(each_row, in_axes=(None, None, 0))(net, rows, rngs.split((n, len(rows))))


def by_keys(net, rows, rngs, n):
    def run(row, key):
        return net(row, rngs=nnx.Rngs(key))

    return jax.vmap(jax.vmap(run), (None, 0))(rows, jax.random.split(rngs(), (n, len(rows))))


def by_split_rngs(net, rows, rngs, n):
    @nnx.split_rngs(splits=n)
    @nnx.vmap(in_axes=(None, None, 0))
    def run(net, rows, rngs):
        one = nnx.vmap(lambda row, rngs: net(row, rngs=rngs))
        return one(rows, rngs.split(len(rows)))

    return run(net, rows, rngs)


def by_a_scan(net, rows, rngs, n):
    one = nnx.vmap(lambda row, rngs: net(row, rngs=rngs))

    def step(rngs, _):
        return rngs, one(rows, rngs.split(len(rows)))

    return nnx.scan(step)(rngs, jnp.arange(n))[1]


def in_one_axis(net, rows, rngs, n):
    many = jnp.tile(rows, (n, 1))
    out = nnx.vmap(lambda row, rngs: net(row, rngs=rngs))(many, rngs.split(len(many)))
    return out.reshape(n, len(rows), *out.shape[1:])


def sample_in_tree_mode(net, rows, rngs, n):
    one = nnx.vmap(lambda row, rngs: net(row, rngs=rngs), graph=False)
    return nnx.vmap(one, in_axes=(None, 0), graph=False)(rows, rngs.split((n, len(rows))))


def rows_outside(net, rows, rngs, n):
    one = nnx.vmap(lambda row, rngs: net(row, rngs=rngs), in_axes=(None, 0))
    return nnx.vmap(one, in_axes=(0, 1), out_axes=1)(rows, rngs.split((n, len(rows))))


def noise_closed_over(net, rows, rngs, n):
    return nnx.vmap(lambda _: nnx.vmap(lambda row: net(row, rngs=rngs))(rows))(jnp.arange(n))


def one_noise_for_all_rows(net, rows, rngs, n):
    one = nnx.vmap(lambda row, rngs: net(row, rngs=rngs), in_axes=(0, None))
    return nnx.vmap(one, in_axes=(None, 0))(rows, rngs.split(n))


def one_noise_for_all_samples(net, rows, rngs, n):
    one = nnx.vmap(lambda row, rngs: net(row, rngs=rngs))
    run = nnx.vmap(one, in_axes=(None, None), axis_size=n)
    return run(rows, rngs.split(len(rows)))


def one_noise(net, rows, rngs, n):
    one = nnx.vmap(lambda row, rngs: net(row, rngs=rngs), in_axes=(0, None))
    return nnx.vmap(one, in_axes=(None, None), axis_size=n)(rows, rngs)


def repeated(net, rows, rngs, n):
    out = sample_by_axes(net, rows, rngs, 1)
    return jnp.broadcast_to(out, (n, *out.shape[1:]))


def by_python(net, rows, rngs, n):
    one = nnx.vmap(lambda row, rngs: net(row, rngs=rngs))
    return jnp.stack([one(rows, rngs.split(len(rows))) for _ in range(n)])


def rows_by_python(net, rows, rngs, n):
    run = nnx.vmap(lambda row, rngs: net(row, rngs=rngs), in_axes=(None, 0))
    return jnp.stack([run(row, rngs.split(n)) for row in rows], axis=1)


def whole_batch(net, rows, rngs, n):
    return nnx.vmap(lambda rngs: net(rows, rngs=rngs))(rngs.split(n))


def by_position(net, rows, rngs, n):
    return nnx.vmap(nnx.vmap(net), in_axes=(None, 0))(rows, rngs.split((n, len(rows))))


def net_mapped(net, rows, rngs, n):
    one = nnx.vmap(lambda net, row, rngs: net(row, rngs=rngs))
    return nnx.vmap(one)(net, rows, rngs.split((n, len(rows))))


def own_seed(net, rows, rngs, n):
    return sample_by_axes(net, rows, nnx.Rngs(0), n)


def on_a_copy(net, rows, rngs, n):
    return sample_by_axes(net, rows, nnx.clone(rngs), n)


def from_the_key_alone(net, rows, rngs, n):
    return by_keys(net, rows, lambda: rngs.default.key[...], n)


def with_jax_jit(net, rows, rngs, n):
    return jax.jit(partial(sample_by_axes, n=n))(net, rows, rngs)


def rows_first(net, rows, rngs, n):
    return sample_by_axes(net, rows, rngs, n).swapaxes(0, 1)


def averaged(net, rows, rngs, n):
    return sample_by_axes(net, rows, rngs, n).mean(axis=0)


def one_too_few(net, rows, rngs, n):
    return sample_by_axes(net, rows, rngs, n - 1)


def noise_added_twice(net, rows, rngs, n):
    out = sample_by_axes(net, rows, rngs, n)
    return out + rngs.uniform(out.shape)


def rows_backwards(net, rows, rngs, n):
    return sample_by_axes(net, rows, rngs, n)[:, ::-1]


def flat(net, rows, rngs, n):
    return sample_by_axes(net, rows, rngs, n).reshape(n * len(rows), -1)


def stacked_by_numpy(net, rows, rngs, n):
    return np.stack(sample_by_axes(net, rows, rngs, n))


# deep


def deep_by_split(blocks, h, rngs):
    def step(block, rngs, h):
        return block(h, rngs)

    depth = len(blocks.calls[...])
    scan = nnx.scan(step, in_axes=(0, 0, nnx.Carry), out_axes=nnx.Carry)
    return scan(blocks, rngs.split(depth), h)


def in_tree_mode(blocks, h, rngs):
    def step(block, rngs, h):
        return block(h, rngs)

    scan = nnx.scan(step, in_axes=(0, None, nnx.Carry), out_axes=nnx.Carry, graph=False)
    return scan(blocks, rngs, h)


def carry_first(blocks, h, rngs):
    @nnx.remat
    def step(carry, block):
        h, rngs = carry
        return (block(h, rngs), rngs), None

    (h, _), _ = nnx.scan(step)((h, rngs), blocks)
    return h


def by_lax_scan(blocks, h, rngs):
    graphdef, state = nnx.split(blocks)
    noise, count = nnx.split(rngs)

    def step(carry, state):
        h, count = carry
        block, rngs = nnx.merge(graphdef, state), nnx.merge(noise, count)
        h = block(h, rngs)
        return (h, nnx.state(rngs)), nnx.state(block)

    (h, count), state = jax.lax.scan(step, (h, count), state)
    nnx.update(blocks, state)
    nnx.update(rngs, count)
    return h


def shared_noise(blocks, h, rngs):
    def step(block, rngs, h):
        return block(h, rngs)

    scan = nnx.scan(step, in_axes=(0, None, nnx.Carry), out_axes=nnx.Carry)
    return scan(blocks, rngs, h)


def two_carries(blocks, h, rngs):
    axes = (0, nnx.Carry, nnx.Carry)
    return nnx.scan(lambda block, h, rngs: block(h, rngs), in_axes=axes)(blocks, h, rngs)


def iterated(blocks, h, rngs):
    for block in blocks:
        h = block(h, rngs)
    return h


def loop_over_slices(blocks, h, rngs):
    for i in range(len(blocks.calls[...])):
        block = jax.tree.map(lambda leaf, i=i: leaf[i], blocks)
        h = block(h, rngs)
    return h


def loop_with_update(blocks, h, rngs):
    states = []
    for i in range(len(blocks.calls[...])):
        block = jax.tree.map(lambda leaf, i=i: leaf[i], blocks)
        h = block(h, rngs)
        states.append(nnx.state(block))
    nnx.update(blocks, jax.tree.map(lambda *leaves: jnp.stack(leaves), *states))
    return h


def by_vmap(blocks, h, rngs):
    depth = len(blocks.calls[...])
    return nnx.vmap(lambda block, rngs: block(h, rngs))(blocks, rngs.split(depth))


def backwards(blocks, h, rngs):
    def step(block, carry):
        h, rngs = carry
        return block(h, rngs), rngs

    scan = nnx.scan(step, in_axes=(0, nnx.Carry), out_axes=nnx.Carry, reverse=True)
    return scan(blocks, (h, rngs))[0]


def all_steps(blocks, h, rngs):
    def step(carry, block):
        h, rngs = carry
        h = block(h, rngs)
        return (h, rngs), h

    return nnx.scan(step)((h, rngs), blocks)[1]


def own_noise(blocks, h, rngs):
    return carry_first(blocks, h, nnx.Rngs(0))


def closed_over(blocks, h, rngs):
    scan = nnx.scan(lambda block, h: block(h, rngs), in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
    return scan(blocks, h)


def blocks_lost(blocks, h, rngs):
    return carry_first(nnx.clone(blocks), h, rngs)


def blocks_carried(blocks, h, rngs):
    def step(carry, _):
        blocks, h = carry
        return (blocks, blocks(h, rngs)), None

    (_, h), _ = nnx.scan(step)((blocks, h), jnp.arange(3))
    return h


def three_blocks(blocks, h, rngs):
    return carry_first(jax.tree.map(lambda leaf: leaf[:3], blocks), h, rngs)


def from_zero(blocks, h, rngs):
    return carry_first(blocks, jnp.zeros_like(h), rngs)


def sent_through_twice(blocks, h, rngs):
    return carry_first(blocks, carry_first(blocks, h, rngs), rngs)


def adds_h(blocks, h, rngs):
    return h + carry_first(blocks, h, rngs)


def parameters_decay(blocks, h, rngs):
    h = carry_first(blocks, h, rngs)
    for each in jax.tree.leaves(nnx.state(blocks, nnx.Param), is_leaf=nnx.is_data):
        each[...] *= 0.999
    return h


def counts_the_last_call(blocks, h, rngs):
    h = carry_first(blocks, h, rngs)
    blocks.calls[...] = jnp.ones_like(blocks.calls[...])
    return h


def under_jax_jit_alone(blocks, h, rngs):
    return jax.jit(carry_first)(blocks, h, rngs)


def by_numbered_keys(net, rows, rngs, n):
    rows, base = jnp.asarray(rows), rngs()

    def sample(i, j):
        key = jax.random.fold_in(jax.random.fold_in(base, i), j)
        return net(rows[j], rngs=nnx.Rngs(key))

    each_row = jax.vmap(sample, in_axes=(None, 0))
    return jax.vmap(each_row, in_axes=(0, None))(jnp.arange(n), jnp.arange(len(rows)))


def numbered_by_the_sum(net, rows, rngs, n):
    rows, base = jnp.asarray(rows), rngs()

    def sample(i, j):
        return net(rows[j], rngs=nnx.Rngs(jax.random.fold_in(base, i + j)))

    each_row = jax.vmap(sample, in_axes=(None, 0))
    return jax.vmap(each_row, in_axes=(0, None))(jnp.arange(n), jnp.arange(len(rows)))


def by_keys_of_jax(blocks, h, rngs):
    return by_given_keys(blocks, h, jax.random.split(rngs(), len(blocks.calls[...])))


def one_key_for_all(blocks, h, rngs):
    def step(h, block, key):
        return block(h, nnx.Rngs(key))

    scan = nnx.scan(step, in_axes=(nnx.Carry, 0, None), out_axes=nnx.Carry)
    return scan(h, blocks, rngs())


def with_the_noise(blocks, h, rngs):
    def step(carry, block):
        h, rngs = carry
        return block(h, rngs), rngs

    return nnx.scan(step, in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)((h, rngs), blocks)


def seeded_by_the_count(blocks, h, rngs):
    depth = len(jax.tree.leaves(nnx.state(blocks))[0])
    rngs()
    keys = jax.random.split(jax.random.key(rngs.default.count[...]), depth)

    def through(h, block, key):
        return block(h, nnx.Rngs(key))

    return nnx.scan(through, in_axes=(nnx.Carry, 0, 0), out_axes=nnx.Carry)(h, blocks, keys)


def matrices_flattened(net, rows, rngs, n):
    return sample_by_axes(net, rows, rngs, n).reshape(n, len(rows), -1)


def ones_dropped(net, rows, rngs, n):
    return jnp.squeeze(sample_by_axes(net, rows, rngs, n))


def by_number(net, rows, base, number, n):
    rows = jnp.asarray(rows)

    def sample(i, j):
        return net(rows[j], rngs=nnx.Rngs(jax.random.fold_in(base, number(i, j))))

    each_row = jax.vmap(sample, in_axes=(None, 0))
    return jax.vmap(each_row, in_axes=(0, None))(jnp.arange(n), jnp.arange(len(rows)))


def numbered_by_n(net, rows, rngs, n):
    return by_number(net, rows, rngs(), lambda i, j: n * i + j, n)


def numbered_by_ten(net, rows, rngs, n):
    return by_number(net, rows, rngs(), lambda i, j: 10 * i + j, n)


def numbered_lawfully(net, rows, rngs, n):
    return by_number(net, rows, rngs(), lambda i, j: len(rows) * i + j, n)


def seeded_by_the_draws(net, rows, rngs, n):
    rngs()
    return sample_by_axes(net, rows, nnx.Rngs(jax.random.key(rngs.default.count[...])), n)


def keys_of_two_calls_meet(net, rows, rngs, n):
    count, key = rngs.default.count[...], rngs.default.key[...]
    rngs()
    numbered = lambda i, j: (count + i) * len(rows) + j  # noqa: E731  # as people write it
    return by_number(net, rows, key, numbered, n)


def key_of_the_row(net, rows, rngs, n):
    def sample(row, key):
        bits = jax.lax.bitcast_convert_type(row, jnp.uint32)
        for each in range(3):
            key = jax.random.fold_in(key, bits[each])
        return net(row, rngs=nnx.Rngs(key))

    each_row = jax.vmap(sample, in_axes=(0, None))
    return jax.vmap(each_row, in_axes=(None, 0))(rows, jax.random.split(rngs(), n))


def mean_of_two(net, rows, rngs, n):
    return sum(sample_by_axes(net, rows, rngs, n) for _ in range(2)) / 2


def rows_in_bfloat16(net, rows, rngs, n):
    return sample_by_axes(net, rows.astype("bfloat16").astype(rows.dtype), rngs, n)


def by_given_keys(blocks, h, keys):
    graphdef, state = nnx.split(blocks)

    def step(h, given):
        state, key = given
        block = nnx.merge(graphdef, state)
        h = block(h, nnx.Rngs(key))
        return h, nnx.state(block)

    h, state = jax.lax.scan(step, h, (state, keys))
    nnx.update(blocks, state)
    return h


def keys_meet(blocks, h, rngs):
    count, key = rngs.default.count[...], rngs.default.key[...]
    rngs()
    each = count + jnp.arange(len(blocks.calls[...]))
    return by_given_keys(blocks, h, jax.vmap(lambda i: jax.random.fold_in(key, i))(each))


def first_key_is_new(blocks, h, rngs):
    keys = jax.random.split(rngs.default.key[...], len(blocks.calls[...]))
    return by_given_keys(blocks, h, keys.at[0].set(rngs()))


def key_of_the_number(blocks, h, rngs):
    key, numbers = rngs(), blocks.number[...].astype(int)
    return by_given_keys(blocks, h, jax.vmap(lambda i: jax.random.fold_in(key, i))(numbers))


def key_of_the_calls(blocks, h, rngs):
    key, calls = rngs.default.key[...], blocks.calls[...]
    each = calls * len(calls) + jnp.arange(len(calls))
    return by_given_keys(blocks, h, jax.vmap(lambda i: jax.random.fold_in(key, i))(each))


def sent_as_a_vector(blocks, h, rngs):
    return carry_first(blocks, h.ravel(), rngs).reshape(h.shape)


def without_what_is_negative(blocks, h, rngs):
    return carry_first(blocks, jax.nn.relu(h), rngs)


def of_one_new_key(blocks, h, rngs):
    return carry_first(blocks, h, nnx.Rngs(rngs()))


def key_of_the_stream(blocks, h, rngs):
    keys = jax.random.split(rngs.default.key[...], len(blocks.calls[...]))

    @nnx.scan(in_axes=(nnx.Carry, 0, 0))
    def send(h, block, key):
        return block(h, nnx.Rngs(key)), None

    return send(h, blocks, keys)[0]


_calls = itertools.count()


def numbered_in_python(net, rows, rngs, n):
    key = jax.random.fold_in(rngs.default.key[...], next(_calls))

    def one(key, row):
        return net(row, rngs=nnx.Rngs(key))

    keys = jax.random.split(key, (n, len(rows)))
    return jax.vmap(jax.vmap(one), in_axes=(0, None))(keys, rows)


RIGHT = {
    "samples": [
        sample_by_axes,
        by_keys,
        by_split_rngs,
        by_a_scan,
        in_one_axis,
        sample_in_tree_mode,
        rows_outside,
        by_numbered_keys,
        numbered_lawfully,
    ],
    "deep": [
        deep_by_split,
        in_tree_mode,
        carry_first,
        by_lax_scan,
        by_keys_of_jax,
        of_one_new_key,
    ],
}

WRONG = {
    "samples": {
        "nnx/trace-level": [noise_closed_over],
        "keys/related": [
            one_noise,
            one_noise_for_all_rows,
            one_noise_for_all_samples,
            repeated,
            numbered_by_the_sum,
            numbered_by_n,
            numbered_by_ten,
            keys_of_two_calls_meet,
            key_of_the_row,
        ],
        "loops/unrolled": [by_python, rows_by_python],
        "runs/raised": [whole_batch, by_position],
        "trees/prefix": [net_mapped],
        "keys/ignored": [own_seed, seeded_by_the_draws],
        "nnx/other-object": [on_a_copy, from_the_key_alone],
        "nnx/lost-change": [with_jax_jit],
        "value/shape": [
            averaged,
            one_too_few,
            flat,
            rows_first,
            matrices_flattened,
            ones_dropped,
        ],
        "tracing/numpy-on-tracer": [stacked_by_numpy],
        "value/differs": [noise_added_twice, rows_backwards, mean_of_two, rows_in_bfloat16],
        "nnx/stream-unmoved": [numbered_in_python],
    },
    "deep": {
        "keys/related": [
            shared_noise,
            one_key_for_all,
            keys_meet,
            first_key_is_new,
            key_of_the_number,
        ],
        "trees/prefix": [two_carries],
        "runs/raised": [iterated, blocks_carried, sent_as_a_vector],
        "nnx/other-object": [loop_over_slices, blocks_lost],
        "keys/ignored": [own_noise, seeded_by_the_count],
        "nnx/lost-change": [under_jax_jit_alone],
        "loops/unrolled": [loop_with_update],
        "value/shape": [by_vmap, all_steps],
        "value/structure": [with_the_noise],
        "value/differs": [
            backwards,
            three_blocks,
            from_zero,
            counts_the_last_call,
            sent_through_twice,
            adds_h,
            without_what_is_negative,
        ],
        "nnx/changed": [parameters_decay],
        "nnx/trace-level": [closed_over],
        "nnx/stream-unmoved": [key_of_the_calls, key_of_the_stream],
    },
}
