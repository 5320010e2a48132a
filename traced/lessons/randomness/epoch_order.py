"""Shuffle the numbers below `n` in an order of its own for every pair of seed and epoch."""

from collections.abc import Iterator
from itertools import chain, combinations, pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault, require
from traced.lessons.randomness.draws import (
    compare_types,
    deviation,
    equations_do_not_grow,
    is_likely,
    require_repeated,
    without_reuse_checker,
)
from traced.lessons.randomness.solutions.epoch_order import epoch_order as solution
from traced.questions import spends_each_key_once
from traced.randomness.shared_seeds import find_shared_seeds
from traced.running.attempt import attempt
from traced.running.endless import names_loop

_Pair = tuple[int, ...]

#: Pairs of a seed and an epoch.
_RUNS: list[_Pair] = [
    (seed, epoch) for seed in (0, 1, 2, 1000) for epoch in (0, 1, 2, 3, 10, 100, 1000)
]

#: At the ends of what is promised.
_FAR = [(0, 10**6), (10**6, 0), (10**6, 10**6), (999_999, 1)]

#: Where seed and epoch make one number of 32 bits: of so many pairs, about eight have the number of
#: another. The others have one seed or one epoch in common.
_MANY, _MANY_OF_ONE = 2**18, 2**13
#: So many of those that may have one order are looked at.
_TRIED = 3

_LONG = 4000


def _has_each_number_once(answer: Any) -> None:
    for n in (8, 5, 1):
        order = attempt(answer, 0, 3, n)
        compare_types(jnp.arange(n), order, f"seed = 0, epoch = 3, n = {n}")
        saw = {"wanted": f"each of 0 to {n - 1} once", "got": order}
        require(len(np.unique(order)) == n, "value/drawn-twice", **saw)
        require(np.array_equal(np.sort(order), np.arange(n)), "value/differs", **saw)


def _shuffles(answer: Any) -> None:
    """Require long orders in which a number tells neither its place nor the one after it."""
    orders = [np.asarray(attempt(answer, 0, epoch, _LONG)) for epoch in range(4)]
    if all(np.array_equal(orders[0], order) for order in orders):
        return  # the next question says what that comes from
    limit = deviation(2 * len(orders)) / np.sqrt(_LONG)
    for epoch, order in enumerate(orders):
        others = {"its place": np.arange(_LONG), "the number before": np.roll(order, 1)}
        for name, other in others.items():
            found = np.corrcoef(order, other)[0, 1]
            saw = {
                "given": f"seed = 0, epoch = {epoch}, n = {_LONG}",
                "got": f"{order[:8]} and so on",
                "correlation": f"{found:.2f} between a number and {name}",
            }
            require(bool(abs(found) < limit), "value/distribution", **saw)
    _require_moves_of_any_length(np.stack(orders))
    _require_unrelated_orders(orders)


