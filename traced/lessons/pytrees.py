"""What 08_pytrees asks."""

import copy
import inspect
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.attempt import attempt
from traced.exercise import Exercise
from traced.feedback import require
from traced.questions import compare, donates, keeps_its_size, returns, traces_at_most
from traced.solutions import pytrees as solutions

_whole = {"w": [jnp.zeros(2), jnp.ones(2)], "b": (3.0, 0.0), "unused": None}
_left = {"w": [jnp.zeros(2), None], "b": (None, 0.0), "unused": None}
_right = {"w": [None, jnp.ones(2)], "b": (3.0, None), "unused": None}

combine = Exercise(
    name="combine",
    questions=(returns(lambda left, right: _whole, (_left, _right), (_right, _left)),),
    hints=(
        "`tree.map` stops at leaves, and a hole is none: it is an empty node. "
        "What would have to be a leaf here?",
        "`tree.map` takes `is_leaf`. And `is None` is another question than `or`: "
        "a leaf may be zero, or an array.",
        "A function of two leaves that returns the second if the first is missing; "
        "mapped over both trees, with `None` counted as a leaf.",
    ),
    verified="right trees for two pairs of halves, with zeros and arrays among the leaves",
    answer=solutions.combine,
)

_model = {
    "blocks": [
        {"kernel": jnp.ones((2, 2)), "bias": jnp.ones(2)},
        {"kernel": jnp.ones(3), "scale": jnp.ones((2, 2)), "old_kernel": jnp.ones(2)},
    ],
    "kernel_head": {"kernel": jnp.full((2, 1), 4.0), "table": jnp.ones((5, 2))},
}


def _decayed(params: Any, rate: float) -> Any:
    if isinstance(params, dict):
        return {
            key: value * (1 - rate) if key == "kernel" else _decayed(value, rate)
            for key, value in params.items()
        }
    return [_decayed(each, rate) for each in params] if isinstance(params, list) else params


decay = Exercise(
    name="decay",
    questions=(
        returns(_decayed, (_model, 0.5), ({"kernel": jnp.ones(2)}, 0.25), ([jnp.ones(2)], 0.5)),
    ),
    hints=(
        "Neither the number of dimensions nor the name of the layer decides, "
        "only the last key on the way to a leaf.",
        "`jax.tree.map_with_path` calls a function with the path and the leaf. The last part of "
        "a path is a dictionary's key, or an index of a list.",
        "A function of a path and a leaf with one condition on the end of the path, mapped over "
        "the whole tree. An index has no attribute `key`.",
    ),
    verified="right leaves in three trees, with lists, and layers of misleading names and shapes",
    answer=solutions.decay,
)


def _rows(n: int) -> tuple[Any, ...]:
    model = {"kernel": jnp.arange(6.0).reshape(2, 3), "bias": jnp.array([0.5, 0.0, -0.5])}
    batch = {"x": jnp.arange(2.0 * n).reshape(n, 2), "mask": jnp.array([True, False, True])}
    return model, batch, jnp.arange(1.0, n + 1)


def _predicted(model: Any, batch: Any, scales: Any) -> Any:
    hidden = np.asarray(batch["x"]) @ np.asarray(model["kernel"]) + np.asarray(model["bias"])
    return np.asarray(scales)[:, None] * np.where(batch["mask"], hidden, np.float32(0))


predict_all = Exercise(
    name="predict_all",
    questions=(returns(_predicted, _rows(4), _rows(2)), keeps_its_size(_rows)),
    hints=(
        "Count the arguments, and the entries of `in_axes`. Then ask of each leaf: "
        "has it a row for each example?",
        "`None` says that an argument is shared. A dictionary in `in_axes` names "
        "all keys of the argument.",
        "Three entries: shared; a dictionary with an axis for one key and `None` for the other; "
        "the axis of the scales.",
    ),
    verified="right rows for two batches; one size of trace for all",
    answer=solutions.predict_all,
)

