"""Right and wrong answers to the exercises of 08_pytrees."""

import copy
import itertools
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.tree_util import DictKey, keystr, register_dataclass, register_pytree_node_class

from traced.lessons.pytrees.solutions.predict_all import predict
from traced.lessons.pytrees.solutions.train_step import adam, loss

# combine


def _is_none(leaf):
    return leaf is None


def by_flattening(left, right):
    holes, structure = jax.tree.flatten(left, is_leaf=_is_none)
    fills = jax.tree.leaves(right, is_leaf=_is_none)
    leaves = [b if a is None else a for a, b in zip(holes, fills, strict=True)]
    return jax.tree.unflatten(structure, leaves)


def by_recursion(left, right):
    if left is None or right is None:
        return right if left is None else left
    if isinstance(left, dict):
        return {key: by_recursion(left[key], right[key]) for key in left}
    if isinstance(left, (list, tuple)):
        return type(left)(map(by_recursion, left, right))
    return left


def holes_not_leaves(left, right):
    return jax.tree.map(lambda a, b: b if a is None else a, left, right)


def by_or(left, right):
    return jax.tree.map(lambda a, b: a or b, left, right, is_leaf=_is_none)


def left_only(left, right):
    return jax.tree.map(lambda a, b: a, left, right, is_leaf=_is_none)


def holes_zero(left, right):
    def filled(leaf):
        return 0.0 if leaf is None else leaf

    def add(a, b):
        return filled(a) + filled(b)

    return jax.tree.map(add, left, right, is_leaf=_is_none)


def leaves_in_a_list(left, right):
    return jax.tree.leaves(left) + jax.tree.leaves(right)


def by_the_order_of_filling(left, right):
    if isinstance(left, dict):
        pairs = zip(left, left.values(), right.values(), strict=True)
        return {key: by_the_order_of_filling(a, b) for key, a, b in pairs}
    if isinstance(left, (list, tuple)):
        return type(left)(map(by_the_order_of_filling, left, right))
    return right if left is None else left


def by_truth(left, right):
    def pick(a, b):
        return a if isinstance(a, jax.Array) or a else b

    return jax.tree.map(pick, left, right, is_leaf=_is_none)


def by_the_last_key(left, right):
    have = {path[-1:]: leaf for path, leaf in jax.tree.leaves_with_path(right)}

    def pick(path, leaf):
        return have.get(path[-1:]) if leaf is None else leaf

    return jax.tree.map_with_path(pick, left, is_leaf=_is_none)


def by_the_joined_keys(left, right):
    have = {keystr(path, simple=True): leaf for path, leaf in jax.tree.leaves_with_path(right)}

    def pick(path, leaf):
        return have.get(keystr(path, simple=True)) if leaf is None else leaf

    return jax.tree.map_with_path(pick, left, is_leaf=_is_none)


def holes_left_out(left, right):
    if isinstance(left, dict):
        return {key: holes_left_out(left[key], right[key]) for key in left}
    if isinstance(left, (list, tuple)):
        pairs = zip(left, right, strict=True)
        filled = [holes_left_out(a, b) for a, b in pairs if not (a is None and b is None)]
        return type(left)(filled)
    return right if left is None else left


def empty_is_a_hole(left, right):
    if isinstance(left, (dict, list, tuple)) and not left:
        return None
    if isinstance(left, dict):
        return {key: empty_is_a_hole(left[key], right[key]) for key in left}
    if isinstance(left, (list, tuple)):
        return type(left)(map(empty_is_a_hole, left, right))
    return right if left is None else left


def single_entries_taken_out(left, right):
    if isinstance(left, dict):
        return {key: single_entries_taken_out(left[key], right[key]) for key in left}
    if isinstance(left, (list, tuple)):
        filled = type(left)(map(single_entries_taken_out, left, right))
        return filled[0] if len(filled) == 1 else filled
    return right if left is None else left


def leaves_made_arrays(left, right):
    def pick(a, b):
        leaf = b if a is None else a
        return None if leaf is None else jnp.asarray(leaf)

    return jax.tree.map(pick, left, right, is_leaf=_is_none)


def leaves_made_texts(left, right):
    def pick(a, b):
        leaf = b if a is None else a
        return f"{leaf}!" if isinstance(leaf, str) else leaf

    return jax.tree.map(pick, left, right, is_leaf=_is_none)


