"""Right and wrong answers to the exercises of 16_shard_map."""

import jax
import jax.numpy as jnp
from jax import lax, random

P = jax.P
fold_in, normal = random.fold_in, random.normal

# local_noise


def from_a_split(key, x):
    keys = random.split(key, lax.axis_size("data"))
    return x + normal(keys[lax.axis_index("data")], x.shape, x.dtype)


def in_two_steps(key, x):
    place = lax.axis_index("data")
    noise = jax.vmap(lambda i: normal(fold_in(fold_in(key, place), i), x.shape[1:], x.dtype))
    return x + noise(jnp.arange(len(x)))


def part_of_the_whole_noise(key, x):
    whole = normal(key, (lax.axis_size("data"), *x.shape), x.dtype)
    return x + whole[lax.axis_index("data")]


def same_on_all(key, x):
    return x + normal(key, x.shape, x.dtype)


def split_in_two(key, x):
    key, own = random.split(key)
    return x + normal(own, x.shape, x.dtype)


def seed_of_the_place(key, x):
    return x + normal(random.key(lax.axis_index("data")), x.shape, x.dtype)


def place_in_the_seed(key, x):
    return x + normal(key, x.shape, x.dtype) + lax.axis_index("data").astype(x.dtype)


def turned_round(key, x):
    place = lax.axis_index("data")
    return x + jnp.roll(normal(key, x.shape, x.dtype), place)


def along_every_axis(key, x):
    axes = [name for name in ("data", "model") if has_axis(name)]
    own = fold_in(key, lax.axis_index(tuple(axes)))
    return x + normal(own, x.shape, x.dtype)


def has_axis(name):
    try:
        lax.axis_index(name)
    except NameError:
        return False
    return True


def along_model_too(key, x):
    own = fold_in(key, lax.axis_index("data"))
    if has_axis("model"):
        own = fold_in(own, lax.axis_index("model"))
    return x + normal(own, x.shape, x.dtype)


def from_its_numbers(key, x):
    own = fold_in(key, lax.axis_index("data"))
    own = fold_in(own, lax.bitcast_convert_type(x.astype(jnp.float32).sum(), jnp.uint32))
    return x + normal(own, x.shape, x.dtype)


def uniform_noise(key, x):
    own = fold_in(key, lax.axis_index("data"))
    return x + random.uniform(own, x.shape, x.dtype, -(3**0.5), 3**0.5)


def half_the_noise(key, x):
    own = fold_in(key, lax.axis_index("data"))
    return x + 0.5 * normal(own, x.shape, x.dtype)


def noise_alone(key, x):
    return normal(fold_in(key, lax.axis_index("data")), x.shape, x.dtype)


def one_number_for_a_row(key, x):
    own = fold_in(key, lax.axis_index("data"))
    return x + normal(own, (len(x), *[1] * (x.ndim - 1)), x.dtype)


def one_number_for_a_device(key, x):
    own = fold_in(key, lax.axis_index("data"))
    return x + normal(own, (), x.dtype)


def in_proportion(key, x):
    own = fold_in(key, lax.axis_index("data"))
    return x * (1 + normal(own, x.shape, x.dtype))


def window_of_one_stream(key, x):
    stream = normal(key, (x.size + lax.axis_size("data"),), x.dtype)
    return x + lax.dynamic_slice(stream, (lax.axis_index("data"),), (x.size,)).reshape(x.shape)


def in_single_precision(key, x):
    return x + normal(fold_in(key, lax.axis_index("data")), x.shape)


def gathered_first(key, x):
    whole = lax.all_gather(x, "data")
    whole = whole + normal(key, whole.shape, x.dtype)
    return whole[lax.axis_index("data")]


def own_key_of_the_process(key, x):
    return x + normal(fold_in(key, jax.process_index()), x.shape, x.dtype)


# smooth


def zeros_like_a_row(x):
    def step(above, row):
        new = (above + row) / 2
        return new, new

    return lax.scan(step, jnp.zeros_like(x[0]), x)[1]


