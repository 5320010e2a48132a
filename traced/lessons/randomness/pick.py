"""Draw, for each row, the indices of different entries, with chances in proportion to weights."""

from itertools import combinations, permutations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import random

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.randomness.draws import (
    draws_like,
    for_each_key,
    has_shares,
    without_reuse_checker,
)
from traced.lessons.randomness.solutions.pick import pick as solution
from traced.questions import spends_each_key_once
from traced.running.attempt import attempt

#: Two rows are equal, so that picks can differ by chance alone; one has an entry never to be drawn.
_WEIGHTS = jnp.array([[1.0, 2.0, 5.0], [1.0, 2.0, 5.0], [4.0, 0.0, 1.0]])

#: So small that powers of uniform numbers underflow; and large ones, some of them zero.
_SMALL_AND_LARGE = jnp.array(
    [[0.002, 0.001, 0.003, 0.01, 0.002], [700.0, 4000.0, 1000.0, 0.0, 3000.0]]
)

#: Of so many entries that two keys hardly ever pick the same ones.
_MANY = jax.device_put(np.arange(1, 25, dtype=np.float32)[None, :])

#: Rows of tiny weights, an eighth of them zero, which nothing that is added may outweigh.
_TINY = jax.device_put(np.tile(np.float32(np.arange(301) % 8 * 1e-20), (19, 1)))

#: As many that are equal, and that nearly are.
_ALIKE = np.ones((19, 301), np.float32)
_ALIKE[9:] += np.float32(1e-6) * (np.arange(301) % 4)

#: So many that chances a tenth off are seen; each draw sorts a row, which takes a CPU long.
_DRAWS = 2**14


def _indices(weights: Any, k: int) -> Any:
    return np.zeros((len(weights), k), np.int32)


def _picks_by_weight_and_none_twice(answer: Any) -> None:
    cases = (_WEIGHTS, 1), (_WEIGHTS, 2), (_SMALL_AND_LARGE, 3)
    # In one program, which is sooner compiled than three.
    all_picks = for_each_key(lambda key: [answer(key, *case) for case in cases], _DRAWS)
    for (weights, k), picks in zip(cases, all_picks, strict=True):
        rows = [np.sort(row, axis=1) for row in np.asarray(picks).transpose(1, 0, 2)]
        for row, row_weights in zip(rows, np.asarray(weights, float), strict=True):
            given = f"a row of weights {row_weights}, k = {k}"
            _are_different_entries(row, len(row_weights), given)
            _come_by_weight(row, row_weights)
        _are_unrelated(rows, np.asarray(weights, float))


def _picks_apart_in_many_rows(answer: Any) -> None:
    """Require other entries in each of many rows, and none of weight 0 beside tiny weights."""
    picks = np.sort(np.asarray(attempt(answer, random.key(0), _TINY, 10)), axis=1)
    of = f"19 rows of {_TINY.shape[1]} weights like [0e-20 1e-20 … 7e-20 0e-20 …], k = 10"
    _are_different_entries(picks, _TINY.shape[1], of)
    unweighted = int(np.sum(np.asarray(_TINY)[0][picks] == 0))
    saw = {"of": of, "entries_of_weight_0": f"drawn {unweighted} times"}
    require(not unweighted, "value/distribution", **saw)
    _are_no_repetitions(picks, of)
    alike = jax.device_put(_ALIKE)
    picks = np.sort(np.asarray(attempt(answer, random.key(0), alike, 10)), axis=1)
    of = "19 rows of 301 weights from 1 to 1.000003, k = 10"
    _are_different_entries(picks, 301, of)
    _are_no_repetitions(picks, of)


def _are_no_repetitions(picks: Any, of: str) -> None:
    for i, j in combinations(range(len(picks)), 2):
        saw = {"of": of, "the_same_entries": f"in row {i + 1} and in row {j + 1}"}
        require(not np.array_equal(picks[i], picks[j]), "keys/related", **saw)


def _are_different_entries(picks: Any, size: int, given: str) -> None:
    twice = picks[(np.diff(picks, axis=1) == 0).any(axis=1)]
    beyond = picks[((picks < 0) | (picks >= size)).any(axis=1)]
    for code, found in (("value/drawn-twice", twice), ("value/differs", beyond)):
        wanted = f"{picks.shape[1]} different ones of 0 to {size - 1}"
        require(not len(found), code, given=given, wanted=wanted, got=found[:1])