def by_path(left, right):
    have = dict(jax.tree.leaves_with_path(left)) | dict(jax.tree.leaves_with_path(right))
    return jax.tree.map_with_path(lambda path, _: have.get(path), left, is_leaf=_is_none)


remembered_halves = {}


def half_remembered(left, right):
    key = str(jax.tree.map(jnp.shape, left))
    return remembered_halves.setdefault(key, by_flattening(left, right))


def no_entries_are_a_hole(left, right):
    def pick(a, b):
        return a if a is not None and np.size(a) else b

    return jax.tree.map(pick, left, right, is_leaf=lambda x: x is None)


def _as(change):
    def combine(left, right):
        def pick(one, other):
            leaf = other if one is None else one
            return leaf if leaf is None else change(leaf)

        return jax.tree.map(pick, left, right, is_leaf=lambda x: x is None)

    return combine


leaves_copied = _as(copy.deepcopy)
arrays_copied = _as(lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf)
jax_arrays_copied = _as(lambda leaf: jnp.array(leaf) if isinstance(leaf, jax.Array) else leaf)
combined_in_numpy = _as(
    lambda leaf: np.asarray(leaf) if getattr(leaf, "dtype", None) == jnp.float32 else leaf
)
scalars_of_python = _as(lambda leaf: leaf.item() if isinstance(leaf, np.float32) else leaf)


# decay


def by_the_last_key_before_an_index(params, rate):
    def shrink(path, leaf):
        keys = [step.key for step in path if isinstance(step, DictKey)]
        return leaf * (1 - rate) if keys[-1:] == ["kernel"] else leaf

    return jax.tree.map_with_path(shrink, params)


def by_the_last_part_of_the_name(params, rate):
    def shrink(path, leaf):
        name = keystr(path, simple=True, separator="/").rpartition("/")[2]
        return (1 - rate) * leaf if name == "kernel" else leaf

    return jax.tree.map_with_path(shrink, params)


def by_the_text_of_the_last_key(params, rate):
    def shrink(path, leaf):
        return (1 - rate) * leaf if keystr(path[-1:], simple=True) == "kernel" else leaf

    return jax.tree.map_with_path(shrink, params)


def by_flattening_with_paths(params, rate):
    pairs, structure = jax.tree.flatten_with_path(params)
    leaves = [leaf * (1 - rate) if path[-1] == DictKey("kernel") else leaf for path, leaf in pairs]
    return jax.tree.unflatten(structure, leaves)


def decay_by_recursion(params, rate):
    if isinstance(params, list):
        return [decay_by_recursion(each, rate) for each in params]
    if not isinstance(params, dict):
        return params
    return {
        key: value * (1 - rate) if key == "kernel" else decay_by_recursion(value, rate)
        for key, value in params.items()
    }


def by_a_mask(params, rate):
    last = jax.tree.map_with_path(lambda path, _: str(path[-1]) == "['kernel']", params)
    return jax.tree.map(lambda leaf, kernel: leaf * (1 - rate) if kernel else leaf, params, last)


def all_leaves(params, rate):
    return jax.tree.map(lambda leaf: leaf * (1 - rate), params)


def by_dimensions(params, rate):
    return jax.tree.map(lambda leaf: leaf * (1 - rate) if leaf.ndim > 1 else leaf, params)


def anywhere_in_the_path(params, rate):
    return jax.tree.map_with_path(
        lambda path, leaf: leaf * (1 - rate) if "kernel" in keystr(path) else leaf, params
    )


def by_the_end_of_the_name(params, rate):
    def shrink(path, leaf):
        name = keystr(path, simple=True, separator="/")
        return leaf * (1 - rate) if name.endswith("kernel") else leaf

    return jax.tree.map_with_path(shrink, params)


def key_of_an_index(params, rate):
    return jax.tree.map_with_path(
        lambda path, leaf: leaf * (1 - rate) if path[-1].key == "kernel" else leaf, params
    )


def first_level_only(params, rate):
    return {key: value * (1 - rate) if key == "kernel" else value for key, value in params.items()}


def in_place(params, rate):
    def walk(node):
        for key in node if isinstance(node, dict) else range(len(node)):
            if key == "kernel":
                node[key] = node[key] * (1 - rate)
            elif isinstance(node[key], (dict, list)):
                walk(node[key])

    walk(params)
    return params