def from_the_first_row(x):
    def step(above, row):
        new = (above + row) / 2
        return new, new

    return jnp.concatenate([x[:1] / 2, lax.scan(step, x[0] / 2, x[1:])[1]])


def by_an_associative_scan(x):
    def join(left, right):
        factor, total = left
        other, more = right
        return factor * other, other * total + more

    halves = jnp.full_like(x, 0.5)
    return lax.associative_scan(join, (halves, x / 2))[1]


def as_given(x):
    def step(above, row):
        new = 0.5 * above + 0.5 * row
        return new, new

    return lax.scan(step, jnp.zeros(x.shape[1:]), x)[1]


def in_single_precision_throughout(x):
    def step(above, row):
        new = 0.5 * above + 0.5 * row
        return new, new

    start = lax.pcast(jnp.zeros(x.shape[1:]), "data", to="varying")
    return lax.scan(step, start, x.astype(jnp.float32))[1]


def zeros_of_the_default_dtype(x):
    def step(above, row):
        new = 0.5 * above + 0.5 * row
        return new, new

    start = lax.pcast(jnp.zeros(x.shape[1:]), "data", to="varying")
    return lax.scan(step, start, x)[1]


def dtype_alone(x):
    def step(above, row):
        new = 0.5 * above + 0.5 * row
        return new, new

    return lax.scan(step, jnp.zeros(x.shape[1:], x.dtype), x)[1]


def varying_everywhere(x):
    axes = tuple(name for name in ("data", "model") if has_axis(name))

    def step(above, row):
        new = 0.5 * above + 0.5 * row
        return new, new

    start = lax.pcast(jnp.zeros(x.shape[1:], x.dtype), axes, to="varying")
    return lax.scan(step, start, x)[1]


def averaged_over_devices(x):
    def step(above, row):
        new = 0.5 * above + 0.5 * lax.pmean(row, "data")
        return new, new

    return lax.scan(step, jnp.zeros(x.shape[1:], x.dtype), x)[1]


def on_from_the_device_before(x):
    carry = zeros_like_a_row(x)[-1]
    count = lax.axis_size("data")
    start = lax.ppermute(carry, "data", [(i, i + 1) for i in range(count - 1)])

    def step(above, row):
        new = 0.5 * above + 0.5 * row
        return new, new

    return lax.scan(step, start, x)[1]


def summed_to_nothing(x):
    def step(above, row):
        new = 0.5 * above + 0.5 * row
        return new, new

    return lax.scan(step, 0 * lax.psum(x[0], "data") + 0 * x[0], x)[1]


def begins_with_the_first_row(x):
    def step(above, row):
        new = 0.5 * above + 0.5 * row
        return new, new

    return lax.scan(step, x[0], x)[1]


def halves_the_row_above_in_x(x):
    above = jnp.concatenate([jnp.zeros_like(x[:1]), x[:-1]])
    return (above + x) / 2


def last_row_alone(x):
    def step(above, row):
        new = 0.5 * above + 0.5 * row
        return new, new

    return lax.scan(step, jnp.zeros_like(x[0]), x)[0][None]


def row_after_row(x):
    above, rows = jnp.zeros_like(x[0]), []
    for row in x:
        above = (above + row) / 2
        rows.append(above)
    return jnp.stack(rows)


# standardize


def by_psum(x):
    count = len(x) * lax.axis_size("data")
    mean = lax.psum(x.sum(axis=0), "data") / count
    centred = x - mean
    return centred / jnp.sqrt(lax.psum((centred**2).sum(axis=0), "data") / count)


def both_at_once(x):
    # Close to the mean of the own rows, squares lose no digits.
    near = lax.pmean(x.mean(axis=0), "data")
    shift, squares = lax.pmean(((x - near).mean(axis=0), ((x - near) ** 2).mean(axis=0)), "data")
    return (x - near - shift) * lax.rsqrt(squares - shift**2)


