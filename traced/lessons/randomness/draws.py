"""What an exercise asks of random draws: repeatable, unrelated, standard normal, of one size.

How far a result may lie from what is wanted follows from the number of draws.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import random

from traced.findings.feedback import Found, Question, fault, require
from traced.programs.questions import require_bounded_growth
from traced.questions import compare
from traced.running.attempt import attempt
from traced.running.once import compiled_for_one_run

#: A right answer is told otherwise with a chance of about `exp(-RARE)`, which is one in a million.
RARE = 14.0


def deviation(tests: int = 1) -> float:
    """Return how many standard deviations the largest of so many right results stays within.

    >>> round(deviation(), 2), round(deviation(tests=400), 2)
    (5.29, 6.32)
    """
    return math.sqrt(2 * (RARE + math.log(tests)))


def has_shares(counts: Any, chances: Any) -> bool:
    """Return whether counts of events are what their chances let expect, but for chance.

    >>> has_shares([495, 505], [0.5, 0.5]), has_shares([400, 600], [0.5, 0.5])
    (True, False)
    """
    counts, free = np.asarray(counts, float), len(counts) - 1
    wanted = counts.sum() * np.asarray(chances, float)
    chi_square = float(np.sum((counts - wanted) ** 2 / wanted))
    # Laurent and Massart's bound of the upper tail of a chi-square distribution.
    return chi_square < free + 2 * math.sqrt(free * RARE) + 2 * RARE


def is_likely(count: int, trials: int, chance: float, tests: int = 1) -> bool:
    """Return whether so many of the trials may have had an event that comes with this chance.

    >>> is_likely(7, trials=28, chance=1 / 24), is_likely(28, trials=28, chance=1 / 24)
    (True, False)
    """
    both = (count / trials, chance), (1 - count / trials, 1 - chance)
    # Chernoff's bound: the probability of a count this far off is below `exp(-surprise)`.
    surprise = trials * sum(share * math.log(share / wanted) for share, wanted in both if share)
    return surprise < RARE + math.log(tests)


def without_reuse_checker(*questions: Question) -> tuple[Question, ...]:
    """Ask with JAX's own reuse checker off, which the lesson turns on.

    It would raise where we give the same key twice, and where our finding has two lines to show.
    """

    def ask(question: Question, answer: Any) -> None:
        with jax.debug_key_reuse(False):
            # An answer may return one thing now and another later, which our arithmetic trips over.
            attempt(question, answer)

    return tuple(partial(ask, question) for question in questions)


def draws_like(wanted: Callable[..., Any], *cases: tuple[Any, ...]) -> Question:
    """Ask for the structure, shapes and dtypes of what `wanted` returns at a case, and for draws.

    At the first case, equal keys have to give equal numbers, and another key others. For the other
    cases the answer is traced, which compiles nothing.
    """

    def question(answer: Any) -> None:
        case, *others = cases
        one = attempt(answer, random.key(1), *case)
        _compare_to(wanted, one, case)
        for other in others:
            _compare_to(wanted, _trace(answer, other), other)
        _require_follows(one, answer, *case)

    return question


def _compare_to(wanted: Callable[..., Any], got: Any, case: tuple[Any, ...]) -> None:
    at = f"key(1), {', '.join(map(str, case))}"
    compare_types(wanted(*case), list(got) if type(got) is tuple else got, at)


def _trace(answer: Any, case: tuple[Any, ...]) -> Any:
    """Return zeros of the shapes and dtypes of what an answer returns."""
    got = attempt(jax.eval_shape, lambda key: answer(key, *case), random.key(1))
    return zeros_like(got)


def for_each_key(answer: Callable[..., Any], count: int, *args: Any) -> Any:
    """Return what an answer gives for each of so many keys and the same other arguments.

    From one program, since that of a random number takes longer to compile than to run.
    """
    run = compiled_for_one_run(jax.vmap(lambda key: answer(key, *args)))
    return attempt(run, jax.vmap(random.key)(np.arange(count)))


def zeros_like(types: Any) -> Any:
    """Return zeros of the shapes and dtypes of a tree, which compiles nothing unless they are keys.

    >>> zeros_like(jax.ShapeDtypeStruct((2,), "float32"))
    array([0., 0.], dtype=float32)
    """

    def zeros(each: Any) -> Any:
        is_key = jnp.issubdtype(each.dtype, jax.dtypes.extended)
        return (jnp if is_key else np).zeros(each.shape, each.dtype)

    return jax.tree.map(zeros, types)


def compare_types(wanted: Any, got: Any, given: str) -> None:
    """Compare the structure, shapes and dtypes of two results, and not their random values."""
    try:
        compare(wanted, got, given=given)
    except Found as found:
        if found.finding.code != "value/differs":  # the values are random
            raise


def follows_its_key(*args: Any) -> Question:
    """Ask whether equal keys give equal numbers, and another key gives others."""

    def question(answer: Any) -> None:
        _require_follows(attempt(answer, random.key(1), *args), answer, *args)

    return question


def _require_follows(one: Any, answer: Any, *args: Any) -> None:
    """Require what `key(1)` gave once more, and other numbers of another key."""
    keys = random.key(1), random.key(2)
    one, again, other = map(_numbers, (one, *(attempt(answer, key, *args) for key in keys)))
    require_repeated(one, again, "key(1)")
    require(not np.array_equal(one, other), "keys/ignored", keys="key(1), key(2)", both=one[:4])


def _numbers(tree: Any) -> Any:
    """Return the numbers of a tree as one vector, rounded."""
    return np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(tree)]).round(3)


def require_repeated(one: Any, again: Any, given: str) -> None:
    """Require two calls with the same key to have given the same numbers."""
    saw = {"first_call": one[:4], "second_call": again[:4]}
    require(np.array_equal(one, again), "keys/not-repeatable", given=given, **saw)


def require_scale(numbers: Any, of: str, tests: int = 1) -> None:
    """Require the mean 0 and the standard deviation 1 of numbers, as far as so many can tell."""
    z = np.asarray(numbers, float)
    allowed = deviation(tests) / math.sqrt(z.size)
    # A standard deviation is known better than a mean, by the root of two.
    fine = abs(z.mean()) < allowed and abs(z.std() - 1) < allowed / math.sqrt(2)
    got = f"mean {z.mean():.2f}, standard deviation {z.std():.2f}"
    require(bool(fine), "value/differs", of=of, wanted="mean 0, standard deviation 1", got=got)


def require_normal(rows: Iterable[Any], of: str) -> None:
    """Require thousands of numbers to be distributed normally, whatever the scale of their row."""
    rows = [np.ravel(row).astype(float) for row in rows]
    # A row of equal numbers has no distribution: its scale is another question.
    z = np.concatenate([np.zeros(0), *((r - r.mean()) / r.std() for r in rows if r.std() > 0)])
    if not z.size:
        return
    ends = np.arange(-3, 3.5, 0.5)
    below = np.array([0.0, *(0.5 * math.erfc(-end / math.sqrt(2)) for end in ends), 1.0])
    counts = np.bincount(np.searchsorted(ends, z), minlength=len(ends) + 1)
    chances = np.diff(below)
    off = int(np.argmax((counts / z.size - chances) ** 2 / chances))
    between = [-np.inf, *ends, np.inf][off : off + 2]
    saw = {
        "of": of,
        "standard_deviations_from_the_mean": f"{between[0]:g} to {between[1]:g}",
        "wanted": f"{chances[off]:.2%} of the numbers",
        "got": f"{counts[off] / z.size:.2%}",
    }
    if not has_shares(counts, chances):
        raise fault("value/distribution", **saw).saying(rule=_NORMAL, read=_READ)


#: What is said of numbers that are not normal; the rule of others is about `choice`.
_NORMAL = "`random.normal` draws standard normal numbers; each other sampler has its own shape"
_READ = "04_randomness, “A key gives the same numbers each time”"


def require_unrelated(rows: Mapping[str, Any]) -> None:
    """Require numbers at equal positions of two named rows to have a correlation near zero."""
    pairs = list(combinations([(name, np.ravel(row)) for name, row in rows.items()], 2))
    for (one, left), (other, right) in pairs:
        size = min(left.size, right.size)
        with np.errstate(all="ignore"):  # a row of equal numbers has no correlation
            found = np.corrcoef(left[:size], right[:size])[0, 1]
        saw = {"between": f"{one} and {other}", "correlation": f"{found:.2f}"}
        fine = abs(found) < deviation(len(pairs)) / math.sqrt(size)
        require(bool(fine), "keys/related", **saw)


def require_independent(numbers: Any, name: Callable[[int], str], of: str) -> None:
    """Require each two numbers of a draw to be unrelated, in value and in size, over many draws.

    `numbers` has a row for each number of a draw. Where they were moved or scaled to an exact mean
    or deviation, they hang together: the others tell what the last one is.
    """
    for aspect, values in (("", numbers), (", without signs", abs(numbers))):
        found = np.triu(np.corrcoef(values), k=1)
        i, j = np.unravel_index(np.argmax(abs(found)), found.shape)
        between = f"{name(int(i))} and {name(int(j))}{aspect}"
        saw = {"of": of, "between": between, "correlation": f"{found[i, j]:.2f}"}
        limit = deviation(found.size // 2) / np.sqrt(numbers.shape[1])
        require(bool(abs(found[i, j]) < limit), "keys/related", **saw)


def require_no_copies(numbers: Any, of: str) -> None:
    """Require random numbers to be different, and not each other's negatives either."""
    z = np.ravel(numbers).astype(float)
    seen = {"wanted": "finite numbers", "got": f"{np.sum(~np.isfinite(z))} that are not finite"}
    require(bool(np.isfinite(z).all()), "value/differs", given=of, **seen)
    # What was scaled and scaled back differs in the last digits; chance brings few copies.
    different = len(np.unique(abs(z).round(6)))
    saw = {"numbers": z.size, "different_ones": f"{different / z.size:.0%}, whatever their sign"}
    require(different > 0.9 * z.size, "keys/related", of=of, **saw)


def equations_do_not_grow(make: Callable[[int], tuple[Any, ...]], *sizes: int) -> Question:
    """Ask whether the answer traces to as much for `make` of each size as for that of the first.

    None of these arguments is traced: one of them may be the length of the result. The sizes
    increase, so that a loop in Python is not traced for the largest.
    """

    def question(answer: Any) -> None:
        def traced(n: int) -> tuple[Any, ...]:
            return ((lambda: answer(*make(n))),)

        for large in sizes[1:]:
            require_bounded_growth(traced, sizes[0], large, size="at {}")

    return question