def _require_moves_of_any_length(orders: Any) -> None:
    """Require numbers to lie behind their own places as often as before them, counted in a ring."""
    count, n = orders.shape
    behind = int(np.sum((np.arange(n) - orders) % n < n // 2))
    saw = {"of": f"{count} orders of n = {n}", "wanted": "50.0%"}
    got = f"{behind / orders.size:.1%} of the numbers up to n / 2 places behind their own"
    require(is_likely(behind, orders.size, 0.5), "value/distribution", **saw, got=got)


def _require_unrelated_orders(orders: list[Any]) -> None:
    """Require of each epoch that its order is not the one before, moved round or turned round."""
    for epoch, (before, order) in enumerate(pairwise(orders), start=1):
        if np.array_equal(before, order):
            continue  # the next question says what that comes from
        for turned, other in (("", before), (", read backwards", before[::-1])):
            one, two = (np.fft.rfft(each - each.mean()) for each in (order, other))
            found = np.fft.irfft(one * two.conj(), order.size) / (order.var() * order.size)
            moved = int(np.argmax(abs(found)))
            other_order = f"that of epoch {epoch - 1}{turned} and moved by {moved}"
            saw = {
                "between": f"the order of epoch {epoch} and {other_order}",
                "correlation": f"{found[moved]:.2f}",
            }
            limit = deviation(2 * len(orders) * order.size) / np.sqrt(order.size)
            require(bool(abs(found[moved]) < limit), "keys/related", **saw)


def _has_an_order_for_each_seed_and_epoch(answer: Any) -> None:
    orders = _orders(answer, _RUNS)
    again = np.asarray(attempt(answer, *_RUNS[1], 24))
    require_repeated(orders[_RUNS[1]][:6], again[:6], "seed 0, epoch 1; then others; then again")
    _require_different_orders(orders)
    _require_every_place_for_every_number(np.stack(list(orders.values())))


def _require_every_place_for_every_number(orders: Any) -> None:
    """Require each number at each place, and so far from its own, as often as chance lets."""
    count, n = orders.shape
    of = f"{count} orders of n = {n}"
    for place, number in np.ndindex(n, n):
        times = int(np.sum(orders[:, place] == number))
        saw = {"of": of, f"number_{number}_at_place_{place}": f"in {times} of them"}
        require(is_likely(times, count, 1 / n, tests=n * n), "value/distribution", **saw)
    for far in range(n):
        times = int(np.sum((orders - np.arange(n)) % n == far))
        saw = {"of": of, "numbers_less_their_places": f"{far} for {times} of {orders.size}"}
        fine = is_likely(times, orders.size, 1 / n, tests=n)
        require(fine, "value/distribution", **saw, wanted=f"about {count}")


def _has_an_order_for_numbers_far_apart(answer: Any) -> None:
    alike = [*combinations(_FAR, 2), *_alike_among_many(answer)]
    orders = _orders(answer, list(dict.fromkeys(chain(*alike))))
    for one, other in alike:
        if np.array_equal(orders[one], orders[other]):
            saw = {"seed_and_epoch": f"{one}, {other}", "both": orders[one][:6]}
            raise fault("keys/colliding-seeds", **saw)


def _alike_among_many(answer: Any) -> Iterator[tuple[_Pair, _Pair]]:
    """Yield some pairs of small numbers that may have one order, found among many."""
    pairs = _many_pairs()
    # A loop may have a round for each epoch.
    orders = None if names_loop(answer) else _orders_of_one_program(answer, np.concatenate(pairs))
    if orders is not None:
        yield from _least(_find_equal_rows(np.concatenate(pairs), orders))
        return
    for each, seconds in zip(pairs, (0.8, 0.2, 0.2), strict=True):
        calls = [(seed, epoch, 24) for seed, epoch in each.tolist()]
        found = attempt(find_shared_seeds, answer, calls, seconds)
        yield from _least([(one[:2], other[:2]) for one, other in found])


def _least(found: list[tuple[_Pair, _Pair]]) -> list[tuple[_Pair, _Pair]]:
    return sorted(found, key=lambda two: sum(map(sum, two)))[:_TRIED]


def _find_equal_rows(pairs: Any, orders: Any) -> list[tuple[_Pair, _Pair]]:
    """Return two different pairs wherever they have the same order."""
    # Equal rows have equal sums of products, which begin anew at 2**64.
    factors = np.random.default_rng(0).integers(2**63, size=orders.shape[1], dtype=np.uint64)
    sums = orders.astype(np.uint64) @ factors
    at = np.argsort(sums)
    same = at[:-1][sums[at][:-1] == sums[at][1:]], at[1:][sums[at][:-1] == sums[at][1:]]
    found = (tuple(tuple(pairs[i].tolist()) for i in two) for two in zip(*same, strict=True))
    return [(one, other) for one, other in found if one != other]


def _many_pairs() -> list[Any]:
    """Return pairs of numbers up to a million, as rows: of any, of one seed, and of one epoch."""
    rng = np.random.default_rng(0)
    any_two = rng.integers(0, 10**6, (_MANY, 2), np.int32, endpoint=True)
    ones = rng.permutation(10**6)[:_MANY_OF_ONE].astype(np.int32)
    sevens = np.full_like(ones, 7)
    return [any_two, np.stack([sevens, ones], axis=1), np.stack([ones, sevens], axis=1)]


def _orders(answer: Any, runs: list[_Pair]) -> dict[_Pair, Any]:
    # A loop of JAX outside `jit` is compiled at each call, which takes half a minute for all.
    orders = (
        _orders_of_one_program(answer, np.array(runs, np.int32)) if names_loop(answer) else None
    )
    if orders is not None:
        return dict(zip(runs, orders, strict=True))
    return {run: np.asarray(attempt(answer, *run, 24)) for run in runs}


def _orders_of_one_program(answer: Any, runs: Any) -> Any | None:
    """Return the orders of an answer that is compiled once, or None where it gives others itself.

    Numbers of Python may be treated in another way than traced ones.
    """
    program = jax.jit(jax.vmap(lambda run: answer(run[0], run[1], 24)))
    try:
        orders = np.asarray(attempt(program, runs))
    except Found:
        return None
    asked = ((runs[i].tolist(), orders[i]) for i in (0, -1))
    same = all(np.array_equal(order, attempt(answer, *run, 24)) for run, order in asked)
    return orders if same else None


def _require_different_orders(orders: dict[_Pair, Any]) -> None:
    # First pairs with one number in common: they tell which of the two is not looked at.
    for one, other in sorted(combinations(orders, 2), key=lambda pair: not _share_a_number(*pair)):
        if np.array_equal(orders[one], orders[other]):
            code = "keys/ignored" if _is_ignored(one, other, orders) else "keys/colliding-seeds"
            raise fault(code, seed_and_epoch=f"{one}, {other}", both=orders[one][:6])


def _is_ignored(one: _Pair, other: _Pair, orders: dict[_Pair, Any]) -> bool:
    """Return whether all pairs that have the number of these two in common have one order."""
    if not _share_a_number(one, other):
        return False
    shared = 0 if one[0] == other[0] else 1
    alike = [order for run, order in orders.items() if run[shared] == one[shared]]
    return all(np.array_equal(orders[one], order) for order in alike)


def _share_a_number(one: _Pair, other: _Pair) -> bool:
    return one[0] == other[0] or one[1] == other[1]


epoch_order = Exercise(
    name="epoch_order",
    questions=without_reuse_checker(
        _has_each_number_once,
        _shuffles,
        spends_each_key_once(0, 3, 8),
        _has_an_order_for_each_seed_and_epoch,
        # Before numbers of a million: a loop in Python would take that many steps.
        equations_do_not_grow(lambda epoch: (0, epoch, 8), 3, 30, 300),
        _has_an_order_for_numbers_far_apart,
    ),
    hints=(
        "The seed and the epoch decide, and both have to. Ask which pairs of them a sum, "
        "or a loop of splits, would mix up or walk through.",
        "`random.fold_in` makes a key of a key and a number, and `random.permutation` shuffles.",
        "A key of the seed, from that a key of the epoch, and from that one permutation: "
        "three calls, no loop.",
    ),
    verified="an order of its own for each pair, shuffled and repeatable; "
    "epoch 300 costs what 3 does",
    answer=solution,
)