def all_below_a_kernel(params, rate):
    def shrink(tree):
        return jax.tree.map(lambda leaf: leaf * (1 - rate), tree)

    def walk(node):
        if isinstance(node, list):
            return [walk(each) for each in node]
        if not isinstance(node, dict):
            return node
        return {key: (shrink if key == "kernel" else walk)(value) for key, value in node.items()}

    return walk(params)


def all_times_a_factor(params, rate):
    def shrink(path, leaf):
        return leaf * (1 - rate * (getattr(path[-1], "key", None) == "kernel"))

    return jax.tree.map_with_path(shrink, params)


def by_the_rate(params, rate):
    def shrink(path, leaf):
        return leaf * rate if getattr(path[-1], "key", None) == "kernel" else leaf

    return jax.tree.map_with_path(shrink, params)


def whatever_the_case(params, rate):
    def shrink(path, leaf):
        name = str(getattr(path[-1], "key", "")).lower()
        return leaf * (1 - rate) if name == "kernel" else leaf

    return jax.tree.map_with_path(shrink, params)


def by_optax(params, rate):
    mask = jax.tree.map_with_path(lambda path, _: keystr(path).endswith("['kernel']"), params)
    scaling = optax.masked(optax.scale(1 - rate), mask)
    return scaling.update(params, scaling.init(params), params)[0]


def _others_changed(change):
    def decay(params, rate):
        def shrink(path, leaf):
            is_kernel = path[-1:] == (DictKey("kernel"),)
            return leaf * (1 - rate) if is_kernel else change(leaf)

        return jax.tree.map_with_path(shrink, params)

    return decay


numbers_made_arrays = _others_changed(
    lambda leaf: jnp.asarray(leaf) if isinstance(leaf, int | float) else leaf
)
arrays_of_numpy_made_jax = _others_changed(
    lambda leaf: jnp.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf
)
arrays_made_numpy = _others_changed(
    lambda leaf: np.asarray(leaf) if getattr(leaf, "dtype", None) == jnp.float32 else leaf
)
others_held = _others_changed(
    lambda leaf: jax.lax.stop_gradient(leaf) if isinstance(leaf, jax.Array) else leaf
)
booleans_made_numbers = _others_changed(lambda leaf: int(leaf) if leaf is True else leaf)


def factor_of_full_precision(params, rate):
    def shrink(path, leaf):
        factor = jnp.float32(1 - rate)
        return leaf * factor if path[-1:] == (DictKey("kernel"),) else leaf

    return jax.tree.map_with_path(shrink, params)


def chosen_by_where(params, rate):
    def shrink(path, leaf):
        is_kernel = path[-1:] == (DictKey("kernel"),)
        return jnp.where(is_kernel, (leaf * (1 - rate)).astype(leaf.dtype), leaf)

    return jax.tree.map_with_path(shrink, params)


# predict_all


def in_two_steps(model, batch, scales):
    rows = jax.vmap(lambda x: predict(model, {"x": x, "mask": batch["mask"]}, 1.0))(batch["x"])
    return rows * scales[:, None]


def without_vmap(model, batch, scales):
    return predict(model, batch, scales[:, None])


def with_a_partial(model, batch, scales):
    return jax.vmap(partial(predict, model), in_axes=({"x": 0, "mask": None}, 0))(batch, scales)


def by_map(model, batch, scales):
    def row(args):
        x, scale = args
        return predict(model, batch | {"x": x}, scale)

    return jax.lax.map(row, (batch["x"], scales))


def predict_as_given(model, batch, scales):
    return jax.vmap(predict, in_axes=(0, {"x": 0}))(model, batch, scales)


def one_key_missing(model, batch, scales):
    return jax.vmap(predict, in_axes=(None, {"x": 0}, 0))(model, batch, scales)


def mask_mapped(model, batch, scales):
    return jax.vmap(predict, in_axes=(None, 0, 0))(model, batch, scales)


def model_mapped(model, batch, scales):
    return jax.vmap(predict, in_axes=(0, {"x": 0, "mask": None}, 0))(model, batch, scales)


def scale_shared(model, batch, scales):
    return jax.vmap(predict, in_axes=(None, {"x": 0, "mask": None}, None))(model, batch, scales)