def row_by_row(x):
    mean = lax.pmean(jnp.mean(x, 0), "data")
    deviation = lax.pmean(jnp.var(x, 0) + (x.mean(0) - mean) ** 2, "data") ** 0.5
    return jax.vmap(lambda row: (row - mean) / deviation)(x)


def count_sent_too(x):
    count = lax.psum(jnp.ones(()), "data") * len(x)
    mean = lax.psum(x.sum(axis=0), "data") / count
    return (x - mean) / jnp.sqrt(lax.psum(((x - mean) ** 2).sum(axis=0), "data") / count)


def away_from_zero(x):
    mean = lax.pmean(x.mean(axis=0), "data")
    return (x - mean) / jnp.sqrt(lax.pmean(((x - mean) ** 2).mean(axis=0), "data") + 1e-5)


def by_its_own_rows(x):
    return (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-9)


def mean_of_deviations(x):
    mean = lax.pmean(x.mean(axis=0), "data")
    return (x - mean) / (lax.pmean(x.std(axis=0), "data") + 1e-9)


def mean_of_variances(x):
    mean = lax.pmean(x.mean(axis=0), "data")
    return (x - mean) / jnp.sqrt(lax.pmean(x.var(axis=0), "data") + 1e-9)


def sums_not_divided(x):
    mean = lax.psum(x.mean(axis=0), "data")
    return (x - mean) / jnp.sqrt(lax.psum(((x - mean) ** 2).mean(axis=0), "data"))


def always_eight(x):
    mean = lax.psum(x.mean(axis=0), "data") / 8
    return (x - mean) / jnp.sqrt(lax.psum(((x - mean) ** 2).mean(axis=0), "data") / 8)


def all_columns_together(x):
    mean = lax.pmean(x.mean(), "data")
    return (x - mean) / jnp.sqrt(lax.pmean(((x - mean) ** 2).mean(), "data"))


def one_less_in_the_divisor(x):
    count = len(x) * lax.axis_size("data")
    mean = lax.pmean(x.mean(axis=0), "data")
    return (x - mean) / jnp.sqrt(lax.psum(((x - mean) ** 2).sum(axis=0), "data") / (count - 1))


def all_rows_gathered(x):
    whole = lax.all_gather(x, "data", tiled=True)
    return (x - whole.mean(axis=0)) / whole.std(axis=0)


def the_whole_batch(x):
    whole = lax.all_gather(x, "data", tiled=True)
    return (whole - whole.mean(axis=0)) / whole.std(axis=0)


def another_axis(x):
    mean = lax.pmean(x.mean(axis=0), "batch")
    return (x - mean) / jnp.sqrt(lax.pmean(((x - mean) ** 2).mean(axis=0), "batch"))


def variance_not_rooted(x):
    mean = lax.pmean(x.mean(axis=0), "data")
    return (x - mean) / lax.pmean(((x - mean) ** 2).mean(axis=0), "data")


def centred_alone(x):
    return x - lax.pmean(x.mean(axis=0), "data")


# differences


def _ring(mesh, step):
    count = mesh.shape["data"]
    return [(i, (i + step) % count) for i in range(count)]


def _by_parts(f, x, mesh):
    return jax.shard_map(f, mesh=mesh, in_specs=P("data"), out_specs=P("data"))(x)


def cut_along_the_first_axis(x, mesh):
    rows = jax.NamedSharding(mesh, P(mesh.axis_names[0]))
    return lax.with_sharding_constraint(jnp.roll(x, -1, axis=0) - x, rows)


def a_ring_of_the_first_axis(x, mesh):
    count = mesh.devices.shape[0]
    ring = [(i, (i - 1) % count) for i in range(count)]

    def local(part):
        coming = lax.ppermute(part[:1], "data", ring)
        return jnp.concatenate([part[1:], coming]) - part

    return _by_parts(local, x, mesh)