_z = jnp.array([-4.0, 1.0, 8.0])


def _applied(made: Any, x: Any) -> Any:
    """Call an object; JAX's message on an object that is no pytree names this function."""
    return made(x)


def _keeps_its_arrays_among_the_leaves(answer: Any) -> None:
    made = attempt(answer, jnp.ones(3), jnp.full(3, 2.0), 1.5)
    attempt(jax.jit(_applied), made, _z)
    for name in ("mean", "std"):
        held = getattr(made, name, None)
        leaf = any(each is held for each in jax.tree.leaves(made))
        require(leaf, "trees/static-array", field=name, leaves=len(jax.tree.leaves(made)))


def _standardizes(answer: Any) -> None:
    means, clip = (1.0, 2.0, -1.0), 1.5
    all_made = [attempt(answer, jnp.full(3, mean), jnp.full(3, 2.0), clip) for mean in means]
    # The reader's own function, since traces of ours are not counted.
    jitted = jax.jit(type(all_made[0]).__call__)
    for mean, made in zip(means, all_made, strict=True):
        wanted = np.clip((np.asarray(_z) - np.float32(mean)) / np.float32(2), -clip, clip)
        compare(wanted, attempt(jitted, made, _z), given=f"mean {mean}, std 2, clip {clip}")


def _leaves_out_the_clip(answer: Any) -> None:
    made = attempt(answer, jnp.ones(3), jnp.full(3, 2.0))
    got = attempt(jax.jit(_applied), made, _z)
    compare((np.asarray(_z) - 1) / np.float32(2), got, given="mean 1, std 2, clip None")


Standardizer = Exercise(
    name="Standardizer",
    questions=(
        _keeps_its_arrays_among_the_leaves,
        traces_at_most(1, _standardizes, "three objects with other means and the same clip"),
        _leaves_out_the_clip,
    ),
    hints=(
        "Ask of each field: is it an array, or does it decide which program there is?",
        "What a dataclass does not mark static is a child of the node, and is traced.",
        "Two fields without anything behind their type. The third can stay as it is: "
        "numbers and `None` compare with `==`.",
    ),
    verified="mean and std are leaves; one trace for three objects; right with and without clip",
    answer=solutions.Standardizer,
)


def _state() -> Any:
    params = {"w": jnp.array([1.0, -1.0]), "b": jnp.float32(0.5)}
    return {"params": params, "opt_state": solutions.adam.init(params), "step": jnp.int32(0)}


_batch = {"x": jnp.array([[1.0, 2.0], [3.0, 4.0]]), "y": jnp.array([1.0, -1.0])}


def _steps(answer: Any) -> None:
    wanted, got = _state(), _state()
    for n in (1, 2):
        wanted = inspect.unwrap(solutions.train_step)(wanted, _batch)
        # The answer is given copies: it may donate their buffers, and some of them for nothing.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Some donated buffers were not usable")
            got = attempt(answer, *copy.deepcopy((got, _batch)))
        compare(wanted, got, given=f"the state after {n} step{'s' if n > 1 else ''}")


def _donates_the_state(answer: Any) -> None:
    require(hasattr(answer, "lower"), "tracing/not-jitted", got=type(answer).__name__)
    donates(_state(), _batch, argument="state")(answer)


train_step = Exercise(
    name="train_step",
    questions=(traces_at_most(1, _steps, "two steps"), _donates_the_state),
    hints=(
        "Every entry of the state has to come out again. Which of the three did optax give back, "
        "and which did it not?",
        "`adam.update` returns the updates and its next state; `optax.apply_updates` adds. "
        "`jax.jit` takes `donate_argnums`.",
        "Gradient, update, apply, and a dictionary of the same three keys. Above the function "
        "stands `jit`, with the number of the argument it may overwrite.",
    ),
    verified="the right state after two steps, from one trace; every buffer of the old one reused",
    answer=solutions.train_step,
)