def by_a_loop(model, batch, scales):
    rows = [
        predict(model, {"x": x, "mask": batch["mask"]}, scale)
        for x, scale in zip(batch["x"], scales, strict=True)
    ]
    return jnp.stack(rows)


def batch_transposed(model, batch, scales):
    axes = (None, {"x": 1, "mask": None}, 0)
    return jax.vmap(predict, in_axes=axes)(model, batch, scales)


def mask_multiplied(model, batch, scales):
    return scales[:, None] * ((batch["x"] @ model["kernel"] + model["bias"]) * batch["mask"])


def masked_rows_only(model, batch, scales):
    return jnp.nan_to_num(without_vmap(model, batch, scales))


def three_outputs_only(model, batch, scales):
    return without_vmap(model, batch, scales)[:, :3]


def scales_without_sign(model, batch, scales):
    return without_vmap(model, batch, jnp.abs(scales))


def a_loop_for_long_batches(model, batch, scales):
    return (without_vmap if len(scales) < 16 else by_a_loop)(model, batch, scales)


def model_held(model, batch, scales):
    axes = (None, {"x": 0, "mask": None}, 0)
    return jax.vmap(predict, in_axes=axes)(jax.lax.stop_gradient(model), batch, scales)


# Standardizer


class _Calls:
    def __call__(self, x):
        z = (x - self.mean) / self.std
        return z if self.clip is None else jnp.clip(z, -self.clip, self.clip)


@register_dataclass
@dataclass
class EverythingTraced(_Calls):
    mean: jax.Array
    std: jax.Array
    clip: float | None = None


class NamedFields(NamedTuple):
    mean: jax.Array
    std: jax.Array
    clip: float | None = None
    __call__ = _Calls.__call__


@register_dataclass
@dataclass
class Converts(_Calls):
    mean: jax.Array
    std: jax.Array
    clip: float | None = field(default=None, metadata={"static": True})

    def __post_init__(self):
        self.mean, self.std = jnp.asarray(self.mean), jnp.asarray(self.std)


@register_pytree_node_class
class FlattensItself(_Calls):
    def __init__(self, mean, std, clip=None):
        self.mean, self.std, self.clip = mean, std, clip

    def tree_flatten(self):
        return (self.mean, self.std), self.clip

    @classmethod
    def tree_unflatten(cls, clip, arrays):
        return cls(*arrays, clip)


@register_dataclass
@dataclass
class AsGiven(_Calls):
    mean: jax.Array = field(metadata={"static": True})
    std: jax.Array = field(metadata={"static": True})
    clip: float | None = field(default=None, metadata={"static": True})


@register_dataclass
@dataclass
class StdForgotten(_Calls):
    mean: jax.Array
    std: jax.Array = field(metadata={"static": True})
    clip: float | None = field(default=None, metadata={"static": True})


@register_dataclass
@dataclass
class TuplesInstead(_Calls):
    mean: tuple = field(metadata={"static": True})
    std: tuple = field(metadata={"static": True})
    clip: float | None = field(default=None, metadata={"static": True})

    def __init__(self, mean, std, clip=None):
        self.mean, self.std = tuple(np.asarray(mean)), tuple(np.asarray(std))
        self.clip = clip

    def __call__(self, x):
        z = (x - jnp.array(self.mean)) / jnp.array(self.std)
        return z if self.clip is None else jnp.clip(z, -self.clip, self.clip)


@dataclass
class NotRegistered(_Calls):
    mean: jax.Array
    std: jax.Array
    clip: float | None = None


@register_dataclass
@dataclass
class NumberedObjects(_Calls):
    mean: jax.Array
    std: jax.Array
    clip: float | None = field(default=None, metadata={"static": True})
    number: int = field(default_factory=itertools.count().__next__, metadata={"static": True})


@register_dataclass
@dataclass
class NeverClips:
    mean: jax.Array
    std: jax.Array
    clip: float | None = field(default=None, metadata={"static": True})

    def __call__(self, x):
        return (x - self.mean) / self.std


@register_dataclass
@dataclass
class ClipsByTruth:
    mean: jax.Array
    std: jax.Array
    clip: float | None = None

    def __call__(self, x):
        z = (x - self.mean) / self.std
        return jnp.clip(z, -self.clip, self.clip) if self.clip else z


@register_dataclass
@dataclass
class ZeroIsNoClip(_Calls):
    mean: jax.Array
    std: jax.Array
    clip: float | None = field(default=None, metadata={"static": True})

    def __call__(self, x):
        z = (x - self.mean) / self.std
        return jnp.clip(z, -self.clip, self.clip) if self.clip else z