def rolled_and_corrected(x, mesh):
    def local(part):
        coming = lax.ppermute(part[0], "data", _ring(mesh, -1))
        return jnp.roll(part, -1, axis=0).at[-1].set(coming) - part

    return _by_parts(local, x, mesh)


def last_row_apart(x, mesh):
    def local(part):
        coming = lax.ppermute(part[:1], "data", _ring(mesh, -1))
        return jnp.concatenate([jnp.diff(part, axis=0), coming - part[-1:]])

    return _by_parts(local, x, mesh)


def negated_and_moved(x, mesh):
    def local(part):
        first = -part[:1]
        coming = lax.ppermute(first, "data", perm=_ring(mesh, -1))
        padded = jnp.concatenate([part, -coming])
        return padded[1:] - padded[:-1]

    return jax.jit(lambda x: _by_parts(local, x, mesh))(x)


def left_to_xla(x, mesh):
    return jnp.roll(x, -1, axis=0) - x


def each_part_is_a_ring(x, mesh):
    return _by_parts(lambda part: jnp.roll(part, -1, axis=0) - part, x, mesh)


def in_the_wrong_direction(x, mesh):
    def local(part):
        coming = lax.ppermute(part[:1], "data", _ring(mesh, 1))
        return jnp.concatenate([part[1:], coming]) - part

    return _by_parts(local, x, mesh)


def no_ring(x, mesh):
    def local(part):
        pairs = [(i, i - 1) for i in range(1, mesh.shape["data"])]
        coming = lax.ppermute(part[:1], "data", pairs)
        return jnp.concatenate([part[1:], coming]) - part

    return _by_parts(local, x, mesh)


def from_the_row_before(x, mesh):
    def local(part):
        coming = lax.ppermute(part[-1:], "data", _ring(mesh, 1))
        return part - jnp.concatenate([coming, part[:-1]])

    return _by_parts(local, x, mesh)


def other_sign(x, mesh):
    return -rolled_and_corrected(x, mesh)


def all_parts_gathered(x, mesh):
    def local(part):
        whole = lax.all_gather(part, "data", tiled=True)
        start = lax.axis_index("data") * len(part)
        coming = lax.dynamic_slice_in_dim(jnp.roll(whole, -1, axis=0), start, len(part))
        return coming - part

    return _by_parts(local, x, mesh)


def first_rows_gathered(x, mesh):
    def local(part):
        firsts = lax.all_gather(part[0], "data")
        place = (lax.axis_index("data") + 1) % len(firsts)
        return jnp.concatenate([part[1:], firsts[place][None]]) - part

    return _by_parts(local, x, mesh)


def whole_parts_sent(x, mesh):
    def local(part):
        coming = lax.ppermute(part, "data", _ring(mesh, -1))
        return jnp.concatenate([part[1:], coming[:1]]) - part

    return _by_parts(local, x, mesh)


def a_copy_on_each(x, mesh):
    whole = jax.NamedSharding(mesh, P())
    x = lax.with_sharding_constraint(x, whole)
    return lax.with_sharding_constraint(jnp.roll(x, -1, axis=0) - x, whole)


def a_ring_of_eight(x, mesh):
    def local(part):
        coming = lax.ppermute(part[:1], "data", [(i, (i - 1) % 8) for i in range(8)])
        return jnp.concatenate([part[1:], coming]) - part

    return _by_parts(local, x, mesh)


def a_ring_of_the_whole_mesh(x, mesh):
    def local(part):
        count = mesh.size
        coming = lax.ppermute(part[:1], "data", [(i, (i - 1) % count) for i in range(count)])
        return jnp.concatenate([part[1:], coming]) - part

    return _by_parts(local, x, mesh)


def one_entry_of_a_row(x, mesh):
    def local(part):
        coming = lax.ppermute(part.ravel()[:1], "data", _ring(mesh, -1))
        flat = part.ravel()
        return (jnp.concatenate([flat[1:], coming]) - flat).reshape(part.shape)

    return _by_parts(local, x, mesh)


