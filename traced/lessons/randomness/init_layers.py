"""Draw a scaled normal matrix for each pair of neighbouring sizes, each with a key of its own."""

from itertools import pairwise
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import random

from traced.course.exercise import Exercise
from traced.lessons.randomness.draws import (
    follows_its_key,
    require_no_copies,
    require_normal,
    require_scale,
    require_unrelated,
    returns_like,
    without_reuse_checker,
)
from traced.lessons.randomness.solutions.init_layers import init_layers as solution
from traced.questions import spends_each_key_once
from traced.running.attempt import attempt

_SIZES = (160, 80, 80, 240)  # with two layers of 80 rows, in case a key is made from the sizes


def _layers_of_zeros(sizes: tuple[int, ...]) -> list[Any]:
    return [jnp.zeros(shape) for shape in pairwise(sizes)]


def _draws_unrelated_normal_layers(answer: Any) -> None:
    layers = attempt(answer, random.key(0), _SIZES)
    scaled = [np.asarray(layer, float) * np.sqrt(len(layer)) for layer in layers]
    of = "all layers, each times the root of its rows"
    require_no_copies(np.concatenate([each.ravel() for each in scaled]), of)
    require_normal(scaled, of)
    for i, numbers in enumerate(scaled, start=1):
        require_scale(numbers, f"layer {i}, times the root of its rows", tests=len(scaled))
    require_unrelated(scaled, "layer")


init_layers = Exercise(
    name="init_layers",
    questions=without_reuse_checker(
        returns_like(_layers_of_zeros, (_SIZES,), ((3, 4, 2),), ((2,) * 9,), ((3, 4),)),
        follows_its_key(_SIZES),
        spends_each_key_once(random.key(0), _SIZES),
        spends_each_key_once(random.key(0), (2,) * 9),
        _draws_unrelated_normal_layers,
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
