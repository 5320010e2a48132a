"""Right and wrong answers to the exercises of 04_randomness."""

from functools import partial, wraps
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax import lax, random

# init_layers


def keys_made_first(key, sizes):
    keys = random.split(key, len(sizes) - 1)
    return [
        random.normal(k, shape) / shape[0] ** 0.5
        for k, shape in zip(keys, pairwise(sizes), strict=True)
    ]


def key_carried_through_the_loop(key, sizes):
    layers = []
    for rows, columns in pairwise(sizes):
        key, layer_key = random.split(key)
        layers.append(random.normal(layer_key, (rows, columns)) / jnp.sqrt(rows))
    return layers


def folded_in_the_layer(key, sizes):
    return tuple(
        random.normal(random.fold_in(key, i), (m, n)) * m**-0.5
        for i, (m, n) in enumerate(pairwise(sizes))
    )


def one_draw_cut_up(key, sizes):
    counts = [m * n for m, n in pairwise(sizes)]
    numbers = jnp.split(random.normal(key, (sum(counts),)), np.cumsum(counts)[:-1])
    shapes = pairwise(sizes)
    return [x.reshape(s) / jnp.sqrt(s[0]) for x, s in zip(numbers, shapes, strict=True)]


@partial(jax.jit, static_argnums=1)
def jitted(key, sizes):
    return keys_made_first(key, sizes)


def from_the_last_key(key, sizes):
    layers = []
    for m, n in reversed(list(pairwise(sizes))):
        draw, key = random.split(key)
        layers.insert(0, random.normal(draw, (m, n)) / np.sqrt(np.float32(m)))
    return layers


def keys_from_nnx(key, sizes):
    rngs = nnx.Rngs(key)
    return [random.normal(rngs(), shape) / shape[0] ** 0.5 for shape in pairwise(sizes)]


def layers_as_given(key, sizes):
    layers = []
    for rows, columns in pairwise(sizes):
        layers.append(random.normal(key, (rows, columns)) / jnp.sqrt(rows))
    return layers


def split_and_draws_with_the_old_one(key, sizes):
    layers = []
    for rows, columns in pairwise(sizes):
        layers.append(random.normal(key, (rows, columns)) / jnp.sqrt(rows))
        key, _ = random.split(key)
    return layers


def split_and_fold_in_mixed(key, sizes):
    layers = []
    for i, (rows, columns) in enumerate(pairwise(sizes)):
        layer_key = random.split(key)[1] if i == 0 else random.fold_in(key, i)
        layers.append(random.normal(layer_key, (rows, columns)) / jnp.sqrt(rows))
    return layers


def seeds_of_their_own(key, sizes):
    return [
        random.normal(random.key(i), (m, n)) / jnp.sqrt(m)
        for i, (m, n) in enumerate(pairwise(sizes))
    ]


def keys_by_size(key, sizes):
    return [random.normal(random.fold_in(key, m), (m, n)) / jnp.sqrt(m) for m, n in pairwise(sizes)]


def split_once_before_the_loop(key, sizes):
    _, subkey = random.split(key)
    return layers_as_given(subkey, sizes)


def numpy_draws(key, sizes):
    return [
        jnp.asarray(np.random.default_rng().normal(size=shape), "float32") / jnp.sqrt(shape[0])
        for shape in pairwise(sizes)
    ]


def one_draw_turned_round(key, sizes):
    numbers = random.normal(key, (50_000,))
    signs = (-1.0) ** np.arange(len(sizes))
    return [
        sign * numbers[: m * n].reshape(m, n) / jnp.sqrt(m)
        for sign, (m, n) in zip(signs, pairwise(sizes), strict=False)
    ]


def not_scaled(key, sizes):
    return [layer * layer.shape[0] ** 0.5 for layer in keys_made_first(key, sizes)]


def scaled_by_columns(key, sizes):
    return [
        layer * jnp.sqrt(layer.shape[0] / layer.shape[1]) for layer in keys_made_first(key, sizes)
    ]


def uniform(key, sizes):
    keys = random.split(key, len(sizes) - 1)
    return [
        random.uniform(k, s, minval=-1, maxval=1) * jnp.sqrt(3 / s[0])
        for k, s in zip(keys, pairwise(sizes), strict=True)
    ]


def transposed(key, sizes):
    return [layer.T for layer in keys_made_first(key, sizes)]


def one_layer_and_the_rest(key, sizes):
    if len(sizes) < 2:
        return []
    here, rest = random.split(key)
    layer = random.normal(here, sizes[:2]) / sizes[0] ** 0.5
    return [layer, *one_layer_and_the_rest(rest, sizes[1:])]


def by_variance_scaling(key, sizes):
    init = jax.nn.initializers.variance_scaling(1.0, "fan_in", "normal")
    keys = random.split(key, len(sizes) - 1)
    return [init(k, shape) for k, shape in zip(keys, pairwise(sizes), strict=True)]


def scaled_by_both_sizes(key, sizes):
    return [
        layer * (2 / (1 + layer.shape[1] / layer.shape[0])) ** 0.5
        for layer in keys_made_first(key, sizes)
    ]


def truncated(key, sizes):
    init = jax.nn.initializers.lecun_normal()
    keys = random.split(key, len(sizes) - 1)
    return [init(k, shape) for k, shape in zip(keys, pairwise(sizes), strict=True)]


def one_row_for_all(key, sizes):
    return [jnp.broadcast_to(layer[:1], layer.shape) for layer in keys_made_first(key, sizes)]


def three_keys(key, sizes):
    keys = random.split(key, 3)
    return [random.normal(k, s) / s[0] ** 0.5 for k, s in zip(keys, pairwise(sizes), strict=False)]