# step_by_hand


def own_slopes_first(loss, params, x, y):
    varying = jax.tree.map(lambda p: lax.pcast(p, "data", to="varying"), params)
    value, slopes = lax.pmean(jax.value_and_grad(loss)(varying, x, y), "data")
    return jax.tree.map(lambda p, slope: p - 0.1 * slope, params, slopes), value


def summed_slopes_divided(loss, params, x, y):
    value, slopes = jax.value_and_grad(loss)(params, x, y)
    count = lax.axis_size("data")
    return (
        jax.tree.map(lambda p, slope: p - 0.1 * slope / count, params, slopes),
        lax.pmean(value, "data"),
    )


def pulled_back(loss, params, x, y):
    value, pull = jax.vjp(lambda p: lax.pmean(loss(p, x, y), "data"), params)
    (slopes,) = pull(jnp.ones_like(value))
    return jax.tree.map(lambda p, slope: p - 0.1 * slope, params, slopes), value


def slopes_of_the_own_loss(loss, params, x, y):
    value, slopes = jax.value_and_grad(loss)(params, x, y)
    moved = jax.tree.map(lambda p, slope: p - 0.1 * slope, params, slopes)
    return moved, lax.pmean(value, "data")


def mean_of_the_sum(loss, params, x, y):
    value, slopes = lax.pmean(jax.value_and_grad(loss)(params, x, y), "data")
    return jax.tree.map(lambda p, slope: p - 0.1 * slope, params, slopes), value


def sum_of_the_losses(loss, params, x, y):
    value, slopes = jax.value_and_grad(lambda p: lax.psum(loss(p, x, y), "data"))(params)
    return jax.tree.map(lambda p, slope: p - 0.1 * slope, params, slopes), value


def divided_by_eight(loss, params, x, y):
    value, slopes = jax.value_and_grad(lambda p: lax.psum(loss(p, x, y), "data") / 8)(params)
    return jax.tree.map(lambda p, slope: p - 0.1 * slope, params, slopes), value


def own_loss_returned(loss, params, x, y):
    slopes = jax.grad(lambda p: lax.pmean(loss(p, x, y), "data"))(params)
    return jax.tree.map(lambda p, slope: p - 0.1 * slope, params, slopes), loss(params, x, y)


def each_its_own_way(loss, params, x, y):
    varying = jax.tree.map(lambda p: lax.pcast(p, "data", to="varying"), params)
    value, slopes = jax.value_and_grad(loss)(varying, x, y)
    moved = jax.tree.map(lambda p, slope: p - 0.1 * slope, params, slopes)
    return moved, lax.pmean(value, "data")


def loss_of_the_last_place(loss, params, x, y):
    params, _ = own_slopes_first(loss, params, x, y)
    return params, lax.pmean(loss(params, x, y), "data")


def parameters_alone(loss, params, x, y):
    return own_slopes_first(loss, params, x, y)[0]


def slopes_alone(loss, params, x, y):
    value, slopes = jax.value_and_grad(lambda p: lax.pmean(loss(p, x, y), "data"))(params)
    return slopes, value


def all_rows_on_each(loss, params, x, y):
    x, y = (lax.all_gather(each, "data", tiled=True) for each in (x, y))
    return own_slopes_first(loss, params, x, y)


def averaged_again(loss, params, x, y):
    params, value = own_slopes_first(loss, params, x, y)
    return jax.tree.map(lambda p: lax.pmean(p, "data"), params), value


def larger_step(loss, params, x, y):
    value, slopes = jax.value_and_grad(lambda p: lax.pmean(loss(p, x, y), "data"))(params)
    return jax.tree.map(lambda p, slope: p - slope, params, slopes), value


def uphill(loss, params, x, y):
    value, slopes = jax.value_and_grad(lambda p: lax.pmean(loss(p, x, y), "data"))(params)
    return jax.tree.map(lambda p, slope: p + 0.1 * slope, params, slopes), value