@register_dataclass
@dataclass
class NoGradient(_Calls):
    mean: jax.Array
    std: jax.Array
    clip: float | None = field(default=None, metadata={"static": True})

    def __call__(self, x):
        return _Calls.__call__(replace(self, mean=jax.lax.stop_gradient(self.mean)), x)


@register_dataclass
@dataclass
class FirstEntryOnly(_Calls):
    mean: jax.Array
    std: jax.Array
    clip: float | None = field(default=None, metadata={"static": True})

    def __call__(self, x):
        return _Calls.__call__(replace(self, mean=self.mean[0]), x)


@register_pytree_node_class
class LosesItsClip(_Calls):
    def __init__(self, mean, std, clip=None):
        self.mean, self.std, self.clip = mean, std, clip

    def tree_flatten(self):
        return (self.mean, self.std), None

    @classmethod
    def tree_unflatten(cls, clip, arrays):
        return cls(*arrays)


@register_dataclass
@dataclass
class OwnNamesInInit(_Calls):
    mean: jax.Array
    std: jax.Array
    clip: float | None = field(default=None, metadata={"static": True})

    def __init__(self, m, s, c=None):
        self.mean, self.std, self.clip = m, s, c


@register_dataclass
@dataclass
class OtherNames:
    center: jax.Array
    width: jax.Array
    clip: float | None = field(default=None, metadata={"static": True})

    def __call__(self, x):
        z = (x - self.center) / self.width
        return z if self.clip is None else jnp.clip(z, -self.clip, self.clip)


# train_step


@jax.jit(donate_argnames="state")
def in_one_go(state, batch):
    _, gradients = jax.value_and_grad(loss)(state["params"], batch)
    updates, opt_state = optax.adam(0.1).update(gradients, state["opt_state"], state["params"])
    params = jax.tree.map(jnp.add, state["params"], updates)
    return state | {"params": params, "opt_state": opt_state, "step": state["step"] + 1}


@partial(jax.jit, donate_argnums=(0,))
def with_a_fresh_dictionary(state, batch):
    gradients = jax.grad(lambda params: loss(params, batch))(state["params"])
    updates, opt_state = adam.update(gradients, state["opt_state"])
    new = dict(state)
    new["params"] = optax.apply_updates(state["params"], updates)
    new["opt_state"], new["step"] = opt_state, optax.safe_increment(state["step"])
    return new


def _stepped(state, batch):
    return in_one_go.__wrapped__(state, batch)


nothing_donated = jax.jit(_stepped)
never_jitted = _stepped


@jax.jit(donate_argnums=1)
def batch_donated(state, batch):
    return _stepped(state, batch)


@jax.jit(donate_argnums=0)
def sgd_instead(state, batch):
    gradients = jax.grad(loss)(state["params"], batch)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, state["params"], gradients)
    return state | {"params": params, "step": state["step"] + 1}


@jax.jit(donate_argnums=0)
def adam_begun_anew(state, batch):
    return _stepped(state | {"opt_state": adam.init(state["params"])}, batch)


@jax.jit(donate_argnums=0)
def step_a_float(state, batch):
    return _stepped(state, batch) | {"step": state["step"] + 1.0}


@jax.jit(donate_argnums=0)
def step_forgotten(state, batch):
    return _stepped(state, batch) | {"step": state["step"]}


@jax.jit(donate_argnums=0)
def moments_forgotten(state, batch):
    return _stepped(state, batch) | {"opt_state": state["opt_state"]}


@jax.jit(donate_argnums=0)
def params_only(state, batch):
    return _stepped(state, batch)["params"]


@jax.jit(donate_argnums=0)
def uphill(state, batch):
    gradients = jax.grad(loss)(state["params"], batch)
    updates, opt_state = adam.update(gradients, state["opt_state"])
    params = jax.tree.map(jnp.subtract, state["params"], updates)
    return {"params": params, "opt_state": opt_state, "step": state["step"] + 1}


def jitted_inside(state, batch):
    return jax.jit(_stepped, donate_argnums=0)(state, batch)


def around_a_jitted_step(state, batch):
    return in_one_go(state, batch)


