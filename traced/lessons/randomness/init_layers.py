"""Draw a scaled normal matrix for each pair of neighbouring sizes, each with a key of its own."""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from jax import random

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.randomness.draws import (
    draws_like,
    for_each_key,
    require_independent,
    require_no_copies,
    require_normal,
    require_scale,
    require_unrelated,
    without_reuse_checker,
)
from traced.lessons.randomness.solutions.init_layers import init_layers as solution
from traced.questions import spends_each_key_once
from traced.running.attempt import attempt

#: With layers of equally many rows, in case a key is made from the sizes. They have two shapes in
#: all, and the numbers of one are one program.
_SIZES, _EIGHT = (80, 80, 160), (80,) * 9

_SMALL, _KEYS = (3, 3, 3), 2**14


def _layers_of_zeros(sizes: tuple[int, ...]) -> list[Any]:
    return [np.zeros(shape, np.float32) for shape in pairwise(sizes)]


def _draws_unrelated_normal_layers(answer: Any, sizes: tuple[int, ...]) -> None:
    layers = attempt(answer, random.key(0), sizes)
    scaled = [np.asarray(layer, float) * np.sqrt(len(layer)) for layer in layers]
    of = f"all layers of sizes {sizes}, each times the root of its rows"
    require_no_copies(np.concatenate([each.ravel() for each in scaled]), of)
    require_normal(scaled, of)
    for i, numbers in enumerate(scaled, start=1):
        of = f"layer {i} of sizes {sizes}, times the root of its rows"
        require_scale(numbers, of, tests=len(scaled))
    require_unrelated({f"layer {i}": numbers for i, numbers in enumerate(scaled, start=1)})


def _draws_each_number_on_its_own(answer: Any) -> None:
    """Require small layers of many keys to have no exact mean or deviation, nor any other tie."""
    layers = for_each_key(answer, _KEYS, _SMALL)
    scaled = [np.asarray(layer, float) * np.sqrt(layer.shape[1]) for layer in layers]
    numbers = np.concatenate([layer.reshape(_KEYS, -1) for layer in scaled], axis=1).T
    of = f"layers of sizes {_SMALL}, each times the root of its rows, for {_KEYS} keys"
    for i, each in enumerate(numbers):
        saw = {"wanted": "mean 0, standard deviation 1", "got": f"{each[0]:.2f} for every key"}
        require(bool(each.std() > 0), "value/differs", of=f"{_name(i)} in {of}", **saw)
    require_independent(numbers, _name, of)
    require_scale(numbers, of)
    require_normal(numbers, of)


def _name(number: int) -> str:
    """Return the name of a number in a draw of small layers."""
    layer = 0
    while number >= _SMALL[layer] * _SMALL[layer + 1]:
        number -= _SMALL[layer] * _SMALL[layer + 1]
        layer += 1
    row, column = divmod(number, _SMALL[layer + 1])
    return f"entry [{row}, {column}] of layer {layer + 1}"


init_layers = Exercise(
    name="init_layers",
    questions=without_reuse_checker(
        draws_like(_layers_of_zeros, (_SIZES,), ((3, 4, 2),), ((2,) * 9,), ((3, 4),)),
        spends_each_key_once(random.key(0), _SIZES),
        spends_each_key_once(random.key(0), _EIGHT),
        partial(_draws_unrelated_normal_layers, sizes=_SIZES),
        partial(_draws_unrelated_normal_layers, sizes=_EIGHT),
        _draws_each_number_on_its_own,
    ),
    hints=(
        "Ask how often the key that was passed is used, for three sizes and for four.",
        "`random.split(key)` returns two new keys, `random.split(key, n)` returns n. "
        "The key that was split is spent.",
        "Either carry a key through the loop and split off one for each layer, or make all keys "
        "first and walk over sizes and keys together.",
    ),
    verified="shapes for one to eight layers; a key for each; normal numbers without correlation",
    answer=solution,
)
