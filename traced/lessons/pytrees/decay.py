"""Write what shrinks the leaves whose path ends with the key `kernel`, and no others."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.pytrees.solutions.decay import decay as solution
from traced.python.values import describe
from traced.questions import returns
from traced.running.attempt import attempt

_model = {
    "blocks": [
        {"kernel": jnp.ones((2, 2)), "bias": jnp.ones(2)},
        {"kernel": jnp.ones(3), "scale": jnp.ones((2, 2)), "old_kernel": jnp.ones(2)},
    ],
    "kernel_head": {"kernel": jnp.full((2, 50), 4.0), "table": jnp.ones((5, 2))},
}
# A `kernel` that is a container: the paths of its leaves end with other keys, or with indices.
_nested = {
    "conv": {"kernel": {"depth": jnp.ones((2, 2)), "kernel": jnp.full(2, -3.0)}},
    "heads": {"kernel": [jnp.ones(2), {"kernel": jnp.float32(0.5)}]},
    "tails": ({"kernel": jnp.ones(2)}, {"kernel": (jnp.ones(2), {"kernel": jnp.ones(1)})}),
    "steps": jnp.int32(4),
    "bias": None,
}
# Keys that differ from `kernel` in the case of a letter, or by a letter more.
_alike = {
    name: jnp.ones(2)
    for name in ("Kernel", "KERNEL", "kernels", "kernel", "kernel_", " kernel", "w")
}
# Others that a factor, or a repair of NaN, would not leave as they are.
_others = {
    "kernel": jnp.ones(2),
    "bias": jnp.array([jnp.nan, jnp.inf]),
    "frozen": jnp.array(True),
}
# A Python number leaves the dtype of a leaf as it is, and NumPy's do not.
_half = {"kernel": jnp.ones(2, "bfloat16"), "bias": jnp.ones(2, "float16")}
# One key each: a `/` in it leads nowhere, though a path may be written with one.
_slashed = {
    "dense/kernel": jnp.ones(2),
    "kernel/": jnp.ones(2),
    "/kernel": jnp.ones(2),
    "conv/1": {"kernel": jnp.full(2, 8.0), "bias/kernel": jnp.ones(1)},
}
_deep = {
    "a": {
        "b": [[{"c": {"kernel": jnp.array([100.1, 0.1234, 3.337, 3.33701]), "bias": jnp.ones(1)}}]]
    }
}


def _decayed(params: Any, rate: float, key: str | None = None) -> Any:
    """Return what is below a key, decayed; what is in a list or a tuple has an index."""
    if isinstance(params, dict):
        return {name: _decayed(value, rate, name) for name, value in params.items()}
    if isinstance(params, list | tuple):
        return type(params)(_decayed(each, rate) for each in params)
    return params * (1 - rate) if key == "kernel" else params


def _is_a_program_of_jax(answer: Any) -> None:
    """Require the derivative, which what NumPy computed has not."""

    def total(params: Any) -> Any:
        return sum(map(jnp.sum, jax.tree.leaves(answer(params, 0.25))))

    wanted = {"kernel": 0.75, "bias": 1.0, "norm": 1.0}
    got = attempt(jax.grad(total), {name: jnp.ones(2) for name in wanted})
    for name, slope in wanted.items():
        seen = {"given": "rate 0.25", "at": name, "wanted": slope, "got": got[name]}
        require(np.allclose(got[name], slope), "derivatives/wrong", **seen)


def _typed(leaf: Any) -> str:
    kind = f"JAX array {describe(leaf)}" if isinstance(leaf, jax.Array) else type(leaf).__name__
    return f"{kind} {leaf}"


def _leaves_others_as_they_are(answer: Any) -> None:
    """Require the leaves that are no `kernel`, of any type, to be what they were."""
    others = {
        "name": "dense",
        "size": 3,
        "share": 0.5,
        "frozen": True,
        "table": np.ones(2),
        "scale": np.float32(2),
        "bias": jnp.ones(2),
        "noise": jax.random.key(0),
    }
    got = attempt(answer, {"kernel": jnp.ones(2), **others}, 0.5)
    for name, leaf in others.items():
        wanted, seen = (_typed(each) for each in (leaf, got[name]))
        # JAX has arrays of several classes.
        array = isinstance(leaf, jax.Array) and isinstance(got[name], jax.Array)
        same = array or type(leaf) is type(got[name])
        saw = {"given": "a leaf of any type", "at": f"[{name!r}]", "wanted": wanted, "got": seen}
        require(same, "value/differs", **saw)
        if isinstance(leaf, str | int | float):
            require(leaf == got[name], "value/differs", **saw)


decay = Exercise(
    name="decay",
    questions=(
        returns(
            _decayed,
            (_model, 0.5),
            (_model, 0.125),
            (_nested, 0.25),
            (_deep, 1.0),
            (_deep, 0.3),
            (_others, 0.5),
            (_alike, 0.75),
            (_slashed, 0.5),
            ({"kernel": jnp.ones(2)}, 0.0),
            ([jnp.ones(2)], 0.5),
        ),
        _is_a_program_of_jax,
        returns(_decayed, (_half, 0.25)),
        _leaves_others_as_they_are,
    ),
    hints=(
        "Neither the number of dimensions nor the name of the layer decides, "
        "only the end of the path to a leaf.",
        "`jax.tree.map_with_path` calls a function with the path and the leaf. The last part of "
        "a path is a dictionary's key, or an index of a list.",
        "A function of a path and a leaf with one condition on the end of the path, mapped over "
        "the whole tree. An index has no attribute `key`.",
    ),
    verified="right leaves in nine trees, with lists and tuples, layers of misleading names and "
    "shapes, keys with a `/`, a text and numbers, and a `kernel` that is a list or a dictionary; "
    "the trees given stay as they were",
    answer=solution,
)