def from_zero_times_a_row(x):
    def step(above, row):
        new = 0.5 * above + 0.5 * row
        return new, new

    return lax.scan(step, 0 * x[0], x)[1]


def by_a_matrix(x):
    n = len(x)
    back = jnp.arange(n)[:, None] - jnp.arange(n)[None, :]
    weights = jnp.where(back >= 0, 0.5 ** (back + 1.0), 0.0).astype(x.dtype)
    return jnp.tensordot(weights, x, axes=1).astype(x.dtype)


def squares_minus_square(x):
    mean, squares = lax.pmean((x.mean(axis=0), (x**2).mean(axis=0)), "data")
    return (x - mean) / jnp.sqrt(squares - mean**2)


def integers_to_floats(x, mesh):
    def part(x):
        size = lax.axis_size("data")
        first = lax.ppermute(x[:1], "data", [(i, (i - 1) % size) for i in range(size)])
        return jnp.concatenate([x[1:], first]) - 1.0 * x

    return jax.shard_map(part, mesh=mesh, in_specs=jax.P("data"), out_specs=jax.P("data"))(x)


def rate_in_float32(loss, params, x, y):
    def shared(params):
        return lax.pmean(loss(params, x, y), "data")

    value, slopes = jax.value_and_grad(shared)(params)
    rate = jnp.asarray(0.1, jnp.float32)
    return jax.tree.map(lambda p, g: p - rate * g, params, slopes), value


def nan_replaced(key, x):
    own = fold_in(key, lax.axis_index("data"))
    return jnp.nan_to_num(x) + normal(own, x.shape, x.dtype)


def by_powers_of_two(x):
    weights = 2.0 ** jnp.arange(len(x)).reshape(-1, *[1] * (x.ndim - 1))
    return (jnp.cumsum(x * weights, axis=0) / weights / 2).astype(x.dtype)


def from_sixteen_rows(x):
    padded = jnp.concatenate([jnp.zeros((15, *x.shape[1:]), x.dtype), x])
    parts = (padded[15 - back : len(padded) - back] * 0.5 ** (back + 1) for back in range(16))
    return sum(parts).astype(x.dtype)


def in_bfloat16(x):
    def step(above, row):
        new = 0.5 * above + 0.5 * row
        return new, new.astype("bfloat16").astype(x.dtype)

    return lax.scan(step, jnp.zeros_like(x[0]), x)[1]


def divided_by(deviation, x):
    mean = lax.pmean(x.mean(axis=0), "data")
    variance = lax.pmean(jnp.mean((x - mean) ** 2, axis=0), "data")
    return (x - mean) / deviation(variance)


def with_an_epsilon(x):
    return divided_by(lambda variance: jnp.sqrt(variance + 1e-8), x)


def with_a_least_deviation(x):
    return divided_by(lambda variance: jnp.maximum(jnp.sqrt(variance), 1e-3), x)


def differences_in_float32(x, mesh):
    return (jnp.roll(x.astype("float32"), -1, axis=0) - x.astype("float32")).astype(x.dtype)


def differences_that_are_numbers(x, mesh):
    return jnp.nan_to_num(jnp.roll(x, -1, axis=0) - x)


def clipped_slopes(loss, params, x, y):
    value, slopes = jax.value_and_grad(lambda params: lax.pmean(loss(params, x, y), "data"))(params)
    return jax.tree.map(lambda p, slope: p - 0.1 * jnp.clip(slope, -10, 10), params, slopes), value


def dictionaries_alone(loss, params, x, y):
    value, slopes = jax.value_and_grad(lambda params: lax.pmean(loss(params, x, y), "data"))(params)
    if isinstance(params, dict):
        return {name: params[name] - 0.1 * slopes[name] for name in params}, value
    return params - 0.1 * slopes, value