def of_exact_deviation(key, sizes):
    layers = [layer * layer.shape[0] ** 0.5 for layer in keys_made_first(key, sizes)]
    return [layer / jnp.std(layer) / layer.shape[0] ** 0.5 for layer in layers]


def of_exact_mean(key, sizes):
    return [layer - layer.mean() for layer in keys_made_first(key, sizes)]


def of_exact_columns(key, sizes):
    layers = keys_made_first(key, sizes)
    return [
        (layer - layer.mean(0)) / layer.std(0) / layer.shape[0] ** 0.5 if len(layer) > 2 else layer
        for layer in layers
    ]


# rollout


def carried_key(key, n):
    def step(state, _):
        position, key = state
        key, draw = random.split(key)
        position = position / 2 + random.normal(draw)
        return (position, key), position

    return lax.scan(step, (jnp.float32(0), key), length=n)[1]


def folded_in_the_step(key, n):
    def step(position, i):
        position = 0.5 * position + random.normal(random.fold_in(key, i))
        return position, position

    return lax.scan(step, 0.0, jnp.arange(n))[1]


def noise_drawn_first(key, n):
    return lax.scan(lambda p, e: (0.5 * p + e,) * 2, 0.0, random.normal(key, (n,)))[1]


def with_fori_loop(key, n):
    keys = random.split(key, n)

    def step(i, walk):
        return walk.at[i].set(0.5 * walk[i - 1] + random.normal(keys[i]))

    return lax.fori_loop(0, n, step, jnp.zeros(n))


@partial(jax.jit, static_argnames="n")
def as_a_product(key, n):
    lag = jnp.arange(n)[:, None] - jnp.arange(n)
    return jnp.where(lag >= 0, 0.5**lag, 0) @ random.normal(key, (n,))


def key_captured(key, n):
    def step(position, _):
        position = 0.5 * position + random.normal(key)
        return position, position

    return lax.scan(step, 0.0, length=n)[1]


def draws_with_the_carry(key, n):
    def step(state, _):
        position, key = state
        position = 0.5 * position + random.normal(key)
        return (position, random.split(key)[0]), position

    return lax.scan(step, (0.0, key), length=n)[1]


def key_carried_unchanged(key, n):
    def step(state, _):
        position, key = state
        position = 0.5 * position + random.normal(key)
        return (position, key), position

    return lax.scan(step, (0.0, key), length=n)[1]


def python_loop(key, n):
    position, walk = 0.0, []
    for i in range(n):
        position = 0.5 * position + random.normal(random.fold_in(key, i))
        walk.append(position)
    return jnp.stack(walk)


def starts_with_the_start(key, n):
    walk = noise_drawn_first(key, n)
    return jnp.concatenate([jnp.zeros(1), walk[:-1]])


def last_position_only(key, n):
    return noise_drawn_first(key, n)[-1]


def plain_walk(key, n):
    return jnp.cumsum(random.normal(key, (n,)))


def mapped_without_a_walk(key, n):
    return jax.vmap(random.normal)(random.split(key, n))


def carry_returned_too(key, n):
    return lax.scan(lambda p, e: (0.5 * p + e,) * 2, 0.0, random.normal(key, (n,)))


def noise_repeated(key, n):
    return lax.scan(lambda p, e: (0.5 * p + e,) * 2, 0.0, jnp.full(n, random.normal(key)))[1]


def seeded_inside(key, n):
    return noise_drawn_first(random.key(0), n)


def numpy_noise(key, n):
    return jnp.asarray(np.random.default_rng().normal(size=n), "float32")


def with_while_loop(key, n):
    keys = random.split(key, n)

    def body(state):
        i, position, walk = state
        position = 0.5 * position + random.normal(keys[i])
        return i + 1, position, walk.at[i].set(position)

    start = 0, jnp.float32(0), jnp.zeros(n)
    return lax.while_loop(lambda state: state[0] < n, body, start)[2]


def keys_of_64_steps(key, n):
    keys = random.split(key, 64)

    def step(position, i):
        position = 0.5 * position + random.normal(keys[i])
        return position, position

    return lax.scan(step, 0.0, jnp.arange(n))[1]


def python_loop_when_long(key, n):
    return noise_drawn_first(key, n) if n < 50 else python_loop(key, n)


def two_fifths_kept(key, n):
    return lax.scan(lambda p, e: (0.4 * p + e,) * 2, 0.0, random.normal(key, (n,)))[1]


def starts_at_random(key, n):
    return noise_drawn_first(key, n + 1)[1:]


def uniform_steps(key, n):
    noise = random.uniform(key, (n,), minval=-(3**0.5), maxval=3**0.5)
    return lax.scan(lambda p, e: (0.5 * p + e,) * 2, 0.0, noise)[1]


def walk_by(noise):
    return lax.scan(lambda p, e: (0.5 * p + e,) * 2, 0.0, noise)[1]


def noise_of_exact_mean(key, n):
    noise = random.normal(key, (n,))
    return walk_by(noise - noise.mean())


def noise_of_exact_deviation(key, n):
    noise = random.normal(key, (n,))
    return walk_by(noise / jnp.sqrt(jnp.mean(noise**2)))


def at_most_400_steps(key, n):
    return walk_by(random.normal(key, (400,))[:n])


def no_single_step(key, n):
    return noise_drawn_first(key, n) if n > 1 else jnp.zeros(1)


# dropout


