"""Draw the indices of different entries, with chances in proportion to their weights."""

from itertools import combinations, permutations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import random

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.randomness.draws import (
    follows_its_key,
    has_shares,
    returns_like,
    without_reuse_checker,
)
from traced.lessons.randomness.solutions.pick import pick as solution
from traced.questions import spends_each_key_once
from traced.running.attempt import attempt

_WEIGHTS = jnp.array([1.0, 2.0, 5.0])

#: So small that powers of uniform numbers underflow.
_SMALL = jnp.array([0.002, 0.001, 0.003, 0.01, 0.002])

#: Of so many entries that two keys hardly ever pick the same ones.
_MANY = jnp.arange(1.0, 25.0)

#: So many that weights which are a twentieth off are seen.
_DRAWS = 2**17


def _indices(weights: Any, k: int) -> Any:
    return jnp.zeros(k, int)


def _picks_by_weight_and_none_twice(answer: Any) -> None:
    keys = random.split(random.key(0), _DRAWS)
    for weights, k in ((_WEIGHTS, 1), (_WEIGHTS, 2), (_SMALL, 3)):
        picks = attempt(jax.vmap(lambda key, w=weights, k=k: answer(key, w, k)), keys)
        picks = np.sort(np.asarray(picks), axis=1)
        _are_different_entries(picks, len(weights), f"weights = {weights}, k = {k}")
        _come_by_weight(picks, np.asarray(weights, float))


def _are_different_entries(picks: Any, size: int, given: str) -> None:
    twice = picks[(np.diff(picks, axis=1) == 0).any(axis=1)]
    beyond = picks[((picks < 0) | (picks >= size)).any(axis=1)]
    for code, found in (("value/drawn-twice", twice), ("value/differs", beyond)):
        wanted = f"{picks.shape[1]} different ones of 0 to {size - 1}"
        require(not len(found), code, given=given, wanted=wanted, got=found[:1])


def _come_by_weight(picks: Any, weights: Any) -> None:
    """Require each set of entries to come as often as its chance lets expect."""
    sets = list(combinations(range(len(weights)), picks.shape[1]))
    chances = np.array([_chance_of_set(weights, each) for each in sets])
    counts = np.array([(picks == each).all(axis=1).sum() for each in sets])
    of = f"weights = {weights}, {len(picks)} draws of {picks.shape[1]}"
    holds = np.array([np.isin(range(len(weights)), each) for each in sets])
    saw = {"share_with_0,_1,_…": of, "wanted": (chances @ holds).round(3)}
    got = (counts / len(picks) @ holds).round(3)
    require(has_shares(counts, chances), "value/distribution", **saw, got=got)


def _chance_of_set(weights: Any, entries: tuple[int, ...]) -> float:
    """Return the chance of these entries, drawn one by one in any order, and none put back."""
    return sum(_chance_in_order(weights, order) for order in permutations(entries))


def _chance_in_order(weights: Any, order: tuple[int, ...]) -> float:
    left, chance = float(weights.sum()), 1.0
    for entry in order:
        chance *= float(weights[entry]) / left
        left -= float(weights[entry])
    return chance


pick = Exercise(
    name="pick",
    questions=without_reuse_checker(
        returns_like(_indices, (_WEIGHTS, 1), (_WEIGHTS, 2), (_WEIGHTS, 3)),
        follows_its_key(_MANY, 12),
        spends_each_key_once(random.key(0), _WEIGHTS, 2),
        _picks_by_weight_and_none_twice,
    ),
    hints=(
        "Two facts of the section decide: what `choice` does with what it has drawn, "
        "and what `categorical` takes.",
        "Both `random.choice` and `random.categorical` have the argument `replace`. "
        "Weights become chances by a sum, log-chances by a logarithm.",
        "One call: the key, the number of entries, a shape of one axis, no putting back, "
        "and the weights over their sum.",
    ),
    verified="no entry twice for 131072 keys; shares as the weights ask, for one to three picks",
    answer=solution,
)
