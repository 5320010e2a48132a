"""Write what puts two halves of a tree together, each with `None` where the other has a leaf."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.edge_cases import trees
from traced.lessons.pytrees.solutions.combine import combine as solution
from traced.python.values import describe
from traced.questions import returns
from traced.running.attempt import attempt

_left = {"w": [jnp.zeros(2), None], "b": (None, 0.0), "unused": None}
_right = {"w": [None, jnp.ones(2)], "b": (3.0, None), "unused": None}
# Leaves that count as false or hold nothing, in dictionaries that were filled in another order.
_false = {"flag": False, "count": 0, "rate": None, "key": None, "rows": jnp.zeros((0, 2))}
_rest = {"rows": None, "key": jax.random.key(0), "rate": 0.0, "flag": None, "count": None}
# The same key in two places, and keys that read alike when they are written in one.
_named = {"a": {"w": None, "bc": None}, "ab": {"w": None, "c": None}, "c": {"w": 1.0}}
_named_rest = {"a": {"w": 2.0, "bc": 5.0}, "ab": {"w": 3.0, "c": 4.0}, "c": {"w": None}}
# Holes on both sides between the leaves of a list, and containers that hold nothing.
_sparse: list[Any] = [1.0, None, None, (None, None), ([None],), {"last": {}, "first": ([],)}]
_sparse_rest: list[Any] = [None, None, 2.0, (None, 3.0), ([4.0],), {"last": {}, "first": ([],)}]


def _whole(left: Any, right: Any) -> Any:
    """Return the tree that both halves were made of, whichever of them comes first."""
    if left is None or right is None:
        return right if left is None else left
    if isinstance(left, dict):
        return {key: _whole(left[key], right[key]) for key in left}
    return type(left)(map(_whole, left, right))


def _halves(tree: Any) -> tuple[Any, Any]:
    """Return a tree twice, once without each second leaf and once with these alone."""
    leaves, structure = jax.tree.flatten(tree)
    sides = ([None if n % 2 == odd else leaf for n, leaf in enumerate(leaves)] for odd in (1, 0))
    left, right = (jax.tree.unflatten(structure, side) for side in sides)
    return left, right


def _takes_any_leaf(answer: Any) -> None:
    """Require that a leaf which is no number comes back as it is."""
    leaves = ["adam", 0.5, math.nan, np.ones(2), 7, np.float32(2), {1, 2}, jnp.ones(2), True]
    left, right = _halves(leaves)
    given = f"{left}, {right}"
    got = attempt(answer, left, right)
    wanted = repr(leaves)
    require(repr(got) == wanted, "value/differs", given=given, wanted=wanted, got=repr(got)[:120])
    for i, (leaf, each) in enumerate(zip(leaves, got, strict=True)):
        # Whether equal numbers and texts are one object is up to Python.
        if not isinstance(leaf, str | int | float):
            saw = {"given": given, "at": f"[{i}]", "wanted": f"the leaf itself, {describe(leaf)}"}
            require(leaf is each, "value/differs", **saw, got="another object, which is equal")


combine = Exercise(
    name="combine",
    questions=(
        returns(
            _whole,
            (_left, _right),
            (_right, _left),
            (_false, _rest),
            # Once more, with another half to the same one.
            (_false, _rest | {"rate": 0.5}),
            (_named, _named_rest),
            (_sparse, _sparse_rest),
            *map(_halves, trees().values()),
        ),
        _takes_any_leaf,
    ),
    hints=(
        "`tree.map` stops at leaves, and a hole is none: it is an empty node. "
        "What would have to be a leaf here?",
        "`tree.map` takes `is_leaf`. And `is None` is another question than `or`: "
        "a leaf may be zero, or an array.",
        "A function of two leaves that returns the second if the first is missing; "
        "mapped over both trees, with `None` counted as a leaf.",
    ),
    verified="right trees for 13 pairs of halves, of one leaf to four levels, with zeros, False, a "
    "text and a random key among the leaves, equal keys in two places, and empty containers",
    answer=solution,
)