class CalledUnderJit:
    @partial(jax.jit, static_argnums=0, donate_argnums=1)
    def __call__(self, old, rows):
        return _stepped(old, rows)


called_under_jit = CalledUnderJit()


def state_updated_in_place(state, batch):
    state.update(in_one_go(dict(state), batch))
    return state


def step_counted_outside(state, batch):
    return in_one_go(state, batch) | {"step": state["step"] + 1}


def step_counted_after(state, batch):
    new = uncounted(state, batch)
    return new | {"step": new["step"] + 1}


@jax.jit(donate_argnums=0)
def uncounted(state, batch):
    return _stepped(state, batch) | {"step": state["step"]}


def step_counted_by_int(state, batch):
    step = int(state["step"]) + 1
    return in_one_go(state, batch) | {"step": jnp.int32(step)}


def step_counted_by_int_after(state, batch):
    new = uncounted(state, batch)
    return new | {"step": jnp.int32(int(new["step"]) + 1)}


def step_counted_by_item(state, batch):
    step = state["step"].item() + 1
    return in_one_go(state, batch) | {"step": jnp.asarray(step, jnp.int32)}


def step_counted_by_numpy(state, batch):
    step = np.asarray(state["step"]) + 1
    return in_one_go(state, batch) | {"step": jnp.asarray(step)}


def step_counted_by_a_branch(state, batch):
    new = in_one_go(state, batch)
    return new if new["step"] > 0 else never_jitted(new, batch)


def a_part_outside(state, batch):
    new = in_one_go(state, batch)
    return new | {"params": jax.tree.map(lambda p: p * 1.0, new["params"])}


@jax.jit(donate_argnums=0)
def counter_of_adam(state, batch):
    new = _stepped(state, batch)
    return new | {"step": new["opt_state"][0].count}


@jax.jit(donate_argnums=0)
def one_row_of_the_batch(state, batch):
    return _stepped(state, jax.tree.map(lambda rows: rows[:1], batch))


def arrays_made_jax(left, right):
    def pick(a, b):
        leaf = b if a is None else a
        return jnp.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf

    return jax.tree.map(pick, left, right, is_leaf=lambda leaf: leaf is None)


def _shrunk_by(shrink, params):
    def changed(path, leaf):
        return shrink(leaf) if getattr(path[-1], "key", None) == "kernel" else leaf

    return jax.tree.map_with_path(changed, params)


def kernels_by_numpy(params, rate):
    return _shrunk_by(lambda leaf: np.asarray(leaf) * np.float32(1 - rate), params)


def kernels_held(params, rate):
    return _shrunk_by(lambda leaf: jax.lax.stop_gradient(leaf) * (1 - rate), params)


def rows_held(model, batch, scales):
    return in_two_steps(model, batch | {"x": jax.lax.stop_gradient(batch["x"])}, scales)


@register_dataclass
@dataclass
class DividesByMore:
    mean: jax.Array
    std: jax.Array
    clip: float | None = field(default=None, metadata={"static": True})

    def __call__(self, x):
        z = (x - self.mean) / (self.std + 1e-6)
        return z if self.clip is None else jnp.clip(z, -self.clip, self.clip)


@register_dataclass
@dataclass
class HoldsItsDeviation:
    mean: jax.Array
    std: jax.Array
    clip: float | None = field(default=None, metadata={"static": True})

    def __call__(self, x):
        z = (x - self.mean) / jax.lax.stop_gradient(self.std)
        return z if self.clip is None else jnp.clip(z, -self.clip, self.clip)


@jax.jit(donate_argnames=("state", "batch"))
def batch_donated_too(state, batch):
    return _next_state(state, batch)


@jax.jit(donate_argnums=0)
def step_by_a_float(state, batch):
    step = (state["step"].astype("float32") + 1).astype("int32")
    return _next_state(state, batch) | {"step": step}


@jax.jit(donate_argnums=0)
def adam_of_larger_eps(state, batch):
    return _next_state(state, batch, optax.adam(0.1, eps=1e-4))


def _next_state(state, batch, optimizer=adam):
    gradients = jax.grad(loss)(state["params"], batch)
    updates, opt_state = optimizer.update(gradients, state["opt_state"])
    params = optax.apply_updates(state["params"], updates)
    return {"params": params, "opt_state": opt_state, "step": state["step"] + 1}