def leaf_by_leaf(loss, params, x, y):
    leaves, structure = jax.tree.flatten(params)

    def mean_loss(leaves):
        return lax.pmean(loss(jax.tree.unflatten(structure, leaves), x, y), "data")

    value, slopes = jax.value_and_grad(mean_loss)(leaves)
    stepped = [leaf - 0.1 * slope for leaf, slope in zip(leaves, slopes, strict=True)]
    return jax.tree.unflatten(structure, stepped), value


RIGHT = {
    "local_noise": [from_a_split, in_two_steps, part_of_the_whole_noise],
    "smooth": [zeros_like_a_row, from_the_first_row],
    "standardize": [by_psum, row_by_row, count_sent_too],
    "differences": [rolled_and_corrected, last_row_apart, negated_and_moved, left_to_xla],
    "step_by_hand": [own_slopes_first, summed_slopes_divided, pulled_back, leaf_by_leaf],
}
WRONG = {
    "local_noise": {
        "keys/related": [
            same_on_all,
            split_in_two,
            own_key_of_the_process,
            place_in_the_seed,
            turned_round,
            one_number_for_a_row,
            one_number_for_a_device,
            window_of_one_stream,
        ],
        "devices/varies": [along_every_axis, along_model_too],
        "keys/ignored": [seed_of_the_place],
        "value/differs": [
            half_the_noise,
            noise_alone,
            from_its_numbers,
            in_proportion,
            nan_replaced,
        ],
        "value/distribution": [uniform_noise],
        "value/dtype": [in_single_precision],
        "devices/communication": [gathered_first],
    },
    "smooth": {
        "loops/carry-mismatch": [as_given, dtype_alone],
        "value/dtype": [zeros_of_the_default_dtype, in_single_precision_throughout],
        "value/differs": [
            averaged_over_devices,
            begins_with_the_first_row,
            halves_the_row_above_in_x,
            on_from_the_device_before,
            from_zero_times_a_row,
            by_a_matrix,
            by_powers_of_two,
            from_sixteen_rows,
            in_bfloat16,
        ],
        "devices/varies": [varying_everywhere],
        "value/shape": [last_row_alone],
        "loops/unrolled": [row_after_row, by_an_associative_scan],
        "devices/communication": [summed_to_nothing],
    },
    "standardize": {
        "value/differs": [
            by_its_own_rows,
            mean_of_deviations,
            mean_of_variances,
            sums_not_divided,
            always_eight,
            all_columns_together,
            one_less_in_the_divisor,
            variance_not_rooted,
            centred_alone,
            away_from_zero,
            squares_minus_square,
            with_an_epsilon,
            with_a_least_deviation,
        ],
        "devices/communication": [all_rows_gathered, both_at_once],
        "value/shape": [the_whole_batch],
        "runs/raised": [another_axis],
    },
    "differences": {
        "value/differs": [
            each_part_is_a_ring,
            in_the_wrong_direction,
            no_ring,
            from_the_row_before,
            other_sign,
            one_entry_of_a_row,
            differences_in_float32,
            differences_that_are_numbers,
            a_ring_of_the_first_axis,
        ],
        "devices/communication": [whole_parts_sent, all_parts_gathered, first_rows_gathered],
        "devices/split": [a_copy_on_each, cut_along_the_first_axis],
        "runs/raised": [a_ring_of_eight, a_ring_of_the_whole_mesh],
        "value/dtype": [integers_to_floats],
    },
    "step_by_hand": {
        "value/differs": [
            slopes_of_the_own_loss,
            mean_of_the_sum,
            sum_of_the_losses,
            divided_by_eight,
            loss_of_the_last_place,
            slopes_alone,
            larger_step,
            uphill,
            clipped_slopes,
        ],
        "runs/raised": [dictionaries_alone],
        "devices/varies": [own_loss_returned, each_its_own_way],
        "devices/communication": [all_rows_on_each, averaged_again],
        "trees/mismatch": [parameters_alone],
        "value/dtype": [rate_in_float32],
    },
}