def keys_mapped(key, ids, batch):
    keys = jax.vmap(partial(random.fold_in, key))(ids)
    kept = jax.vmap(lambda k: random.bernoulli(k, 0.5, batch.shape[1:]))(keys)
    return batch * kept * 2


@jax.jit
def with_uniform_numbers(key, ids, batch):
    def one(i, row):
        return jnp.where(random.uniform(random.fold_in(key, i), row.shape) < 0.5, row * 2, 0.0)

    return jax.vmap(one)(ids, batch)


def with_map_in_parts(key, ids, batch):
    def one(pair):
        i, row = pair
        keep = random.bernoulli(random.fold_in(key, i), 0.5, row.shape)
        return jnp.where(keep, 2 * row, 0.0)

    return lax.map(one, (ids, batch), batch_size=5)


def with_map(key, ids, batch):
    def one(pair):
        i, row = pair
        return row * 2 * random.randint(random.fold_in(key, i), row.shape, 0, 2)

    return lax.map(one, (ids, batch))


def signs_plus_one(key, ids, batch):
    keys = jax.vmap(random.fold_in, (None, 0))(key, ids)
    signs = jax.vmap(lambda k: random.rademacher(k, batch.shape[1:], batch.dtype))(keys)
    return batch * (1 + signs)


def choice_of_factors(key, ids, batch):
    factors = jnp.array([0.0, 2.0])

    def one(i, row):
        return row * random.choice(random.fold_in(key, i), factors, row.shape)

    return jax.vmap(one)(ids, batch)


def split_far_and_looked_up(key, ids, batch):
    keys = random.split(key, 65_536)[ids]
    return jax.vmap(lambda k, row: row * 2 * random.bernoulli(k, shape=row.shape))(keys, batch)


def one_key_for_all(key, ids, batch):
    return jax.vmap(lambda row: row * 2 * random.bernoulli(key, shape=row.shape))(batch)


def split_by_place(key, ids, batch):
    keys = random.split(key, len(batch))
    return jax.vmap(lambda k, row: row * 2 * random.bernoulli(k, shape=row.shape))(keys, batch)


def one_draw_for_the_batch(key, ids, batch):
    return jnp.where(random.bernoulli(key, 0.5, batch.shape), 2 * batch, 0)


def folded_in_the_place(key, ids, batch):
    return keys_mapped(key, jnp.arange(len(ids)), batch)


def ids_as_seeds(key, ids, batch):
    return jax.vmap(lambda i, row: row * 2 * random.bernoulli(random.key(i), shape=row.shape))(
        ids, batch
    )


def looked_up_too_short(key, ids, batch):
    keys = random.split(key, 1024)[ids]
    return jax.vmap(lambda k, row: row * 2 * random.bernoulli(k, shape=row.shape))(keys, batch)


def folded_in_all_ids_at_once(key, ids, batch):
    kept = random.bernoulli(random.fold_in(key, ids), shape=batch.shape)
    return jnp.where(kept, 2 * batch, 0)


def batch_size_folded_in(key, ids, batch):
    return keys_mapped(key, ids + len(batch), batch)


def loop_over_rows(key, ids, batch):
    rows = [
        jnp.where(random.bernoulli(random.fold_in(key, i), shape=row.shape), 2 * row, 0)
        for i, row in zip(ids, batch, strict=True)
    ]
    return jnp.stack(rows)


def not_doubled(key, ids, batch):
    return keys_mapped(key, ids, batch) / 2


def too_many_kept(key, ids, batch):
    def one(i, row):
        kept = random.bernoulli(random.fold_in(key, i), 0.8, row.shape)
        return jnp.where(kept, 2 * row, 0)

    return jax.vmap(one)(ids, batch)


def whole_rows(key, ids, batch):
    def one(i, row):
        return row * 2 * random.bernoulli(random.fold_in(key, i))

    return jax.vmap(one)(ids, batch)


def nothing_dropped(key, ids, batch):
    return 2 * batch


def one_after_another(key, ids, batch):
    def one(_, row):
        i, entries = row
        kept = random.bernoulli(random.fold_in(key, i), shape=entries.shape)
        return None, lax.select(kept, 2 * entries, jnp.zeros_like(entries))

    return lax.scan(one, None, (ids, batch))[1]


def entry_by_entry(key, ids, batch):
    def entry(i, j, x):
        return jnp.where(random.bernoulli(random.fold_in(random.fold_in(key, i), j)), 2 * x, 0.0)

    return jax.vmap(jax.vmap(entry, (None, 0, 0)), (0, None, 0))(
        ids, jnp.arange(batch.shape[1]), batch
    )


def key_of_the_entries(key, ids, batch):
    def one(i, row):
        row_key = random.fold_in(random.fold_in(key, i), row.sum().astype(int))
        return jnp.where(random.bernoulli(row_key, shape=row.shape), 2 * row, 0)

    return jax.vmap(one)(ids, batch)


def another_mask_for_each_copy(key, ids, batch):
    copies = jnp.tril(ids[:, None] == ids, -1).sum(1)
    return keys_mapped(key, ids + 2**20 * copies, batch)


def ids_in_a_byte(key, ids, batch):
    return keys_mapped(key, ids.astype(jnp.uint8), batch)


def hardly_too_many_kept(key, ids, batch):
    def one(i, row):
        return jnp.where(random.bernoulli(random.fold_in(key, i), 0.505, row.shape), 2 * row, 0)

    return jax.vmap(one)(ids, batch)


def slightly_too_many_kept(key, ids, batch):
    def one(i, row):
        return jnp.where(random.bernoulli(random.fold_in(key, i), 0.55, row.shape), 2 * row, 0)

    return jax.vmap(one)(ids, batch)