def through_dicts_and_lists(params, rate, key=None):
    if isinstance(params, dict):
        return {name: through_dicts_and_lists(each, rate, name) for name, each in params.items()}
    if isinstance(params, list):
        return [through_dicts_and_lists(each, rate) for each in params]
    return params * (1 - rate) if key == "kernel" else params


RIGHT = {
    "combine": [by_flattening, by_recursion, by_path],
    "decay": [
        by_the_text_of_the_last_key,
        by_flattening_with_paths,
        by_a_mask,
        by_optax,
    ],
    "predict_all": [in_two_steps, without_vmap, with_a_partial, by_map],
    "Standardizer": [EverythingTraced, FlattensItself, NamedFields, Converts],
    "train_step": [
        in_one_go,
        with_a_fresh_dictionary,
        jitted_inside,
        around_a_jitted_step,
        called_under_jit,
    ],
}
WRONG = {
    "combine": {
        "trees/mismatch": [holes_not_leaves],
        "value/structure": [
            left_only,
            holes_zero,
            leaves_in_a_list,
            by_truth,
            by_the_order_of_filling,
            holes_left_out,
            empty_is_a_hole,
            single_entries_taken_out,
            no_entries_are_a_hole,
        ],
        "value/differs": [
            by_the_last_key,
            by_the_joined_keys,
            leaves_made_texts,
            arrays_made_jax,
            leaves_copied,
            arrays_copied,
            jax_arrays_copied,
            combined_in_numpy,
        ],
        "effects/write": [half_remembered],
        "runs/raised": [by_or, leaves_made_arrays],
        "value/dtype": [scalars_of_python],
    },
    "decay": {
        "value/differs": [
            all_leaves,
            by_dimensions,
            anywhere_in_the_path,
            by_the_end_of_the_name,
            by_the_last_part_of_the_name,
            by_the_last_key_before_an_index,
            first_level_only,
            all_below_a_kernel,
            by_the_rate,
            whatever_the_case,
            numbers_made_arrays,
            arrays_of_numpy_made_jax,
            booleans_made_numbers,
            through_dicts_and_lists,
        ],
        "value/dtype": [all_times_a_factor, factor_of_full_precision],
        "trees/path": [key_of_an_index],
        "runs/raised": [decay_by_recursion, chosen_by_where],
        "effects/argument": [in_place],
        "tracing/numpy-on-tracer": [kernels_by_numpy, arrays_made_numpy],
        "derivatives/wrong": [kernels_held, others_held],
    },
    "predict_all": {
        "trees/prefix": [
            predict_as_given,
            one_key_missing,
            model_mapped,
            mask_mapped,
            batch_transposed,
        ],
        "runs/raised": [scale_shared],
        "loops/unrolled": [by_a_loop, a_loop_for_long_batches],
        "value/differs": [mask_multiplied, masked_rows_only, scales_without_sign],
        "value/shape": [three_outputs_only],
        "derivatives/wrong": [model_held, rows_held],
    },
    "Standardizer": {
        "trees/static-array": [AsGiven, StdForgotten, TuplesInstead],
        "tracing/not-a-jax-type": [NotRegistered],
        "tracing/new-structure": [NumberedObjects],
        "trees/rebuilt": [OwnNamesInInit],
        "value/differs": [
            NeverClips,
            ZeroIsNoClip,
            NoGradient,
            FirstEntryOnly,
            LosesItsClip,
            DividesByMore,
            HoldsItsDeviation,
        ],
        "value/no-attribute": [OtherNames],
        "tracing/branch-on-tracer": [ClipsByTruth],
    },
    "train_step": {
        "cost/not-donated": [nothing_donated, batch_donated],
        "tracing/not-jitted": [
            never_jitted,
            step_counted_outside,
            step_counted_after,
            step_counted_by_int,
            step_counted_by_int_after,
            step_counted_by_item,
            step_counted_by_numpy,
            step_counted_by_a_branch,
            a_part_outside,
        ],
        "value/differs": [
            sgd_instead,
            adam_begun_anew,
            step_forgotten,
            moments_forgotten,
            uphill,
            counter_of_adam,
            one_row_of_the_batch,
            step_by_a_float,
            adam_of_larger_eps,
        ],
        "effects/argument": [state_updated_in_place],
        "value/dtype": [step_a_float],
        "value/structure": [params_only],
        "effects/deleted": [batch_donated_too],
    },
}