def _come_by_weight(picks: Any, weights: Any) -> None:
    """Require each set of entries to come as often as its chance lets expect."""
    sets, chances = _sets_with_chances(weights, picks.shape[1])
    counts = _count(picks, sets)
    of = f"a row of weights {weights}, {len(picks)} draws of {picks.shape[1]}"
    unweighted = int(np.isin(picks, np.flatnonzero(weights == 0)).sum())
    saw = {"of": of, "entries_of_weight_0": f"drawn {unweighted} times"}
    require(not unweighted, "value/distribution", **saw)
    holds = np.array([np.isin(range(len(weights)), each) for each in sets])
    saw = {"share_with_0,_1,_…": of, "wanted": (chances @ holds).round(3)}
    got = (counts / len(picks) @ holds).round(3)
    require(has_shares(counts, chances), "value/distribution", **saw, got=got)


def _are_unrelated(rows: list[Any], weights: Any) -> None:
    """Require each two rows to pick each two sets together as often as chance lets.

    They are unrelated if it is as often as the two rows pick these sets. Together rows tell also
    what is too little to be seen in one of them: chances that are not those of the weights.
    """
    for (i, one), (j, other) in combinations(enumerate(rows), 2):
        (some, left), (others, right) = (
            _sets_with_chances(weights[row], one.shape[1]) for row in (i, j)
        )
        both = [(one == each).all(axis=1)[:, None] & _is_each(other, others) for each in some]
        counts, chances = np.stack([each.sum(axis=0) for each in both]), np.outer(left, right)
        observed = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / np.sum(counts) ** 2
        saw = {"between": f"what is picked in row {i + 1} and in row {j + 1}"}
        same = np.mean(
            [len(np.intersect1d(a, b)) for a, b in zip(one[:99], other[:99], strict=True)]
        )
        saw["in_common"] = f"{same:.1f} of {one.shape[1]}, on average of 99 draws"
        came = observed > 0
        require(has_shares(counts[came], observed[came]), "keys/related", **saw)
        far = np.unravel_index(
            np.argmax((counts - len(one) * chances) ** 2 / chances), counts.shape
        )
        left_set, right_set = (", ".join(map(str, each)) for each in (some[far[0]], others[far[1]]))
        saw = {"of": f"draws of {left_set} in row {i + 1} and of {right_set} in row {j + 1}"}
        saw |= {"given": f"rows of weights {weights[i]} and {weights[j]}"}
        saw |= {"wanted": f"{chances[far]:.2%}", "got": f"{counts[far] / len(one):.2%}"}
        require(has_shares(counts.ravel(), chances.ravel()), "value/distribution", **saw)


def _sets_with_chances(weights: Any, k: int) -> tuple[list[tuple[int, ...]], Any]:
    """Return the sets of `k` entries that may be drawn, and the chance of each."""
    sets = list(combinations(np.flatnonzero(weights).tolist(), k))
    return sets, np.array([_chance_of_set(weights, each) for each in sets])


def _count(picks: Any, sets: list[tuple[int, ...]]) -> Any:
    return _is_each(picks, sets).sum(axis=0)


def _is_each(picks: Any, sets: list[tuple[int, ...]]) -> Any:
    """Return a column for each set, which says of each draw whether it is the one."""
    return np.stack([(picks == each).all(axis=1) for each in sets], axis=1)


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
        draws_like(_indices, (_MANY, 12), (_WEIGHTS, 1), (_WEIGHTS, 2), (_SMALL_AND_LARGE, 3)),
        spends_each_key_once(random.key(0), _WEIGHTS, 2),
        _picks_by_weight_and_none_twice,
        _picks_apart_in_many_rows,
    ),
    hints=(
        "First one row: what does `choice` do with what it has drawn, and what does "
        "`categorical` take? Then ask where the key of each row comes from.",
        "`random.choice` has the arguments `replace` and `p`. `jax.vmap` maps a function over "
        "rows, and over as many keys of a `split`.",
        "A function of a key and one row, with a single draw in it, which is told to put nothing "
        "back. Then the same for all rows at once, each with a key of its own.",
    ),
    verified="no entry twice for 16384 keys; shares as the weights ask, rows unrelated, for one "
    "to three picks; none of weight zero beside tiny ones",
    answer=solution,
)