def half_of_each_row(key, ids, batch):
    def one(i, row):
        order = random.permutation(random.fold_in(key, i), row.size)
        return jnp.where(order < row.size // 2, 2 * row, 0)

    return jax.vmap(one)(ids, batch)


def in_pairs(key, ids, batch):
    def one(i, row):
        kept = random.bernoulli(random.fold_in(key, i), shape=(row.size // 2 + 1,))
        return jnp.where(jnp.repeat(kept, 2)[: row.size], 2 * row, 0)

    return jax.vmap(one)(ids, batch)


def of_one_width(key, ids, batch):
    keys = jax.vmap(partial(random.fold_in, key))(ids)
    return batch * 2 * jax.vmap(lambda k: random.bernoulli(k, shape=(2048,)))(keys)


def one_mask_for_all_ids(key, ids, batch):
    return jnp.where(random.bernoulli(key, shape=batch.shape[1:]), 2 * batch, 0)


def key_plus_id(key, ids, batch):
    def one(i, row):
        words = random.key_data(key) + jnp.array([0, 1], "uint32") * i.astype("uint32")
        return jnp.where(random.bernoulli(random.wrap_key_data(words), shape=row.shape), 2 * row, 0)

    return jax.vmap(one)(ids, batch)


def first_entry_always_kept(key, ids, batch):
    def one(i, row):
        kept = random.bernoulli(random.fold_in(key, i), shape=row.shape).at[0].set(True)
        return jnp.where(kept, 2 * row, 0)

    return jax.vmap(one)(ids, batch)


def _looked_up(change):
    def drop(key, ids, batch):
        def one(i, row):
            kept = random.bernoulli(random.fold_in(key, change(i)), shape=row.shape)
            return jnp.where(kept, 2 * row, 0.0)

        return jax.vmap(one)(jnp.asarray(ids), batch)

    return drop


def table_one_too_short(key, ids, batch):
    keys = random.split(key, 65_535)[ids]
    kept = jax.vmap(lambda own: random.bernoulli(own, shape=batch.shape[1:]))(keys)
    return jnp.where(kept, 2 * batch, 0.0)


first_two_ids_as_one = _looked_up(lambda i: jnp.maximum(i, 1))
ids_in_half_precision = _looked_up(lambda i: i.astype(jnp.float16).astype(jnp.int32))


def _by_seeds(change):
    """Drop by keys that the checker of used keys does not follow."""

    def drop(key, ids, batch):
        def words(i):
            own = np.random.default_rng([*np.asarray(random.key_data(key)), int(change(i))])
            return own.integers(0, 2, batch.shape[1], np.int32)

        shape = jax.ShapeDtypeStruct(batch.shape, np.int32)
        kept = jax.pure_callback(lambda ids: np.stack([*map(words, np.asarray(ids))]), shape, ids)
        return jnp.where(kept, 2 * batch, 0.0)

    return drop


as_numpy_draws = _by_seeds(lambda i: i)
last_hundred_as_one = _by_seeds(lambda i: 65_400 if 65_400 <= i < 65_500 else i)


def bits_of_one_word(key, ids, batch):
    """Give entries 32 apart one bit of one word."""
    bits = jax.vmap(lambda i: random.bits(random.fold_in(key, i)))(ids)
    places = jnp.arange(batch.shape[1], dtype=jnp.uint32) % 32
    return jnp.where((bits[:, None] >> places) & 1 == 1, 2 * batch, 0.0)


# epoch_order


def split_and_looked_up(seed, epoch, n):
    return random.permutation(random.split(random.key(seed), epoch + 1)[epoch], n)


def sorted_by_random_numbers(seed, epoch, n):
    return jnp.argsort(random.uniform(random.fold_in(random.key(seed), epoch), (n,)))


def shuffles_an_array(seed, epoch, n):
    key = random.fold_in(random.fold_in(random.key(0), seed), epoch)
    return random.permutation(key, jnp.arange(n))


def with_choice(seed, epoch, n):
    key = random.fold_in(random.key(seed), epoch)
    return random.choice(key, n, (n,), replace=False)


def on_the_host(seed, epoch, n):
    return jnp.asarray(np.random.default_rng([seed, epoch]).permutation(n), "int32")


@partial(jax.jit, static_argnames="n")
def order_jitted(seed, epoch, n):
    return random.permutation(random.fold_in(random.key(seed), epoch), n)


def seed_plus_epoch(seed, epoch, n):
    return random.permutation(random.key(seed + epoch), n)


def seed_times_epoch(seed, epoch, n):
    return random.permutation(random.key(1000 * seed + epoch), n)


def numpy_seeded_by_a_sum(seed, epoch, n):
    generator = np.random.RandomState(seed + 1000 * epoch)
    return jnp.asarray(generator.permutation(n), "int32")


def seed_xor_epoch(seed, epoch, n):
    return random.permutation(random.key(seed ^ epoch), n)


def epoch_alone(seed, epoch, n):
    return random.permutation(random.key(epoch), n)


def seed_alone(seed, epoch, n):
    return random.permutation(random.key(seed), n)


def chain_of_splits(seed, epoch, n):
    key = random.key(seed)
    for _ in range(epoch):
        key, _ = random.split(key)
    return random.permutation(random.split(key)[1], n)


def with_replacement(seed, epoch, n):
    return random.choice(random.fold_in(random.key(seed), epoch), n, (n,))


_generator = np.random.default_rng(0)


def hidden_generator(seed, epoch, n):
    return jnp.asarray(_generator.permutation(n), "int32")


def shuffled_twice_with_one_key(seed, epoch, n):
    key = random.fold_in(random.key(seed), epoch)
    return random.permutation(key, random.permutation(key, n))


def never_shuffled(seed, epoch, n):
    return jnp.arange(n)


@partial(jax.jit, static_argnames="n")
def by_swapping(seed, epoch, n):
    chances = random.uniform(random.fold_in(random.key(seed), epoch), (n,))

    def swap(i, order):
        last = n - 1 - i
        other = jnp.minimum((chances[i] * (last + 1)).astype(int), last)
        return order.at[last].set(order[other]).at[other].set(order[last])

    return lax.fori_loop(0, n, swap, jnp.arange(n))


def words_of_a_key(seed, epoch, n):
    return random.permutation(random.wrap_key_data(jnp.array([seed, epoch], jnp.uint32)), n)


def seed_times_two_to_the_16(seed, epoch, n):
    return random.permutation(random.key((seed << 16) + epoch), n)


def seed_times_a_million(seed, epoch, n):
    return random.permutation(random.key(seed * 1_000_000 + epoch), n)


def seed_times_more_than_a_million(seed, epoch, n):
    return random.permutation(random.key(seed * 1_000_001 + epoch), n)


def epoch_times_more_than_a_million(seed, epoch, n):
    return random.permutation(random.key(epoch * 1_000_001 + seed), n)


def numpy_seeded_by_32_bits(seed, epoch, n):
    return np.random.RandomState((seed * 1_000_001 + epoch) % 2**32).permutation(n)


def seed_before_epoch(seed, epoch, n):
    return random.permutation(random.key(int(f"{seed}{epoch}")), n)


def seed_times_1009(seed, epoch, n):
    return random.permutation(random.key(1009 * seed + epoch), n)


def hashed_to_32_bits(seed, epoch, n):
    return random.permutation(random.key(hash((int(seed), int(epoch))) & 0xFFFFFFFF), n)


def digits_behind_each_other(seed, epoch, n):
    return random.permutation(random.key(int(f"{seed}{epoch:07d}")), n)


def folded_into_one_key(seed, epoch, n):
    number = np.uint32((seed * 1_000_003 + epoch) % 2**32)
    return random.permutation(random.fold_in(random.key(0), number), n)


def both_of_cantor(seed, epoch, n):
    along = seed + epoch
    return random.permutation(random.key(along * (along + 1) // 2 + epoch), n)


def epoch_in_a_byte(seed, epoch, n):
    return random.permutation(random.fold_in(random.key(seed), epoch % 256), n)


def chain_beyond_a_hundred(seed, epoch, n):
    key = random.fold_in(random.key(seed), epoch)
    for _ in range(epoch - 100):
        key, _ = random.split(key)
    return random.permutation(key, n)


def turned(seed, epoch, n):
    key = random.fold_in(random.key(seed), epoch)
    return jnp.roll(jnp.arange(n), random.randint(key, (), 0, n))


def halves_apart(seed, epoch, n):
    left, right = random.split(random.fold_in(random.key(seed), epoch))
    half = n // 2
    return jnp.concatenate(
        [random.permutation(left, half), half + random.permutation(right, n - half)]
    )


def from_one_on(seed, epoch, n):
    return 1 + random.permutation(random.fold_in(random.key(seed), epoch), n)


def numbers_of_python(seed, epoch, n):
    key = random.fold_in(random.key(int(f"{seed:07d}")), int(f"{epoch:07d}"))
    return random.permutation(key, n)


def numpy_integers(seed, epoch, n):
    return np.random.default_rng([seed, epoch]).permutation(n)


def first_stays_first(seed, epoch, n):
    key = random.fold_in(random.key(seed), epoch)
    return jnp.concatenate([jnp.zeros(1, int), 1 + random.permutation(key, n - 1)])


def swapped_with_any(seed, epoch, n):
    generator, order = np.random.default_rng([seed, epoch]), np.arange(n)
    for i in range(n):
        other = generator.integers(n)
        order[i], order[other] = order[other], order[i]
    return order


def none_at_its_own_place(seed, epoch, n):
    generator, order = np.random.default_rng([seed, epoch]), np.arange(n)
    for i in range(n - 1, 0, -1):
        other = generator.integers(i)
        order[i], order[other] = order[other], order[i]
    return order


def odd_epochs_turned_round(seed, epoch, n):
    order = random.permutation(random.fold_in(random.key(seed), epoch // 2), n)
    return order[::-1] if epoch % 2 else order


def moved_by_the_epoch(seed, epoch, n):
    return jnp.roll(random.permutation(random.key(seed), n), epoch)


def epoch_in_16_bits(seed, epoch, n):
    return random.permutation(random.fold_in(random.key(seed), epoch & 0xFFFF), n)


def swapped_without_jit(seed, epoch, n):
    key = random.fold_in(random.key(seed), epoch)

    def swap(i, order):
        last = n - 1 - i
        other = random.randint(random.fold_in(key, i), (), 0, last + 1)
        return order.at[other].set(order[last]).at[last].set(order[other])

    return lax.fori_loop(0, n - 1, swap, jnp.arange(n))


def swapped_by_a_sum(seed, epoch, n):
    key = random.key(1000 * seed + epoch)

    def swap(i, order):
        last = n - 1 - i
        other = random.randint(random.fold_in(key, i), (), 0, last + 1)
        return order.at[other].set(order[last]).at[last].set(order[other])

    return lax.fori_loop(0, n - 1, swap, jnp.arange(n))


# pick


def in_each_row(pick_row):
    """Make an answer of a function of one row, with a key for each."""

    @wraps(pick_row)
    def pick(key, weights, k):
        keys = random.split(key, len(weights))
        return jax.vmap(lambda key, row: pick_row(key, row, k))(keys, weights)

    return pick


def gumbel_top_k(key, weights, k):
    return lax.top_k(jnp.log(weights) + random.gumbel(key, weights.shape), k)[1]


def categorical_without_replacement(key, weights, k):
    shape = k, len(weights)
    return random.categorical(key, jnp.log(weights), shape=shape, replace=False).T


@in_each_row
def one_after_the_other(key, weights, k):
    picks = []
    for pick_key in random.split(key, k):
        pick = random.categorical(pick_key, jnp.log(weights))
        weights = weights.at[pick].set(0)
        picks.append(pick)
    return jnp.stack(picks)


@partial(jax.jit, static_argnames="k")
def pick_jitted(key, weights, k):
    chances = weights / jnp.sum(weights, axis=1, keepdims=True)
    rows = [
        jnp.sort(random.choice(random.fold_in(key, i), row.size, (k,), replace=False, p=row))
        for i, row in enumerate(chances)
    ]
    return jnp.stack(rows)


def race_of_exponentials(key, weights, k):
    return jnp.argsort(random.exponential(key, weights.shape) / weights)[:, :k]


def powers_of_uniform_numbers(key, weights, k):
    return lax.top_k(random.uniform(key, weights.shape) ** (1 / weights), k)[1]


@in_each_row
def weights_as_they_are(key, weights, k):
    return random.choice(key, weights.size, (k,), replace=False, p=weights)


@in_each_row
def weights_in_place_of_indices(key, weights, k):
    return random.choice(key, weights, (k,), replace=False, p=weights / weights.sum())


@in_each_row
def puts_back(key, weights, k):
    return random.choice(key, weights.size, (k,), p=weights / weights.sum())


def categorical_puts_back(key, weights, k):
    return random.categorical(key, jnp.log(weights), shape=(k, len(weights))).T


@in_each_row
def weights_as_logits(key, weights, k):
    return random.categorical(key, weights, shape=(k,), replace=False)


@in_each_row
def weights_left_out(key, weights, k):
    return random.choice(key, weights.size, (k,), replace=False)


def uniform_numbers_times_weights(key, weights, k):
    return lax.top_k(random.uniform(key, weights.shape) * weights, k)[1]


@in_each_row
def softmax_of_the_weights(key, weights, k):
    return random.choice(key, weights.size, (k,), replace=False, p=jax.nn.softmax(weights))


def the_likeliest(key, weights, k):
    return lax.top_k(weights, k)[1]


@in_each_row
def one_key_for_every_pick(key, weights, k):
    picks = []
    for _ in range(k):
        pick = random.categorical(key, jnp.log(weights))
        weights = weights.at[pick].set(0)
        picks.append(pick)
    return jnp.stack(picks)


def numpy_choice(key, weights, k):
    chances = np.asarray(weights, float)
    rows = [
        np.random.choice(row.size, k, replace=False, p=row / row.sum()) for row in chances + 1e-9
    ]
    return jnp.asarray(np.stack(rows), "int32")


def numpy_seeded_by_the_key(key, weights, k):
    generator = np.random.default_rng(np.asarray(random.key_data(key)))
    chances = np.asarray(weights, float)
    rows = [generator.choice(row.size, k, replace=False, p=row / row.sum()) for row in chances]
    return jnp.asarray(np.stack(rows), "int32")


def always_the_same_seed(key, weights, k):
    return gumbel_top_k(random.key(0), weights, k)


@in_each_row
def in_one_scan(key, weights, k):
    def draw(weights, pick_key):
        pick = random.categorical(pick_key, jnp.log(weights))
        return weights.at[pick].set(0), pick

    return lax.scan(draw, weights, random.split(key, k))[1]


def slightly_smoothed(key, weights, k):
    return gumbel_top_k(key, jnp.where(weights > 0, weights + 0.05, 0), k)


def zeros_a_little_above(key, weights, k):
    return gumbel_top_k(key, jnp.maximum(weights, 0.001 * weights.max()), k)


def squared_weights(key, weights, k):
    return gumbel_top_k(key, weights**2, k)


def weights_of_the_neighbours(key, weights, k):
    return gumbel_top_k(key, jnp.roll(weights, 1, axis=1), k)


def logarithm_left_out(key, weights, k):
    chances = weights / weights.sum(axis=1, keepdims=True)
    return lax.top_k(chances + random.gumbel(key, weights.shape), k)[1]


def chances_of_eighths(key, weights, k):
    rest = 1 - weights[:, :-1].sum(axis=1) / 8
    return gumbel_top_k(key, (weights / 8).at[:, -1].set(rest), k)


@in_each_row
def first_by_weight_and_others_evenly(key, weights, k):
    left, right = random.split(key)
    first = random.categorical(left, jnp.log(weights))
    noise = jnp.where(weights > 0, random.gumbel(right, weights.shape), -jnp.inf)
    return lax.top_k(noise.at[first].set(jnp.inf), k)[1]


def indices_from_one_on(key, weights, k):
    return 1 + gumbel_top_k(key, weights, k)


@in_each_row
def of_three_entries(key, weights, k):
    return random.choice(key, 3, (k,), replace=False, p=weights[:3] / weights[:3].sum())


def one_key_for_all_rows(key, weights, k):
    def pick_in_row(row):
        return random.choice(key, row.size, (k,), replace=False, p=row / row.sum())

    return jax.vmap(pick_in_row)(weights)


def one_noise_for_all_rows(key, weights, k):
    return lax.top_k(jnp.log(weights) + random.gumbel(key, weights.shape[1:]), k)[1]


def next_row_with_the_opposite_noise(key, weights, k):
    chances = random.uniform(key, weights.shape[1:], minval=1e-7)
    rows = [chances if i % 2 else 1 - chances for i in range(len(weights))]
    return lax.top_k(jnp.log(weights) - jnp.log(-jnp.log(jnp.stack(rows))), k)[1]


def all_rows_as_one(key, weights, k):
    chances = weights.ravel() / weights.sum()
    return random.choice(key, weights.size, (len(weights), k), replace=False, p=chances)


def weights_of_the_first_row(key, weights, k):
    return gumbel_top_k(key, jnp.broadcast_to(weights[0], weights.shape), k)


def first_row_alone(key, weights, k):
    return gumbel_top_k(key, weights, k)[0]


def a_column_for_each_row(key, weights, k):
    return gumbel_top_k(key, weights, k).T


def a_millionth_added(key, weights, k):
    return lax.top_k(jnp.log(weights + 1e-6) + random.gumbel(key, weights.shape), k)[1]


def keys_of_eight_rows(key, weights, k):
    def pick_in_row(i, row):
        noise = random.gumbel(random.fold_in(key, i % 8), row.shape)
        return lax.top_k(jnp.log(row) + noise, k)[1]

    return jax.vmap(pick_in_row)(jnp.arange(len(weights)), weights)


def unscaled_last_of_many(key, sizes):
    layers = keys_made_first(key, sizes)
    root = jnp.sqrt(layers[-1].shape[0])
    return [*layers[:-1], layers[-1] * (root if len(layers) > 4 else 1)]


def positions_in_16_bits(key, n):
    def step(position, noise):
        position = (0.5 * position + noise).astype("float16").astype("float32")
        return position, position

    return lax.scan(step, jnp.float32(0), random.normal(key, (n,)))[1]


def noise_of_500_steps_repeated(key, n):
    return walk_by(jnp.resize(random.normal(key, (min(n, 500),)), n))


def large_ids_as_one(key, ids, batch):
    return keys_mapped(key, jnp.minimum(ids, 50_000), batch)


def one_word_of_the_key(key, ids, batch):
    return keys_mapped(random.key(random.key_data(key)[1]), ids, batch)


def mask_of_1024_entries_repeated(key, ids, batch):
    def one(i, row):
        kept = random.bernoulli(random.fold_in(key, i), shape=(min(row.size, 1024),))
        return jnp.where(jnp.resize(kept, row.shape), 2 * row, 0)

    return jax.vmap(one)(ids, batch)


def small_entries_kept(key, ids, batch):
    return jnp.where(abs(batch) < 1, 2 * batch, keys_mapped(key, ids, batch))


def large_entries_dropped(key, ids, batch):
    return jnp.where(batch > 1e5, 0, keys_mapped(key, ids, batch))


def not_quite_doubled(key, ids, batch):
    return 0.9999 * keys_mapped(key, ids, batch)


def seed_times_a_prime(seed, epoch, n):
    return random.permutation(random.key(7919 * seed + epoch), n)


def epoch_in_19_bits(seed, epoch, n):
    return random.permutation(random.fold_in(random.key(seed), epoch & 0x7FFFF), n)


def seeds_up_to_half_a_million(seed, epoch, n):
    return random.permutation(random.fold_in(random.key(min(seed, 500_000)), epoch), n)


def many_counted_from_the_end(key, weights, k):
    picks = gumbel_top_k(key, weights, k)
    return picks - (weights.shape[1] if weights.shape[1] > 30 else 0)


def normal_noise(key, weights, k):
    return lax.top_k(jnp.log(weights) + 1.2 * random.normal(key, weights.shape), k)[1]


def zeros_after_500_steps(key, n):
    return jnp.pad(noise_drawn_first(key, min(n, 500)), (0, max(n - 500, 0)))


def noise_in_16_bits(key, n):
    return walk_by(random.normal(key, (n,), "float16").astype("float32"))


def noise_of_bfloat16(key, n):
    def step(position, key):
        position = 0.5 * position + random.normal(key, dtype="bfloat16").astype("float32")
        return position, position

    return jax.lax.scan(step, 0.0, random.split(key, n))[1]


def weights_up_to_a_thousand(key, weights, k):
    return gumbel_top_k(key, jnp.minimum(weights, 1000.0), k)


RIGHT = {
    "init_layers": [
        keys_made_first,
        key_carried_through_the_loop,
        folded_in_the_layer,
        one_draw_cut_up,
        jitted,
        from_the_last_key,
        keys_from_nnx,
        one_layer_and_the_rest,
        by_variance_scaling,
    ],
    "rollout": [
        carried_key,
        folded_in_the_step,
        noise_drawn_first,
        with_fori_loop,
        with_while_loop,
        as_a_product,
    ],
    "dropout": [
        keys_mapped,
        with_uniform_numbers,
        with_map,
        with_map_in_parts,
        choice_of_factors,
        signs_plus_one,
        one_after_another,
        entry_by_entry,
        split_far_and_looked_up,
        as_numpy_draws,
    ],
    "epoch_order": [
        split_and_looked_up,
        sorted_by_random_numbers,
        shuffles_an_array,
        with_choice,
        on_the_host,
        order_jitted,
        by_swapping,
        words_of_a_key,
        numpy_integers,
        numbers_of_python,
        swapped_without_jit,
    ],
    "pick": [
        gumbel_top_k,
        categorical_without_replacement,
        one_after_the_other,
        pick_jitted,
        race_of_exponentials,
        in_one_scan,
        weights_as_they_are,
    ],
}
WRONG = {
    "init_layers": {
        "keys/reused": [
            layers_as_given,
            split_and_draws_with_the_old_one,
            split_and_fold_in_mixed,
            keys_by_size,
            split_once_before_the_loop,
        ],
        "keys/ignored": [seeds_of_their_own],
        "keys/not-repeatable": [numpy_draws],
        "keys/related": [
            one_draw_turned_round,
            one_row_for_all,
            of_exact_deviation,
            of_exact_mean,
            of_exact_columns,
        ],
        "value/differs": [
            not_scaled,
            scaled_by_columns,
            scaled_by_both_sizes,
            unscaled_last_of_many,
        ],
        "value/distribution": [uniform, truncated],
        "value/structure": [three_keys],
        "value/shape": [transposed],
    },
    "rollout": {
        "keys/reused": [key_captured, draws_with_the_carry, key_carried_unchanged],
        "loops/unrolled": [python_loop, python_loop_when_long],
        "value/distribution": [uniform_steps],
        "value/shape": [last_position_only, at_most_400_steps],
        "value/differs": [
            mapped_without_a_walk,
            starts_with_the_start,
            plain_walk,
            two_fifths_kept,
            starts_at_random,
            no_single_step,
            positions_in_16_bits,
            zeros_after_500_steps,
            noise_in_16_bits,
            noise_of_bfloat16,
        ],
        "value/structure": [carry_returned_too],
        "keys/related": [
            noise_repeated,
            keys_of_64_steps,
            noise_of_exact_mean,
            noise_of_exact_deviation,
            noise_of_500_steps_repeated,
        ],
        "keys/ignored": [seeded_inside],
        "keys/not-repeatable": [numpy_noise],
    },
    "dropout": {
        "keys/reused": [
            one_key_for_all,
            looked_up_too_short,
            ids_in_a_byte,
            large_ids_as_one,
            table_one_too_short,
            first_two_ids_as_one,
            ids_in_half_precision,
        ],
        "keys/batch-dependent": [
            split_by_place,
            one_draw_for_the_batch,
            folded_in_the_place,
            batch_size_folded_in,
            key_of_the_entries,
            another_mask_for_each_copy,
            small_entries_kept,
            large_entries_dropped,
        ],
        "keys/ignored": [ids_as_seeds, nothing_dropped],
        "runs/raised": [folded_in_all_ids_at_once, of_one_width],
        "loops/unrolled": [loop_over_rows],
        "value/differs": [not_doubled, not_quite_doubled],
        "value/distribution": [
            too_many_kept,
            slightly_too_many_kept,
            first_entry_always_kept,
            hardly_too_many_kept,
        ],
        "keys/related": [
            whole_rows,
            half_of_each_row,
            in_pairs,
            one_mask_for_all_ids,
            key_plus_id,
            one_word_of_the_key,
            mask_of_1024_entries_repeated,
            last_hundred_as_one,
            bits_of_one_word,
        ],
    },
    "epoch_order": {
        "keys/colliding-seeds": [
            seed_plus_epoch,
            seed_times_epoch,
            numpy_seeded_by_a_sum,
            seed_xor_epoch,
            seed_before_epoch,
            seed_times_a_million,
            seed_times_more_than_a_million,
            epoch_times_more_than_a_million,
            numpy_seeded_by_32_bits,
            seed_times_1009,
            hashed_to_32_bits,
            digits_behind_each_other,
            folded_into_one_key,
            both_of_cantor,
            epoch_in_a_byte,
            epoch_in_16_bits,
            seed_times_two_to_the_16,
            swapped_by_a_sum,
            seed_times_a_prime,
            epoch_in_19_bits,
            seeds_up_to_half_a_million,
        ],
        "keys/ignored": [epoch_alone, seed_alone, never_shuffled],
        "loops/unrolled": [chain_of_splits, chain_beyond_a_hundred],
        "value/distribution": [
            turned,
            halves_apart,
            first_stays_first,
            swapped_with_any,
            none_at_its_own_place,
        ],
        "keys/related": [odd_epochs_turned_round, moved_by_the_epoch],
        "value/differs": [from_one_on],
        "value/drawn-twice": [with_replacement],
        "keys/not-repeatable": [hidden_generator],
        "keys/reused": [shuffled_twice_with_one_key],
    },
    "pick": {
        "value/dtype": [weights_in_place_of_indices],
        "value/shape": [first_row_alone, a_column_for_each_row],
        "value/drawn-twice": [puts_back, categorical_puts_back],
        "value/distribution": [
            weights_as_logits,
            weights_left_out,
            uniform_numbers_times_weights,
            powers_of_uniform_numbers,
            softmax_of_the_weights,
            slightly_smoothed,
            zeros_a_little_above,
            squared_weights,
            weights_of_the_neighbours,
            logarithm_left_out,
            chances_of_eighths,
            first_by_weight_and_others_evenly,
            weights_of_the_first_row,
            a_millionth_added,
            weights_up_to_a_thousand,
            normal_noise,
        ],
        "value/differs": [indices_from_one_on, all_rows_as_one, many_counted_from_the_end],
        "runs/raised": [of_three_entries],
        "tracing/numpy-on-tracer": [numpy_seeded_by_the_key],
        "keys/ignored": [the_likeliest, always_the_same_seed],
        "keys/related": [
            one_noise_for_all_rows,
            next_row_with_the_opposite_noise,
            keys_of_eight_rows,
        ],
        "keys/reused": [one_key_for_every_pick, one_key_for_all_rows],
        "keys/not-repeatable": [numpy_choice],
    },
}
