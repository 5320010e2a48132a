"""What 04_randomness asks."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import random

from traced.attempt import attempt
from traced.exercise import Exercise, Question
from traced.feedback import Found, require
from traced.probes.growth import grown
from traced.probes.jaxprs import find_equations
from traced.questions import compare, spends_each_key_once
from traced.solutions import randomness as solutions


def _unchecked(*questions: Question) -> tuple[Question, ...]:
    """Ask with JAX's own reuse checker off, which the lesson turns on.

    It would raise where we give the same key twice, and where our finding has two lines to show.
    """

    def ask(question: Question, answer: Any) -> None:
        with jax.debug_key_reuse(False):
            # An answer may return one thing now and another later, which our arithmetic trips over.
            attempt(question, answer)

    return tuple(partial(ask, question) for question in questions)


def _returns_like(wanted: Callable[..., Any], *cases: tuple[Any, ...]) -> Question:
    """Ask for the structure, shapes and dtypes of what `wanted` returns at `key(0)` and a case."""

    def question(answer: Any) -> None:
        for case in cases:
            got, at = attempt(answer, random.key(0), *case), f"key(0), {', '.join(map(str, case))}"
            _compare_types(wanted(*case), list(got) if type(got) is tuple else got, at)

    return question


def _compare_types(wanted: Any, got: Any, given: str) -> None:
    try:
        compare(wanted, got, given=given)
    except Found as found:
        if found.finding.code != "value/differs":  # the values are random
            raise


def _follows_its_key(draw: Callable[[Any, Any], Any]) -> Question:
    def question(answer: Any) -> None:
        keys = (random.key(seed) for seed in (1, 1, 2))
        one, again, other = (_flat(attempt(draw, answer, key)) for key in keys)
        _require_repeated(one, again, "key(1)")
        require(not np.array_equal(one, other), "keys/ignored", keys="key(1), key(2)", both=one[:4])

    return question


def _flat(tree: Any) -> Any:
    return np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(tree)]).round(3)


def _require_repeated(one: Any, again: Any, given: str) -> None:
    saw = {"first_call": one[:4], "second_call": again[:4]}
    require(np.array_equal(one, again), "keys/not-repeatable", given=given, **saw)


def _require_normal(numbers: Any, of: str) -> None:
    """Require hundreds of numbers to look as if they were standard normal."""
    z = np.asarray(numbers, float)
    fine = abs(z.mean()) < 0.25 and abs(z.std() - 1) < 0.2 and np.abs(z).max() > 2
    got = f"mean {z.mean():.2f}, standard deviation {z.std():.2f}, all below {np.abs(z).max():.2f}"
    require(bool(fine), "value/distribution", of=of, wanted="standard normal numbers", got=got)


def _require_unrelated(rows: Iterable[Any], what: str, limit: float) -> None:
    """Require numbers at equal positions of two rows to have a correlation near zero."""
    for (i, left), (j, right) in combinations(enumerate(map(np.ravel, rows), start=1), 2):
        size = min(left.size, right.size)
        with np.errstate(all="ignore"):  # a row of equal numbers has no correlation
            found = np.corrcoef(left[:size], right[:size])[0, 1]
        saw = {"between": f"{what} {i} and {what} {j}", "correlation": f"{found:.2f}"}
        require(bool(abs(found) < limit), "keys/related", **saw)


def _keeps_its_size(at: Callable[[Any, int], Callable[..., Any]], small: int, large: int) -> Any:
    """Ask whether `at(answer, size)`, a function of nothing, traces to as much for both sizes."""

    def question(answer: Any) -> None:
        few, many = (attempt(find_equations, at(answer, size)) for size in (small, large))
        saw = {f"at_{small}": f"{len(few)} equations", f"at_{large}": f"{len(many)} equations"}
        require(len(many) <= len(few), "loops/unrolled", grown(few, many), **saw)

    return question


_SIZES = (48, 24, 24, 48)  # with two layers of 24 rows, in case a key is made from the sizes


def _layers_look_random(answer: Any) -> None:
    layers = attempt(answer, random.key(0), _SIZES)
    _require_unrelated(layers, "layer", 0.2)
    for i, layer in enumerate(layers, start=1):
        _require_normal(layer * np.sqrt(len(layer)), f"layer {i}, times the root of its rows")


init_layers = Exercise(
    name="init_layers",
    questions=_unchecked(
        _returns_like(lambda sizes: [*map(jnp.zeros, pairwise(sizes))], (_SIZES,), ((3, 4, 2),)),
        _follows_its_key(lambda answer, key: answer(key, _SIZES)),
        spends_each_key_once(random.key(0), _SIZES),
        _layers_look_random,
    ),
    hints=(
        "Ask how often the key that was passed is used, for three sizes and for four.",
        "`random.split(key)` returns two new keys, `random.split(key, n)` returns n. "
        "The key that was split is spent.",
        "Either carry a key through the loop and split off one for each layer, or make all keys "
        "first and walk over sizes and keys together.",
    ),
    verified="shapes for two lists of sizes; one key for each layer; no correlation between layers",
    answer=solutions.init_layers,
)


def _steps_look_random(answer: Any) -> None:
    keys = random.split(random.key(0), 400)
    walks = np.asarray(attempt(jax.vmap(lambda key: answer(key, 6)), keys)).T
    noise = walks - 0.5 * np.stack([np.zeros(400), *walks[:-1]])
    for i, numbers in enumerate(noise, start=1):
        _require_normal(numbers, f"position {i} less half the one before, for 400 keys")
    found = np.corrcoef(*walks[:2])[0, 1]
    saw = {"of": "positions 1 and 2", "wanted": "a correlation of 0.45", "got": f"{found:.2f}"}
    require(abs(found) > 0.2, "value/differs", **saw)
    _require_unrelated(noise, "step", 0.3)


rollout = Exercise(
    name="rollout",
    questions=_unchecked(
        _returns_like(jnp.zeros, (4,), (6,)),
        _follows_its_key(lambda answer, key: answer(key, 6)),
        spends_each_key_once(random.key(0), 4),
        _steps_look_random,
        _keeps_its_size(lambda answer, n: lambda: answer(random.key(0), n), 4, 12),
    ),
    hints=(
        "In the walk above, `scan` hands its body a row at a time. An array of keys has rows too.",
        "`random.split(key, n)` is an array of n keys, which can be the third argument of `scan`.",
        "The body takes a position and a key, and returns the next position twice. "
        "The scan starts at zero and walks along as many keys as there are steps.",
    ),
    verified="six steps for 400 keys, standard normal and unrelated; equations do not grow with n",
    answer=solutions.rollout,
)


_IDS = jnp.array([7, 50_000, 3, 0, 12, 1, 2, 40_001])
_BATCH = jnp.arange(1.0, 4097.0).reshape(8, 512)


def _drops_or_doubles(answer: Any) -> None:
    got = attempt(answer, random.key(0), _IDS, _BATCH)
    _compare_types(_BATCH, got, "8 ids, batch = f32[8,512]")
    ratio = np.unique(np.round(np.asarray(got) / _BATCH, 3))
    require(set(ratio) <= {0, 2}, "value/differs", wanted="each entry 0 or doubled", got=ratio)


def _drops_the_same_in_any_batch(answer: Any) -> None:
    seen: dict[int, Any] = {}
    for rows in (range(8), range(4), range(4, 8), (6, 2, 0, 5, 1, 7, 3, 4)):
        at = np.array(rows)
        batch = np.asarray(attempt(answer, random.key(0), _IDS[at], _BATCH[at]))
        for i, row in zip(rows, batch, strict=True):
            saw = {"id": _IDS[i], "in_a_batch_of": _IDS.tolist(), "and_of": _IDS[at].tolist()}
            require(np.array_equal(seen.setdefault(i, row), row), "keys/batch-dependent", **saw)


def _masks_look_random(answer: Any) -> None:
    kept = np.asarray(attempt(answer, random.key(0), _IDS, _BATCH)) != 0
    for i, share in enumerate(kept.mean(axis=1), start=1):
        require(0 < share < 1, "keys/related", between=f"all entries of row {i}", kept=share)
        require(abs(share - 0.5) < 0.15, "value/distribution", kept=f"{share:.2f}", wanted="0.50")
    _require_unrelated(kept.astype(float), "row", 0.3)


dropout = Exercise(
    name="dropout",
    questions=_unchecked(
        _drops_or_doubles,
        _follows_its_key(lambda answer, key: answer(key, _IDS, _BATCH)),
        spends_each_key_once(random.key(0), _IDS, _BATCH),
        _masks_look_random,
        _drops_the_same_in_any_batch,
        _keeps_its_size(lambda f, n: lambda: f(random.key(0), _IDS[:n], _BATCH[:n]), 4, 8),
    ),
    hints=(
        "Two batches share an example and its id, and nothing else. "
        "Which of these may decide what is dropped?",
        "`random.fold_in(key, i)` makes a key of a number, also of a traced one. "
        "`random.bernoulli` draws True or False.",
        "A function of one id and one row that makes the key of this row, draws a mask and selects "
        "by it; `vmap` maps it over both arguments.",
    ),
    verified="masks of eight rows unrelated, and the same in batches of eight and of four",
    answer=solutions.dropout,
)


def _orders(answer: Any) -> None:
    for n in (8, 5):
        order = attempt(answer, 0, 3, n)
        _compare_types(jnp.arange(n), order, f"seed = 0, epoch = 3, n = {n}")
        once = np.array_equal(np.sort(order), np.arange(n))
        require(once, "value/drawn-twice", wanted=f"each of 0 to {n - 1} once", got=order)


def _orders_differ(answer: Any) -> None:
    runs = [(seed, epoch) for seed in (0, 1, 2, 1000) for epoch in (0, 1, 2, 3, 10, 100, 1000)]
    orders = {run: np.asarray(attempt(answer, *run, 24)) for run in runs}
    again = np.asarray(attempt(answer, *runs[1], 24))
    _require_repeated(orders[runs[1]][:6], again[:6], "seed 0, epoch 1; then others; then again")
    # First pairs with one number in common: they tell which of the two is not looked at.
    for one, other in sorted(combinations(runs, 2), key=lambda pair: not _shared(*pair)):
        code = "keys/ignored" if _shared(one, other) else "keys/colliding-seeds"
        saw = {"seed_and_epoch": f"{one}, {other}", "both": orders[one][:6]}
        require(not np.array_equal(orders[one], orders[other]), code, **saw)


def _shared(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] == other[0] or one[1] == other[1]


epoch_order = Exercise(
    name="epoch_order",
    questions=_unchecked(
        _orders,
        _orders_differ,
        spends_each_key_once(0, 3, 8),
        _keeps_its_size(lambda answer, epoch: lambda: answer(0, epoch, 8), 3, 30),
    ),
    hints=(
        "The seed and the epoch decide, and both have to. Ask which pairs of them a sum, "
        "or a loop of splits, would mix up or walk through.",
        "`random.fold_in` makes a key of a key and a number, and `random.permutation` shuffles.",
        "A key of the seed, from that a key of the epoch, and from that one permutation: "
        "three calls, no loop.",
    ),
    verified="28 orders of four seeds, all different and repeatable; epoch 30 costs what 3 does",
    answer=solutions.epoch_order,
)


_WEIGHTS = jnp.array([1.0, 2.0, 5.0])


def _many_picks(answer: Any, key: Any) -> Any:
    return [answer(random.fold_in(key, i), _WEIGHTS, 2) for i in range(16)]


def _picks_look_random(answer: Any) -> None:
    keys = random.split(random.key(0), 800)
    chance = np.asarray(_WEIGHTS / _WEIGHTS.sum())
    second = [sum(np.delete(chance * p / (1 - chance), i)) for i, p in enumerate(chance)]
    for k, wanted in ((1, chance), (2, chance + second)):
        picks = np.asarray(attempt(jax.vmap(lambda key, k=k: answer(key, _WEIGHTS, k)), keys))
        for pick in picks:
            require(len(set(pick)) == k, "value/drawn-twice", given=f"k = {k}", got=pick)
        share = np.array([(picks == i).any(axis=1).mean() for i in range(3)])
        saw = {"wanted": wanted.round(2), "got": share.round(2)}
        close = np.allclose(share, wanted, atol=0.08)
        require(close, "value/distribution", share_of=f"0, 1, 2 in 800 draws of {k}", **saw)


pick = Exercise(
    name="pick",
    questions=_unchecked(
        _returns_like(lambda _, k: jnp.zeros(k, int), *((_WEIGHTS, k) for k in (1, 2, 3))),
        _follows_its_key(_many_picks),
        spends_each_key_once(random.key(0), _WEIGHTS, 2),
        _picks_look_random,
    ),
    hints=(
        "Two facts of the section decide: what `choice` does with what it has drawn, "
        "and what `categorical` takes.",
        "Both `random.choice` and `random.categorical` have the argument `replace`. "
        "Weights become chances by a sum, log-chances by a logarithm.",
        "One call: the key, the number of entries, a shape of one axis, no putting back, "
        "and the weights over their sum.",
    ),
    verified="no entry twice for 800 keys; shares as the weights ask, for one pick and for two",
    answer=solutions.pick,
)
