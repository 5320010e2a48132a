"""Right and wrong answers to the exercises of 15_many_devices."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from jax import lax

P = jax.P
NamedSharding = jax.NamedSharding

# split_rows


def _filled(x, missing):
    return jnp.concatenate([x, jnp.zeros((missing, *x.shape[1:]), x.dtype)])


def into_zeros(x, mesh):
    size = -(-len(x) // mesh.shape["data"]) * mesh.shape["data"]
    padded = jnp.zeros((size, *x.shape[1:]), x.dtype).at[: len(x)].set(x)
    split = NamedSharding(mesh, P("data"))
    return jax.device_put(padded, split), jax.device_put(jnp.arange(size) < len(x), split)


def mask_of_what_is_not_zero(x, mesh):
    padded = _filled(x, -len(x) % mesh.shape["data"])
    mask = jnp.any(padded.reshape(len(padded), -1) != 0, axis=1)
    return jax.device_put((padded, mask), NamedSharding(mesh, P("data")))


def in_numpy(x, mesh):
    missing = -len(x) % mesh.shape["data"]
    padded = np.concatenate([x, np.zeros((missing, *x.shape[1:]), x.dtype)])
    mask = np.array([True] * len(x) + [False] * missing)
    return jax.device_put((padded, mask), NamedSharding(mesh, P("data")))


def made_by_jit(x, mesh):
    split = NamedSharding(mesh, P("data"))
    missing = -len(x) % mesh.shape["data"]

    @jax.jit
    def pad(x):
        mask = jnp.ones(len(x), bool)
        both = _filled(x, missing), _filled(mask, missing)
        return lax.with_sharding_constraint(both, split)

    return pad(x)


def spec_for_every_axis(x, mesh):
    padded = _filled(x, -len(x) % mesh.shape["data"])
    spec = P("data", *[None] * (x.ndim - 1))
    mask = jnp.arange(len(padded)) < len(x)
    split = NamedSharding(mesh, P("data"))
    return jax.device_put(padded, NamedSharding(mesh, spec)), jax.device_put(mask, split)


def not_padded(x, mesh):
    split = NamedSharding(mesh, P("data"))
    return jax.device_put((x, jnp.ones(len(x), bool)), split)


def constraint_without_padding(x, mesh):
    split = NamedSharding(mesh, P("data"))
    return jax.jit(lambda x: lax.with_sharding_constraint(x, split))(x), jnp.ones(len(x), bool)


def last_rows_dropped(x, mesh):
    kept = len(x) // mesh.shape["data"] * mesh.shape["data"]
    split = NamedSharding(mesh, P("data"))
    return jax.device_put((x[:kept], jnp.ones(kept, bool)), split)


def to_all_devices(x, mesh):
    padded = _filled(x, -len(x) % mesh.size)
    mask = jnp.arange(len(padded)) < len(x)
    return jax.device_put((padded, mask), NamedSharding(mesh, P("data")))


def always_padded(x, mesh):
    padded = _filled(x, mesh.shape["data"] - len(x) % mesh.shape["data"])
    mask = jnp.arange(len(padded)) < len(x)
    return jax.device_put((padded, mask), NamedSharding(mesh, P("data")))


def last_row_again(x, mesh):
    missing = -len(x) % mesh.shape["data"]
    padded = jnp.concatenate([x, jnp.repeat(x[-1:], missing, axis=0)])
    mask = jnp.arange(len(padded)) < len(x)
    return jax.device_put((padded, mask), NamedSharding(mesh, P("data")))


def padded_above(x, mesh):
    missing = -len(x) % mesh.shape["data"]
    padded = jnp.pad(x, [(missing, 0)] + [(0, 0)] * (x.ndim - 1))
    mask = jnp.arange(len(padded)) >= missing
    return jax.device_put((padded, mask), NamedSharding(mesh, P("data")))


def mask_of_padding(x, mesh):
    padded = _filled(x, -len(x) % mesh.shape["data"])
    mask = jnp.arange(len(padded)) >= len(x)
    return jax.device_put((padded, mask), NamedSharding(mesh, P("data")))


def mask_of_numbers(x, mesh):
    padded = _filled(x, -len(x) % mesh.shape["data"])
    mask = (jnp.arange(len(padded)) < len(x)).astype(jnp.float32)
    return jax.device_put((padded, mask), NamedSharding(mesh, P("data")))


def mask_of_one_device(x, mesh):
    padded = _filled(x, -len(x) % mesh.shape["data"])
    mask = jnp.arange(len(padded)) < len(x)
    return jax.device_put(padded, NamedSharding(mesh, P("data"))), mask


def copies(x, mesh):
    padded = _filled(x, -len(x) % mesh.shape["data"])
    mask = jnp.arange(len(padded)) < len(x)
    return jax.device_put((padded, mask), NamedSharding(mesh, P()))


def over_every_axis(x, mesh):
    padded = _filled(x, -len(x) % mesh.shape["data"])
    mask = jnp.arange(len(padded)) < len(x)
    return jax.device_put((padded, mask), NamedSharding(mesh, P(mesh.axis_names)))


def over_the_first_axis(x, mesh):
    padded = _filled(x, -len(x) % mesh.shape["data"])
    mask = jnp.arange(len(padded)) < len(x)
    first = NamedSharding(mesh, P(mesh.axis_names[0]))
    whole = NamedSharding(mesh, P())
    fits = len(padded) % mesh.shape[mesh.axis_names[0]] == 0
    return jax.device_put((padded, mask), first if fits else whole)


def padded_alone(x, mesh):
    padded = _filled(x, -len(x) % mesh.shape["data"])
    return jax.device_put(padded, NamedSharding(mesh, P("data")))


def matrices_only(x, mesh):
    padded = jnp.pad(x, ((0, -len(x) % mesh.shape["data"]), (0, 0)))
    mask = jnp.arange(len(padded)) < len(x)
    return jax.device_put((padded, mask), NamedSharding(mesh, P("data")))


# count_pieces


def places_told_apart(f, *args):
    compiled = jax.jit(f).lower(*args).compile()
    shape = jax.eval_shape(f, *args).shape
    places = compiled.output_shardings.devices_indices_map(shape)
    return len({str(place) for place in places.values()})


def axis_by_axis(f, *args):
    traced = jax.jit(f).trace(*args)
    shape = traced.out_info.shape
    piece = traced.lower().compile().output_shardings.shard_shape(shape)
    count = 1
    for whole, part in zip(shape, piece, strict=True):
        count *= whole // part
    return count


def by_the_spec(f, *args):
    sharding = jax.jit(f).lower(*args).compile().output_shardings
    if not isinstance(sharding, NamedSharding):
        return 1
    sizes = sharding.mesh.shape
    names = [
        name for each in sharding.spec for name in (each if isinstance(each, tuple) else [each])
    ]
    return math.prod(sizes[name] for name in names if name is not None)


def places_of_the_result(f, *args):
    result = jax.jit(f)(*args)
    return len({str(each.index) for each in result.addressable_shards})


def without_jit(f, *args):
    return len({str(each.index) for each in f(*args).addressable_shards})


def number_of_devices(f, *args):
    return len(jax.jit(f).lower(*args).compile().output_shardings.device_set)


def pieces_of_the_argument(f, *args):
    shape = args[0].shape
    piece = args[0].sharding.shard_shape(shape)
    return math.prod(shape) // math.prod(piece)


def shape_of_the_first_argument(f, *args):
    shape = jax.tree.leaves(args)[0].shape
    piece = jax.jit(f).lower(*args).compile().output_shardings.shard_shape(shape)
    return math.prod(n // m for n, m in zip(shape, piece, strict=True))


def moved_without_a_target(path, state, mesh):
    with ocp.StandardCheckpointer() as checkpointer:
        whole = checkpointer.restore(path)
    return jax.tree.map(
        lambda leaf, like: jax.device_put(leaf, jax.NamedSharding(mesh, like.sharding.spec)),
        whole,
        state,
    )


def pieces_of_rows(f, *args):
    compiled = jax.jit(f).lower(*args).compile()
    shape = jax.eval_shape(f, *args).shape
    return shape[0] // compiled.output_shardings.shard_shape(shape)[0]


def split_or_not(f, *args):
    return not jax.jit(f).lower(*args).compile().output_shardings.is_fully_replicated


def length_of_the_spec(f, *args):
    return len(jax.jit(f).lower(*args).compile().output_shardings.spec)


def as_a_float(f, *args):
    compiled = jax.jit(f).lower(*args).compile()
    shape = jax.eval_shape(f, *args).shape
    return math.prod(shape) / math.prod(compiled.output_shardings.shard_shape(shape))


def of_what_is_asked(f, *args):
    abstract = jax.eval_shape(f, *args)
    return math.prod(abstract.shape) // math.prod(abstract.sharding.shard_shape(abstract.shape))


# masked_step

adam = optax.adam(0.03)


def predict(params, x):
    return jnp.tanh(x @ params["in"]) @ params["out"]


def _losses(params, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(predict(params, x), y)


def _step(loss, params, opt_state):
    updates, opt_state = adam.update(jax.grad(loss)(params), opt_state)
    return optax.apply_updates(params, updates), opt_state


def by_where(params, opt_state, x, y, mask):
    def loss(params):
        return jnp.where(mask, _losses(params, x, y), 0.0).sum() / mask.sum()

    return _step(loss, params, opt_state)


def mean_where(params, opt_state, x, y, mask):
    return _step(lambda p: jnp.mean(_losses(p, x, y), where=mask), params, opt_state)


def weights_in_a_dot(params, opt_state, x, y, mask):
    weights = mask / mask.sum()
    return _step(lambda p: weights @ _losses(p, x, y), params, opt_state)


def mean_of_examples_gradients(params, opt_state, x, y, mask):
    def weighted(params):
        each = jax.vmap(lambda x, y, m: m * _losses(params, x[None], y[None])[0])(x, y, mask)
        return each.sum() / mask.sum()

    return _step(weighted, params, opt_state)


def as_given(params, opt_state, x, y, mask):
    rows = jnp.argsort(~mask)
    return _step(lambda p: _losses(p, x[rows], y[rows]).mean(), params, opt_state)


def mask_forgotten(params, opt_state, x, y, mask):
    return _step(lambda p: _losses(p, x, y).mean(), params, opt_state)


def divided_by_all_rows(params, opt_state, x, y, mask):
    return _step(lambda p: jnp.mean(_losses(p, x, y) * mask), params, opt_state)


def rows_set_to_zero(params, opt_state, x, y, mask):
    return _step(lambda p: _losses(p, x * mask[:, None], y).mean(), params, opt_state)


def mean_of_eight_means(params, opt_state, x, y, mask):
    def loss(params):
        parts = (_losses(params, x, y) * mask).reshape(8, -1).sum(axis=1)
        return jnp.mean(parts / jnp.maximum(mask.reshape(8, -1).sum(axis=1), 1))

    return _step(loss, params, opt_state)


def rows_taken_out(params, opt_state, x, y, mask):
    return _step(lambda p: _losses(p, x[mask], y[mask]).mean(), params, opt_state)


def rows_chosen_by_number(params, opt_state, x, y, mask):
    (rows,) = jnp.nonzero(mask, size=len(x))

    def loss(params):
        count = mask.sum()
        losses = _losses(params, x[rows], y[rows])
        return jnp.sum(losses, where=jnp.arange(len(x)) < count) / count

    return _step(loss, params, opt_state)


def in_order(params, opt_state, x, y, mask):
    order = jnp.argsort(~mask)
    return by_where(params, opt_state, x[order], y[order], mask[order])


def rows_gathered(params, opt_state, x, y, mask):
    mesh = jax.make_mesh((8,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    x = lax.with_sharding_constraint(x, NamedSharding(mesh, P()))
    return by_where(params, opt_state, x, y, mask)


def optimizer_begun_anew(params, opt_state, x, y, mask):
    return by_where(params, adam.init(params), x, y, mask)


def state_dropped(params, opt_state, x, y, mask):
    return by_where(params, opt_state, x, y, mask)[0], opt_state


def parameters_alone(params, opt_state, x, y, mask):
    return by_where(params, opt_state, x, y, mask)[0]


def updates_alone(params, opt_state, x, y, mask):
    slopes = jax.grad(lambda p: jnp.mean(_losses(p, x, y), where=mask))(params)
    return adam.update(slopes, opt_state)


def results_split(params, opt_state, x, y, mask):
    mesh = jax.make_mesh((8,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    params, opt_state = by_where(params, opt_state, x, y, mask)
    split = NamedSharding(mesh, P("data"))
    return lax.with_sharding_constraint(params, {"in": split, "out": split}), opt_state


# place_params


def one_by_one(params, mesh):
    columns = jax.device_put(params["in"], NamedSharding(mesh, P(None, "model")))
    return {
        "in": columns,
        "out": jax.device_put(params["out"], NamedSharding(mesh, P("model", None))),
    }


def with_the_mesh_set(params, mesh):
    with jax.set_mesh(mesh):
        return jax.device_put(params, {"in": P(None, "model"), "out": P("model")})


def by_out_shardings(params, mesh):
    specs = {"in": P(None, "model"), "out": P("model")}
    shardings = jax.tree.map(lambda spec: NamedSharding(mesh, spec), specs)
    return jax.jit(lambda params: params, out_shardings=shardings)(params)


def _placed(params, mesh, first, second):
    shardings = {"in": NamedSharding(mesh, first), "out": NamedSharding(mesh, second)}
    return jax.device_put(params, shardings)


def left_as_they_are(params, mesh):
    return params


def a_copy_on_each(params, mesh):
    return jax.device_put(params, NamedSharding(mesh, P()))


def first_one_alone(params, mesh):
    return _placed(params, mesh, P(None, "model"), P())


def second_one_alone(params, mesh):
    return _placed(params, mesh, P(), P("model"))


def over_the_other_axis(params, mesh):
    return _placed(params, mesh, P(None, "data"), P("data"))


def both_in_rows(params, mesh):
    return _placed(params, mesh, P("model"), P("model"))


def both_in_columns(params, mesh):
    wide = params["out"].shape[1] % mesh.shape["model"] == 0
    return _placed(params, mesh, P(None, "model"), P(None, "model") if wide else P())


def exchanged(params, mesh):
    wide = params["out"].shape[1] % mesh.shape["model"] == 0
    return _placed(params, mesh, P("model"), P(None, "model") if wide else P())


def hidden_by_a_constraint(params, mesh):
    specs = {"in": NamedSharding(mesh, P("model")), "out": NamedSharding(mesh, P("model"))}
    return jax.jit(lambda params: lax.with_sharding_constraint(params, specs))(params)


def without_a_mesh(params, mesh):
    return jax.device_put(params, {"in": P(None, "model"), "out": P("model")})


def over_both_axes(params, mesh):
    axes = ("data", "model")
    return _placed(params, mesh, P(None, axes), P(axes))


def parts_alone(params, mesh):
    width = params["in"].shape[1] // mesh.shape["model"]
    return {"in": params["in"][:, :width], "out": params["out"][:width]}


def axes_by_position(params, mesh):
    _, model = mesh.axis_names
    return _placed(params, mesh, P(None, model), P(model))


def size_by_position(params, mesh):
    """Find the axis along which there are as many parts as the last axis of the mesh is long."""
    parts = mesh.devices.shape[-1]
    model = next(name for name, size in mesh.shape.items() if size == parts)
    return _placed(params, mesh, P(None, model), P(model))


def on_the_devices_in_rows(params, mesh):
    """Make a mesh of the same devices, in the order in which the page has them."""
    devices = mesh.devices.reshape(mesh.shape["data"], mesh.shape["model"])
    types = (jax.sharding.AxisType.Auto,) * 2
    grid = jax.sharding.Mesh(devices, ("data", "model"), axis_types=types)
    return _placed(params, grid, P(None, "model"), P("model"))


# restore_on


def moved_after_restoring(path, state, mesh):
    restored = ocp.StandardCheckpointer().restore(path, state)
    shardings = jax.tree.map(lambda leaf: NamedSharding(mesh, leaf.sharding.spec), state)
    return jax.device_put(restored, shardings)


def by_leaves(path, state, mesh):
    leaves, structure = jax.tree.flatten(state)
    leaves = [
        jax.ShapeDtypeStruct(
            leaf.shape, leaf.dtype, sharding=NamedSharding(mesh, leaf.sharding.spec)
        )
        for leaf in leaves
    ]
    return ocp.StandardCheckpointer().restore(path, jax.tree.unflatten(structure, leaves))


def as_numpy(path, state, mesh):
    return jax.tree.map(np.asarray, by_leaves(path, state, mesh))


def _target(state, sharding):
    return jax.tree.map(
        lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding), state
    )


def as_it_was_saved(path, state, mesh):
    return ocp.StandardCheckpointer().restore(path)


def target_as_it_is(path, state, mesh):
    return ocp.StandardCheckpointer().restore(path, state)


def types_without_a_place(path, state, mesh):
    return ocp.StandardCheckpointer().restore(path, jax.eval_shape(lambda: state))


def a_copy_on_each_device(path, state, mesh):
    return ocp.StandardCheckpointer().restore(path, _target(state, NamedSharding(mesh, P())))


def on_the_first_device(path, state, mesh):
    place = jax.sharding.SingleDeviceSharding(mesh.devices.flat[0])
    return ocp.StandardCheckpointer().restore(path, _target(state, place))


def in_rows_throughout(path, state, mesh):
    restored = ocp.StandardCheckpointer().restore(path, _target(state, NamedSharding(mesh, P())))
    rows = NamedSharding(mesh, P("data"))
    return {
        name: jax.device_put(leaf, rows) if name == "rows" else leaf
        for name, leaf in restored.items()
    }


def not_restored(path, state, mesh):
    shardings = jax.tree.map(lambda leaf: NamedSharding(mesh, leaf.sharding.spec), state)
    return jax.device_put(state, shardings)


def restored_and_forgotten(path, state, mesh):
    by_leaves(path, state, mesh)


def leaves_alone(path, state, mesh):
    return jax.tree.leaves(by_leaves(path, state, mesh))


def shardings_as_the_target(path, state, mesh):
    shardings = jax.tree.map(lambda leaf: NamedSharding(mesh, leaf.sharding.spec), state)
    return ocp.StandardCheckpointer().restore(path, shardings)


def arrays_are_run(f, *args):
    if all(isinstance(arg, jax.Array) for arg in args):
        return len({str(piece.index) for piece in jax.jit(f)(*args).addressable_shards})
    sharding = jax.jit(f).lower(*args).compile().output_shardings
    shape = jax.eval_shape(f, *args).shape
    return math.prod(shape) // math.prod(sharding.shard_shape(shape))


def counted_by_numpy(f, *args):
    sharding = jax.jit(f).lower(*args).compile().output_shardings
    shape = np.array(jax.eval_shape(f, *args).shape, int)
    return np.prod(shape // np.array(sharding.shard_shape(tuple(shape)), int))


def in_float32(params, mesh):
    specs = {"in": jax.P(None, "model"), "out": jax.P("model")}
    return {
        name: jax.device_put(
            jnp.asarray(params[name], jnp.float32), jax.NamedSharding(mesh, specs[name])
        )
        for name in params
    }


def floats_as_float32(path, state, mesh):
    def on_mesh(leaf):
        dtype = jnp.float32 if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf.dtype
        return jax.ShapeDtypeStruct(
            leaf.shape, dtype, sharding=jax.NamedSharding(mesh, leaf.sharding.spec)
        )

    with ocp.StandardCheckpointer() as checkpointer:
        return checkpointer.restore(path, jax.tree.map(on_mesh, state))


def in_whole_numbers_or_float32(x, mesh):
    wide = x if jnp.issubdtype(x.dtype, jnp.integer) else x.astype("float32")
    return into_zeros(wide, mesh)


def mask_of_what_is_a_number(x, mesh):
    padded, mask = into_zeros(x, mesh)
    rows = padded.astype("float32").reshape(len(padded), -1)
    return padded, jax.device_put(mask & jnp.isfinite(rows).all(1), mask.sharding)


def nan_replaced(x, mesh):
    padded, mask = into_zeros(x, mesh)
    return jax.device_put(jnp.nan_to_num(padded), padded.sharding), mask


def first_and_last_axis(f, *args):
    compiled = jax.jit(f).lower(*args).compile()
    shape = jax.eval_shape(f, *args).shape
    if not shape:
        return 1
    piece = compiled.output_shardings.shard_shape(shape)
    pieces = shape[0] // piece[0]
    return pieces * (shape[-1] // piece[-1]) if len(shape) > 1 else pieces


def wider_than_ten(params, mesh):
    specs = {
        name: P(None, "model") if each.shape[1] > 10 else P("model")
        for name, each in params.items()
    }
    return {
        name: jax.device_put(each, NamedSharding(mesh, specs[name]))
        for name, each in params.items()
    }


def first_axis_of_each(path, state, mesh):
    def place(leaf):
        spec = (each[0] if isinstance(each, tuple) else each for each in leaf.sharding.spec)
        sharding = NamedSharding(mesh, P(*spec))
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding)

    with ocp.StandardCheckpointer() as checkpointer:
        return checkpointer.restore(path, jax.tree.map(place, state))


RIGHT = {
    "split_rows": [into_zeros, in_numpy, made_by_jit, spec_for_every_axis],
    "count_pieces": [places_told_apart, axis_by_axis, by_the_spec],
    "masked_step": [by_where, mean_where, weights_in_a_dot, mean_of_examples_gradients],
    "place_params": [one_by_one, with_the_mesh_set, by_out_shardings],
    "restore_on": [moved_after_restoring, by_leaves],
}
WRONG = {
    "split_rows": {
        "devices/split": [mask_of_one_device, copies, over_every_axis, over_the_first_axis],
        "value/shape": [
            constraint_without_padding,
            last_rows_dropped,
            to_all_devices,
            always_padded,
        ],
        "value/differs": [
            last_row_again,
            padded_above,
            mask_of_padding,
            mask_of_what_is_not_zero,
            mask_of_what_is_a_number,
            nan_replaced,
        ],
        "value/dtype": [mask_of_numbers, in_whole_numbers_or_float32],
        "value/structure": [padded_alone],
        "runs/raised": [not_padded, matrices_only],
    },
    "count_pieces": {
        "value/differs": [
            number_of_devices,
            pieces_of_the_argument,
            pieces_of_rows,
            length_of_the_spec,
            arrays_are_run,
            places_of_the_result,
            without_jit,
            first_and_last_axis,
        ],
        "value/dtype": [split_or_not, as_a_float],
        "runs/raised": [of_what_is_asked, shape_of_the_first_argument],
        "value/structure": [counted_by_numpy],
    },
    "masked_step": {
        "value/differs": [
            as_given,
            mask_forgotten,
            divided_by_all_rows,
            rows_set_to_zero,
            mean_of_eight_means,
            state_dropped,
            optimizer_begun_anew,
            updates_alone,
        ],
        "value/structure": [parameters_alone],
        "tracing/shape-from-tracer": [rows_taken_out],
        "devices/communication": [rows_chosen_by_number, in_order, rows_gathered],
        "devices/split": [results_split],
    },
    "place_params": {
        "devices/split": [
            left_as_they_are,
            a_copy_on_each,
            first_one_alone,
            second_one_alone,
            over_the_other_axis,
            over_both_axes,
            exchanged,
            axes_by_position,
            size_by_position,
        ],
        "devices/communication": [
            both_in_rows,
            both_in_columns,
            hidden_by_a_constraint,
            wider_than_ten,
            on_the_devices_in_rows,
        ],
        "value/shape": [parts_alone],
        "runs/raised": [without_a_mesh],
        "value/dtype": [in_float32],
    },
    "restore_on": {
        "devices/split": [
            as_it_was_saved,
            target_as_it_is,
            types_without_a_place,
            a_copy_on_each_device,
            on_the_first_device,
            in_rows_throughout,
            first_axis_of_each,
        ],
        "value/differs": [not_restored],
        "value/nothing": [restored_and_forgotten],
        "trees/mismatch": [moved_without_a_target],
        "value/structure": [leaves_alone],
        "runs/raised": [shardings_as_the_target],
        "arrays/not-moved": [as_numpy],
        "value/dtype": [floats_as_float32],
    },
}
