"""Right and wrong answers to the exercises of 12_nnx_objects."""

import copy
import functools
import shutil

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from flax import nnx

# Stack


class _Applied(nnx.Module):
    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.scale * x


def _linear(size, rngs):
    return nnx.Linear(size, size, rngs=rngs)


class MarkedData(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.data([_linear(size, rngs) for _ in range(depth)])
        self.scale = nnx.data(scale)


class ScaleAnArray(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List()
        for _ in range(depth):
            self.layers.append(_linear(size, rngs))
        self.scale = jnp.asarray(scale)


class ScaleAParam(_Applied):
    scale: nnx.Param

    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List(_linear(size, rngs) for _ in range(depth))
        self.scale = nnx.Param(jnp.array(scale))


class ByASequential(nnx.Module):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.Sequential(*(_linear(size, rngs) for _ in range(depth)))
        self.scale = jnp.array(scale, "float32")

    def __call__(self, x):
        return self.layers(x) * self.scale


class AsGiven(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = [_linear(size, rngs)] * depth
        self.scale = scale


class FilledLater(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = []
        for _ in range(depth):
            self.layers.append(_linear(size, rngs))
        self.scale = jnp.asarray(scale)


class InATuple(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = tuple(_linear(size, rngs) for _ in range(depth))
        self.scale = jnp.asarray(scale)


class MarkedStatic(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.static([_linear(size, rngs) for _ in range(depth)])
        self.scale = jnp.asarray(scale)


class OneLayer(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List([_linear(size, rngs)] * depth)
        self.scale = jnp.asarray(scale)


class ScaleStatic(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List([_linear(size, rngs) for _ in range(depth)])
        self.scale = scale


class OneSeed(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List([_linear(size, nnx.Rngs(0)) for _ in range(depth)])
        self.scale = jnp.asarray(scale)


class RngsIgnored(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List([_linear(size, nnx.Rngs(n)) for n in range(depth)])
        self.scale = jnp.asarray(scale)


class AlwaysThree(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List([_linear(size, rngs) for _ in range(3)])
        self.scale = jnp.asarray(scale)


class Bent(nnx.Module):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List([_linear(size, rngs) for _ in range(depth)])
        self.scale = jnp.asarray(scale)

    def __call__(self, x):
        for layer in self.layers:
            x = jax.nn.relu(layer(x))
        return self.scale * x


class LastLayerApart(nnx.Module):
    def __init__(self, size, depth, scale, rngs):
        self.start = _linear(size, rngs)
        self.later = nnx.List([_linear(size, rngs) for _ in range(depth - 1)])
        self.scale = jnp.asarray(scale)

    def __call__(self, x):
        x = self.start(x)
        for layer in self.later:
            x = layer(x)
        return self.scale * x


class LayersInOneObject(nnx.Module):
    def __init__(self, size, depth, scale, rngs):
        @nnx.split_rngs(splits=depth)
        @nnx.vmap(in_axes=(nnx.StateAxes({nnx.RngState: 0, ...: None}),))
        def make(rngs):
            return _linear(size, rngs)

        self.layers, self.scale = make(rngs), jnp.asarray(scale)

    def __call__(self, x):
        graphdef, state = nnx.split(self.layers)
        y, _ = jax.lax.scan(lambda x, state: (nnx.merge(graphdef, state)(x), None), x, state)
        return self.scale * y


class ByNames(nnx.Module):
    def __init__(self, size, depth, scale, rngs):
        self.depth = depth
        for n in range(depth):
            setattr(self, f"layer{n}", _linear(size, rngs))
        self.scale = jnp.asarray(scale)

    def __call__(self, x):
        for n in range(self.depth):
            x = getattr(self, f"layer{n}")(x)
        return self.scale * x


class NoScale(nnx.Module):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List([_linear(size, rngs) for _ in range(depth)])

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class ScaleOfTheFirstCheck(_Applied):
    scale = 3.0

    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List([_linear(size, rngs) for _ in range(depth)])


class _Box:
    def __init__(self, held):
        self.held = held


class HiddenInABox(nnx.Module):
    def __init__(self, size, depth, scale, rngs):
        self.layers = _Box([_linear(size, rngs) for _ in range(depth)])
        self.scale = jnp.asarray(scale)

    def __call__(self, x):
        for layer in self.layers.held:
            x = layer(x)
        return self.scale * x


class _Marked(nnx.Module):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List([_linear(size, rngs) for _ in range(depth)])
        self.scale = nnx.data(scale)


class ScaleOfFewDigits(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List([_linear(size, rngs) for _ in range(depth)])
        self.scale = jnp.asarray(scale, jnp.bfloat16)


class ScaledFirst(_Marked):
    def __call__(self, x):
        x = self.scale * x
        for layer in self.layers:
            x = layer(x)
        return x


class LastBiasUnscaled(_Marked):
    def __call__(self, x):
        *first, last = self.layers
        for layer in first:
            x = layer(x)
        return self.scale * (x @ last.kernel[...]) + last.bias[...]


class CountsItsCalls(_Marked):
    calls = 0

    def __call__(self, x):
        self.calls += 1
        for layer in self.layers:
            x = layer(x)
        return self.scale * x


class ClonesOfOne(_Applied):
    def __init__(self, size, depth, scale, rngs):
        first = _linear(size, rngs)
        self.layers = nnx.List([nnx.clone(first) for _ in range(depth)])
        self.scale = nnx.data(scale)


class Stopped(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List(_linear(size, rngs) for _ in range(depth))
        self.scale = jnp.asarray(scale)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(jax.lax.stop_gradient(x))
        return self.scale * x


class Limited(_Applied):
    def __init__(self, size, depth, scale, rngs):
        self.layers = nnx.List(_linear(size, rngs) for _ in range(depth))
        self.scale = jnp.asarray(scale)

    def __call__(self, x):
        for layer in self.layers:
            x = jnp.clip(layer(x), -100, 100)
        return self.scale * x


# loss_after


def by_copied_variables(model, step, loss):
    kept = jax.tree.map(lambda leaf: leaf, nnx.state(model, nnx.Param))
    step(model)
    result = loss(model)
    nnx.update(model, kept)
    return result


def on_a_clone(model, step, loss):
    trial = nnx.clone(model)
    step(trial)
    result = loss(trial)
    nnx.update(model, nnx.state(trial, nnx.Not(nnx.Param)))
    return result


def by_a_split(model, step, loss):
    _, params, _ = nnx.split(model, nnx.Param, ...)
    kept = copy.deepcopy(params)
    step(model)
    result = loss(model)
    nnx.update(model, kept)
    return result


def by_a_list_of_pairs(model, step, loss):
    params = [each for _, each in nnx.to_flat_state(nnx.state(model, nnx.Param))]
    values = [each[...] for each in params]
    step(model)
    result = loss(model)
    for each, value in zip(params, values, strict=True):
        each[...] = value
    return result


def loss_after_as_given(model, step, loss):
    kept = nnx.state(model)
    step(model)
    result = loss(model)
    nnx.update(model, kept)
    return result


def params_by_reference(model, step, loss):
    kept = nnx.state(model, nnx.Param)
    step(model)
    result = loss(model)
    nnx.update(model, kept)
    return result


def all_put_back(model, step, loss):
    kept = nnx.to_pure_dict(nnx.state(model))
    step(model)
    result = loss(model)
    nnx.update(model, kept)
    return result


def put_back_at_last(model, step, loss):
    _, params, _ = nnx.split(model, nnx.Param, ...)
    kept = nnx.to_pure_dict(params)
    try:
        step(model)
        return loss(model)
    finally:
        nnx.update(model, kept)


def clone_thrown_away(model, step, loss):
    trial = nnx.clone(model)
    step(trial)
    return loss(trial)


def nothing_put_back(model, step, loss):
    step(model)
    return loss(model)


def put_back_too_early(model, step, loss):
    kept = nnx.to_pure_dict(nnx.state(model, nnx.Param))
    step(model)
    nnx.update(model, kept)
    return loss(model)


def kept_too_late(model, step, loss):
    step(model)
    kept = nnx.to_pure_dict(nnx.state(model, nnx.Param))
    result = loss(model)
    nnx.update(model, kept)
    return result


def loss_forgotten(model, step, loss):
    kept = nnx.to_pure_dict(nnx.state(model, nnx.Param))
    step(model)
    nnx.update(model, kept)


def nothing_run(model, step, loss):
    return loss(model)


def new_variables(model, step, loss):
    kept = nnx.clone(model)
    step(model)
    result = loss(model)
    model.middle.w, model.head.w, model.encode.w = kept.middle.w, kept.head.w, kept.encode.w
    return result


def without_random_state(model, step, loss):
    kept = nnx.to_pure_dict(nnx.state(model, nnx.Not(nnx.RngState)))
    step(model)
    result = loss(model)
    nnx.update(model, kept)
    return result


def by_name(model, step, loss):
    parts = model.encode, model.middle, model.head
    kept = [part.w[...] for part in parts]
    step(model)
    result = loss(model)
    for part, value in zip(parts, kept, strict=True):
        part.w[...] = value
    return result


def of_one_class(model, step, loss):
    found = [each for _, each in nnx.to_flat_state(nnx.state(model, nnx.Param))]
    kept = [(each, each[...]) for each in found if type(each) is nnx.Param]
    step(model)
    result = loss(model)
    for each, value in kept:
        each[...] = value
    return result


def plain_arrays_put_back(model, step, loss):
    def is_plain(_, value):
        return not isinstance(value, nnx.Variable)

    kept = nnx.to_pure_dict(nnx.state(model, nnx.Any(nnx.Param, is_plain)))
    step(model)
    result = loss(model)
    nnx.update(model, kept)
    return result


def by_the_difference(model, step, loss):
    before = nnx.to_pure_dict(nnx.state(model, nnx.Param))
    step(model)
    result = loss(model)
    after = nnx.to_pure_dict(nnx.state(model, nnx.Param))
    change = jax.tree.map(jnp.subtract, after, before)
    nnx.update(model, jax.tree.map(jnp.subtract, after, change))
    return result


def kept_in_half_precision(model, step, loss):
    kept = nnx.to_pure_dict(nnx.state(model, nnx.Param))
    kept = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16).astype(leaf.dtype), kept)
    step(model)
    result = loss(model)
    nnx.update(model, kept)
    return result


def the_larger_loss(model, step, loss):
    kept = nnx.to_pure_dict(nnx.state(model, nnx.Param))
    before = loss(nnx.clone(model))
    step(model)
    result = jnp.maximum(loss(model), before)
    nnx.update(model, kept)
    return result


def loss_of_python(model, step, loss):
    kept = nnx.to_pure_dict(nnx.state(model, nnx.Param))
    step(model)
    result = float(loss(model))
    nnx.update(model, kept)
    return result


def put_back_in_any_case(model, step, loss):
    places = [part for _, part in nnx.iter_graph(model) if isinstance(part, nnx.Param)]
    kept = [part[...] for part in places]
    try:
        step(model)
        return loss(model)
    finally:
        for part, value in zip(places, kept, strict=True):
            part[...] = value


def _with_these_put_back(*kinds):
    def loss_after(model, step, loss):
        kept = nnx.to_pure_dict(nnx.state(model, (nnx.Param, *kinds)))
        step(model)
        result = loss(model)
        nnx.update(model, kept)
        return result

    return loss_after


statistics_put_back = _with_these_put_back(nnx.BatchStat)
cache_put_back = _with_these_put_back(nnx.Cache)
intermediates_put_back = _with_these_put_back(nnx.Intermediate)


# run


@jax.jit
def _merged(graphdef, state, x):
    model = nnx.merge(graphdef, state)
    return model(x), nnx.state(model)


@jax.jit(static_argnums=0)
def _by_a_static_graphdef(graphdef, state, x):
    model = nnx.merge(graphdef, state)
    y = model(x)
    return y, nnx.split(model)[1]


def by_a_static_graphdef(model, x):
    y, state = _by_a_static_graphdef(*nnx.split(model), x)
    nnx.update(model, state)
    return y


_call = nnx.jit(lambda model, x: model(x))


def by_nnx(model, x):
    return _call(model, x)


def by_nnx_anew(model, x):
    return nnx.jit(type(model).__call__)(model, x)


@functools.cache
def _compiled_call(kind):
    return nnx.jit(kind.__call__)


def by_nnx_of_each_class(model, x):
    return _compiled_call(type(model))(model, x)


_call_and_keep = nnx.jit(lambda model, x: model(x), graph_updates=False)


def by_nnx_without_updates(model, x):
    return _call_and_keep(model, x)


@functools.cache
def _compiled_for(graphdef):
    @jax.jit
    def called(state, x):
        model = nnx.merge(graphdef, state)
        return model(x), nnx.state(model)

    return called


def by_one_function_a_graphdef(model, x):
    graphdef, state = nnx.split(model)
    outcome, state = _compiled_for(graphdef)(state, x)
    nnx.update(model, state)
    return outcome


@jax.jit
def _as_dict(graphdef, state, x):
    model = nnx.merge(graphdef, state)
    return {"y": model(x), "changed": nnx.to_pure_dict(nnx.state(model))}


def by_pure_dict(model, x):
    graphdef, state = nnx.split(model)
    result = _as_dict(graphdef, nnx.to_pure_dict(state), x)
    nnx.update(model, result["changed"])
    return result["y"]


_donated = jax.jit(_merged.__wrapped__, donate_argnums=1)


def by_donation(model, x):
    y, state = _donated(*nnx.split(model), x)
    nnx.update(model, state)
    return y


@jax.jit
def _of_the_leaves(graphdef, leaves, x):
    model = nnx.merge(graphdef, leaves)
    return model(x), jax.tree.leaves(nnx.state(model))


def by_variables(model, x):
    graphdef, state = nnx.split(model)
    y, leaves = _of_the_leaves(graphdef, nnx.to_pure_dict(state), x)
    structure = jax.tree.structure(nnx.state(model))
    nnx.update(model, jax.tree.unflatten(structure, leaves))
    return y


@jax.jit
def _tied_again(pair, x):
    model = nnx.merge(*pair)
    outcome = model(x)
    return outcome, nnx.split(model)


def by_a_pair(model, x):
    outcome, (_, state) = _tied_again(nnx.split(model), x)
    nnx.update(model, state)
    return outcome


@jax.jit
def _whole(model, x):
    return model(x), model


def passed_as_a_module(model, x):
    y, changed = _whole(model, x)
    nnx.update(model, nnx.state(changed))
    return y


@jax.jit
def _with_its_state(model, x):
    y = model(x)
    return y, nnx.state(model)


def passed_and_its_state_returned(model, x):
    y, state = _with_its_state(model, x)
    nnx.update(model, state)
    return y


_in_tree_mode = nnx.jit(lambda model, x: model(x), graph=False)


def by_nnx_in_tree_mode(model, x):
    return _in_tree_mode(model, x)


def module_jitted(model, x):
    return jax.jit(model)(x)


def nnx_module_jitted(model, x):
    return nnx.jit(model)(x)


def changes_dropped(model, x):
    return _merged(*nnx.split(model), x)[0]


def counts_forgotten(model, x):
    y, state = _merged(*nnx.split(model), x)
    nnx.update(model, nnx.split_state(state, nnx.Param, ...)[0])
    return y


def random_state_forgotten(model, x):
    y, state = _merged(*nnx.split(model), x)
    nnx.update(model, nnx.split_state(state, nnx.RngState, ...)[1])
    return y


def parameters_forgotten(model, x):
    y, state = _merged(*nnx.split(model), x)
    nnx.update(model, nnx.split_state(state, nnx.Param, ...)[1])
    return y


def rebound(model, x):
    graphdef, state = nnx.split(model)
    y, state = _merged(graphdef, state, x)
    model = nnx.merge(graphdef, state)
    return y


def updated_with_the_old(model, x):
    graphdef, state = nnx.split(model)
    y, _ = _merged(graphdef, state, x)
    nnx.update(model, state)
    return y


def pair_returned(model, x):
    y, state = _merged(*nnx.split(model), x)
    nnx.update(model, state)
    return y, state


def never_jitted(model, x):
    return model(x)


def called_twice(model, x):
    model(x)
    return changes_dropped(model, x)


def jitted_each_time(model, x):
    graphdef, state = nnx.split(model)

    @jax.jit
    def call(state, x):
        model = nnx.merge(graphdef, state)
        return model(x), nnx.state(model)

    y, state = call(state, x)
    nnx.update(model, state)
    return y


_first = []


def of_the_first_model(model, x):
    if not _first:
        _first.append(nnx.to_pure_dict(nnx.state(model)))
    graphdef, _ = nnx.split(model)
    y, state = _merged(graphdef, _first[0], x)
    nnx.update(model, state)
    return y


_BY_CLASS = {}


def by_one_function_a_class(model, x):
    graphdef, state = nnx.split(model)
    called = _BY_CLASS.setdefault(type(model), jax.jit(functools.partial(_called_as, graphdef)))
    outcome, state = called(state, x)
    nnx.update(model, state)
    return outcome


def _called_as(graphdef, state, x):
    model = nnx.merge(graphdef, state)
    return model(x), nnx.state(model)


def array_of_numpy(model, x):
    return np.asarray(by_one_function_a_graphdef(model, x))


# with_head


def by_deepcopy(model, head):
    result = copy.deepcopy(model)
    result.head = head
    return result


def by_pure_values(model, head):
    graphdef, state = nnx.split(model)
    result = nnx.merge(graphdef, nnx.to_pure_dict(state))
    result.head = nnx.clone(head)
    return result


def by_merging_copies(model, head):
    result = nnx.merge(*nnx.split(model), copy=True)
    result.head = head
    return result


def by_swapping(model, head):
    old, model.head = model.head, head
    result = nnx.clone(model)
    model.head = old
    return result


def in_place(model, head):
    model.head = head
    return model


def in_place_and_nothing(model, head):
    model.head = head


def shallow(model, head):
    result = copy.copy(model)
    result.head = head
    return result


def merged_again(model, head):
    result = nnx.merge(*nnx.split(model))
    result.head = head
    return result


def mapped(model, head):
    result = jax.tree.map(lambda leaf: leaf, model)
    result.head = head
    return result


def numbers_of_the_head(model, head):
    result = nnx.clone(model)
    nnx.update(result.head, nnx.state(head))
    return result


def head_forgotten(model, head):
    return nnx.clone(model)


def made_anew(model, head):
    result = type(model)(17)
    result.head = head
    return result


def parameters_of_the_body_only(model, head):
    result = type(model)()
    nnx.update(result, nnx.to_pure_dict(nnx.state(model, nnx.Param)))
    result.head = head
    return result


def only_the_state(model, head):
    result = nnx.clone(model)
    result.head = head
    return nnx.state(result)


def head_mixed_up(model, head):
    result = nnx.clone(model)
    result.decode = head
    return result


def clone_after(model, head):
    model.head = head
    return nnx.clone(model)


def one_layer_shared(model, head):
    result = nnx.clone(model)
    result.middle, result.head = model.middle, head
    return result


def rngs_shared(model, head):
    result = nnx.clone(model)
    result.head = head
    if hasattr(model, "rngs"):
        result.rngs = model.rngs
    return result


def tied_by_name(model, head):
    result = jax.tree.map(lambda leaf: leaf, model)
    result.decode, result.head = result.encode, head
    return result


def trained_again(model, head):
    result = nnx.clone(model)
    result.train()
    result.head = head
    return result


def random_state_begun_anew(model, head):
    result = nnx.clone(model)
    for path, variable in nnx.to_flat_state(nnx.state(result, nnx.RngKey)):
        variable[...] = jax.random.key(len(path))
    result.head = head
    return result


def each_head_replaced(model, head):
    result = nnx.clone(model)
    for _, part in list(nnx.iter_modules(result)):
        if hasattr(part, "head"):
            part.head = head
    return result


def in_evaluation(model, head):
    result = nnx.clone(model)
    result.head = head
    result.eval()
    return result


def head_of_the_model_cloned(model, head):
    result = nnx.clone(model)
    result.head = head
    model.head = nnx.clone(model.head)
    return result


def made_anew_and_updated(model, head):
    result = type(model)()
    nnx.update(result, nnx.state(nnx.clone(model)))
    result.head = head
    return result


def body_in_half_precision(model, head):
    result = nnx.clone(model)
    for _, weights in nnx.to_flat_state(nnx.state(result, nnx.Param)):
        weights[...] = weights[...].astype("bfloat16").astype("float32")
    result.head = head
    return result


# resume


def by_update(folder, create):
    manager = ocp.CheckpointManager(folder)
    if not manager.all_steps():
        return create(), 0
    blueprint = nnx.eval_shape(create)
    args = ocp.args.StandardRestore(nnx.state(blueprint))
    nnx.update(blueprint, manager.restore(manager.latest_step(), args=args))
    return blueprint, manager.latest_step() + 1


def by_jax(folder, create):
    with ocp.CheckpointManager(folder) as manager:
        if manager.latest_step() is None:
            return create(), 0
        graphdef, shapes = nnx.split(jax.eval_shape(create))
        state = manager.restore(None, args=ocp.args.StandardRestore(shapes))
        return nnx.merge(graphdef, nnx.to_pure_dict(state)), manager.latest_step() + 1


def by_the_newest(folder, create):
    model = nnx.eval_shape(create)
    with ocp.CheckpointManager(str(folder)) as manager:
        steps = manager.all_steps()
        if not steps:
            return create(), 0
        target = ocp.args.StandardRestore(nnx.state(model))
        nnx.update(model, manager.restore(None, args=target))
    return model, steps[-1] + 1


def by_the_folders(folder, create):
    steps = [int(each.name) for each in folder.iterdir()]
    if not steps:
        return create(), 0
    graphdef, shapes = nnx.split(nnx.eval_shape(lambda: create()))
    with ocp.StandardCheckpointer() as checkpointer:
        state = checkpointer.restore(folder / str(max(steps)) / "default", target=shapes)
    return nnx.merge(graphdef, state), max(steps) + 1


def without_a_target(folder, create):
    with ocp.CheckpointManager(folder) as manager:
        if (step := manager.latest_step()) is None:
            return create(), 0
        state = manager.restore(step)
    model = nnx.eval_shape(create)
    values = jax.tree.leaves(state)
    graphdef, shapes = nnx.split(model)
    return nnx.merge(graphdef, jax.tree.unflatten(jax.tree.structure(shapes), values)), step + 1


def _restored(folder, state, step=None):
    with ocp.CheckpointManager(folder) as manager:
        return manager.restore(step, args=ocp.args.StandardRestore(state))


def _newest(folder):
    with ocp.CheckpointManager(folder) as manager:
        return manager.latest_step()


def _go_on(make):
    """Return an answer that begins as it should, and goes on by `make`, for the newest step."""

    @functools.wraps(make)
    def answer(folder, create):
        step = _newest(folder)
        return (create(), 0) if step is None else (make(folder, create), step + 1)

    return answer


def _right(folder, create):
    graphdef, shapes = nnx.split(nnx.eval_shape(create))
    return nnx.merge(graphdef, _restored(folder, shapes))


@_go_on
def drawn_first(folder, create):
    graphdef, state = nnx.split(create())
    return nnx.merge(graphdef, _restored(folder, state))


@_go_on
def drawn_and_updated(folder, create):
    model = create()
    nnx.update(model, _restored(folder, nnx.state(nnx.eval_shape(create))))
    return model


@_go_on
def never_restored(folder, create):
    return create()


@_go_on
def shapes_alone(folder, create):
    return nnx.eval_shape(create)


@_go_on
def state_alone(folder, create):
    return _restored(folder, nnx.state(nnx.eval_shape(create)))


@_go_on
def parameters_only(folder, create):
    return _restored(folder, nnx.state(nnx.eval_shape(create), nnx.Param))


@_go_on
def a_plain_dictionary(folder, create):
    with ocp.CheckpointManager(folder) as manager:
        return manager.restore(None)


@_go_on
def random_state_anew(folder, create):
    model = _right(folder, create)
    nnx.update(model, nnx.state(create(), nnx.RngState))
    return model


@_go_on
def restored_in_vain(folder, create):
    model = nnx.eval_shape(create)
    _restored(folder, nnx.state(model))
    return nnx.clone(model)


@_go_on
def drawn_under_jit(folder, create):
    model = nnx.jit(create)()
    nnx.update(model, _restored(folder, nnx.state(model)))
    return model


@_go_on
def drawn_by_jax(folder, create):
    state = jax.jit(lambda: nnx.state(create()))()
    model = nnx.eval_shape(create)
    nnx.update(model, _restored(folder, state))
    return model


@_go_on
def one_part_drawn(folder, create):
    jax.jit(lambda: create().head.w[...])()
    return _right(folder, create)


@_go_on
def in_training_again(folder, create):
    model = _right(folder, create)
    model.train()
    return model


@_go_on
def in_evaluation_again(folder, create):
    model = _right(folder, create)
    model.eval()
    return model


@_go_on
def in_half_precision(folder, create):
    model = _right(folder, create)
    for _, param in nnx.to_flat_state(nnx.state(model, nnx.Param)):
        param[...] = param[...].astype(jnp.bfloat16).astype(jnp.float32)
    return model


@_go_on
def drawn_from(folder, create):
    model = _right(folder, create)
    for _, part in nnx.iter_graph(model):
        if isinstance(part, nnx.Rngs):
            part()
    return model


@_go_on
@functools.cache
def one_for_each_folder(folder, create):
    return _right(folder, create)


restored_states = {}


@_go_on
def one_state_for_each_folder(folder, create):
    graphdef, shapes = nnx.split(nnx.eval_shape(create))
    if folder not in restored_states:
        restored_states[folder] = _restored(folder, shapes)
    return nnx.merge(graphdef, restored_states[folder])


@_go_on
def checkpoint_deleted(folder, create):
    model = _right(folder, create)
    shutil.rmtree(folder)
    return model


@_go_on
def a_file_left(folder, create):
    model = _right(folder, create)
    (folder / "resumed").touch()
    return model


def saved_once_more(folder, create):
    step = _newest(folder)
    model = create() if step is None else _right(folder, create)
    step = 0 if step is None else step + 1
    with ocp.CheckpointManager(folder) as manager:
        manager.save(step, args=ocp.args.StandardSave(nnx.state(model)))
    return model, step


def saved_at_the_start(folder, create):
    step = _newest(folder)
    if step is not None:
        return _right(folder, create), step + 1
    model = create()
    with ocp.CheckpointManager(folder) as manager:
        manager.save(0, args=ocp.args.StandardSave(nnx.state(model)))
    return model, 0


def older_steps_deleted(folder, create):
    step = _newest(folder)
    if step is None:
        return create(), 0
    model = _right(folder, create)
    for each in folder.iterdir():
        if each.name != str(step):
            shutil.rmtree(each)
    return model, step + 1


def newest_by_name(folder, create):
    names = sorted(each.name for each in folder.iterdir())
    if not names:
        return create(), 0
    graphdef, shapes = nnx.split(nnx.eval_shape(create))
    return nnx.merge(graphdef, _restored(folder, shapes, int(names[-1]))), int(names[-1]) + 1


def oldest(folder, create):
    with ocp.CheckpointManager(folder) as manager:
        steps = manager.all_steps()
    if not steps:
        return create(), 0
    graphdef, shapes = nnx.split(nnx.eval_shape(create))
    return nnx.merge(graphdef, _restored(folder, shapes, min(steps))), max(steps) + 1


def the_first_step_is_none(folder, create):
    step = _newest(folder)
    return (_right(folder, create), step + 1) if step else (create(), 0)


def the_same_step_again(folder, create):
    step = _newest(folder)
    return (create(), 0) if step is None else (_right(folder, create), step)


def as_many_as_were_saved(folder, create):
    with ocp.CheckpointManager(folder) as manager:
        count = len(manager.all_steps())
    return (_right(folder, create), count) if count else (create(), 0)


def no_empty_folder(folder, create):
    return _right(folder, create), _newest(folder) + 1


def shapes_in_an_empty_folder(folder, create):
    step = _newest(folder)
    if step is None:
        return nnx.eval_shape(create), 0
    return _right(folder, create), step + 1


def one_in_an_empty_folder(folder, create):
    step = _newest(folder)
    return (create(), 1) if step is None else (_right(folder, create), step + 1)


def nothing_in_an_empty_folder(folder, create):
    step = _newest(folder)
    return None if step is None else (_right(folder, create), step + 1)


def the_step_forgotten(folder, create):
    return create() if _newest(folder) is None else _right(folder, create)


def the_other_way_round(folder, create):
    step = _newest(folder)
    return (0, create()) if step is None else (step + 1, _right(folder, create))


RIGHT = {
    "Stack": [
        MarkedData,
        ScaleAnArray,
        ScaleAParam,
        ByASequential,
        ByNames,
        LastLayerApart,
        LayersInOneObject,
    ],
    "loss_after": [
        by_copied_variables,
        by_a_split,
        by_a_list_of_pairs,
        put_back_at_last,
        put_back_in_any_case,
    ],
    "run": [
        by_a_static_graphdef,
        by_nnx,
        by_nnx_of_each_class,
        by_nnx_without_updates,
        by_one_function_a_graphdef,
        by_pure_dict,
        by_donation,
        by_variables,
        by_a_pair,
    ],
    "with_head": [by_deepcopy, by_pure_values, by_merging_copies, by_swapping],
    "resume": [by_update, by_jax, by_the_newest, by_the_folders, without_a_target],
}
WRONG = {
    "Stack": {
        "nnx/data-in-static": [AsGiven, FilledLater, InATuple, MarkedStatic],
        "nnx/shared": [OneLayer],
        "tracing/new-structure": [ScaleStatic, CountsItsCalls],
        "keys/reused": [OneSeed],
        "keys/ignored": [RngsIgnored],
        "value/differs": [
            NoScale,
            ScaleOfTheFirstCheck,
            Bent,
            ScaledFirst,
            ScaleOfFewDigits,
            LastBiasUnscaled,
            ClonesOfOne,
            Limited,
        ],
        "derivatives/wrong": [Stopped],
        "value/structure": [HiddenInABox, AlwaysThree],
    },
    "loss_after": {
        "nnx/changed": [
            loss_after_as_given,
            params_by_reference,
            nothing_put_back,
            kept_too_late,
            of_one_class,
            by_the_difference,
            kept_in_half_precision,
            new_variables,
        ],
        "nnx/undone": [
            all_put_back,
            without_random_state,
            plain_arrays_put_back,
            statistics_put_back,
            cache_put_back,
            intermediates_put_back,
        ],
        "nnx/other-object": [clone_thrown_away, on_a_clone],
        "runs/raised": [by_name],
        "value/differs": [put_back_too_early, nothing_run, the_larger_loss],
        "value/nothing": [loss_forgotten],
        "value/dtype": [loss_of_python],
    },
    "run": {
        "nnx/untied": [passed_as_a_module, passed_and_its_state_returned],
        "runs/raised": [by_nnx_in_tree_mode],
        "nnx/trace-level": [module_jitted, nnx_module_jitted],
        "nnx/lost-change": [
            changes_dropped,
            counts_forgotten,
            random_state_forgotten,
            rebound,
            parameters_forgotten,
            updated_with_the_old,
        ],
        "value/structure": [pair_returned, array_of_numpy],
        "tracing/not-jitted": [never_jitted],
        "value/differs": [called_twice],
        "effects/write": [of_the_first_model],
        "tracing/new-function": [by_nnx_anew, jitted_each_time],
    },
    "with_head": {
        "nnx/shared": [in_place, shallow, merged_again, one_layer_shared, rngs_shared],
        "value/nothing": [in_place_and_nothing],
        "nnx/untied": [mapped],
        "runs/raised": [tied_by_name],
        "value/structure": [
            numbers_of_the_head,
            head_forgotten,
            only_the_state,
            head_mixed_up,
            trained_again,
            each_head_replaced,
            in_evaluation,
            made_anew,
            made_anew_and_updated,
            parameters_of_the_body_only,
        ],
        "value/differs": [random_state_begun_anew, body_in_half_precision],
        "nnx/structure-changed": [clone_after],
        "nnx/changed": [head_of_the_model_cloned],
    },
    "resume": {
        "nnx/weights-computed": [
            drawn_first,
            drawn_and_updated,
            drawn_under_jit,
            drawn_by_jax,
            one_part_drawn,
        ],
        "value/differs": [
            never_restored,
            random_state_anew,
            in_half_precision,
            drawn_from,
            newest_by_name,
            oldest,
            the_first_step_is_none,
            the_same_step_again,
            as_many_as_were_saved,
            one_in_an_empty_folder,
        ],
        "nnx/shared": [one_for_each_folder, one_state_for_each_folder],
        "effects/write": [
            checkpoint_deleted,
            a_file_left,
            saved_once_more,
            saved_at_the_start,
            older_steps_deleted,
        ],
        "value/not-computed": [shapes_alone, restored_in_vain, shapes_in_an_empty_folder],
        "value/nothing": [nothing_in_an_empty_folder],
        "value/structure": [
            state_alone,
            a_plain_dictionary,
            in_training_again,
            in_evaluation_again,
            the_step_forgotten,
            the_other_way_round,
        ],
        "runs/raised": [parameters_only, no_empty_folder],
    },
}
