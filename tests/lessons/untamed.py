"""Which values a check gives an answer, of those that break what was tried on tame ones only."""

import inspect
import operator
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import combinations
from pathlib import Path

import jax
import numpy as np
import pytest

from traced.running import attempt

#: What is asked by the kind of input that an exercise takes. Numbers are what an answer computes
#: with; a step hands a batch and parameters on; of trees and sizes, no entry matters.
KINDS = {
    "numbers": (
        *("one entry", "an odd size", "a hundred entries", "zero", "negative", "a hundred"),
        *("equal entries", "close entries", "not finite", "one argument twice"),
    ),
    "steps": ("an odd size", "zero", "negative", "a hundred", "one argument twice"),
    "trees": ("three structures", "zero", "one argument twice"),
    "sizes": ("one entry", "an odd size", "a hundred entries"),
    "nothing": (),
}


@contextmanager
def recorded():
    """Yield a list, and add to it the arguments of each attempt that the `with` block makes."""
    calls = []
    kept = attempt._containers_kept

    def record(call, args, kwargs):
        given = [*args, *kwargs.values(), *_enclosed(call, args, kwargs)]
        # As they are now: an answer may change a container, or donate an array. And who looks at a
        # key makes no use of it.
        with jax.debug_key_reuse(False):
            calls.append([_Argument(each) for each in given])
        return kept(call, args, kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attempt, "_containers_kept", record)
        yield calls


def _enclosed(call, *given):
    """Yield what functions among these close over, and the numbers of their module they read."""
    for each in jax.tree.leaves((call, given)):
        while isinstance(each, partial):
            yield from (*each.args, *each.keywords.values())
            each = each.func
        if inspect.isfunction(each) and each.__module__.startswith("traced.lessons"):
            read = inspect.getclosurevars(each)
            yield from read.nonlocals.values()
            yield from (
                x for x in read.globals.values() if isinstance(x, int | float | tuple | ARRAY)
            )


ARRAY = np.ndarray | np.generic | jax.Array


class _Argument:
    """An argument as it was when it was handed over: its structure, sizes and numbers."""

    def __init__(self, value):
        leaves, structure = jax.tree.flatten(value, is_leaf=lambda each: isinstance(each, Iterator))
        self.structure = str(structure)
        self.sizes = [n for leaf in leaves for n in _sizes(leaf)]
        pairs = [(leaf, _numbers(leaf)) for leaf in leaves]
        self.others = [leaf for leaf, numbers in pairs if numbers is None]
        self.numbers = [numbers for _, numbers in pairs if numbers is not None]
        self.floats = [
            numbers.astype(np.float64)
            for numbers in self.numbers
            if numbers.dtype.kind not in "iub"  # the dtypes that NumPy lacks are of another kind
        ]

    def is_like(self, other):
        """Say whether both are trees of the same leaves."""
        return (
            (self.structure, self.sizes) == (other.structure, other.sizes)
            and len(self.numbers) == len(other.numbers)
            and all(map(partial(np.array_equal, equal_nan=True), self.numbers, other.numbers))
            and all(map(operator.is_, self.others, other.others))
        )


def _sizes(leaf):
    if isinstance(leaf, int) and not isinstance(leaf, bool):
        return (leaf,)
    return jax.typeof(leaf).shape if isinstance(leaf, ARRAY | jax.ShapeDtypeStruct) else ()


def _numbers(leaf):
    """Return a leaf as an array of NumPy, or nothing where it holds no numbers that are known."""
    if isinstance(leaf, jax.core.Tracer) or not isinstance(leaf, int | float | ARRAY):
        return None
    if jax.dtypes.issubdtype(getattr(leaf, "dtype", float), jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    array = np.array(leaf)  # a copy: a view of a donated array would keep it from being deleted
    return array if array.dtype.kind in "fiub" or array.dtype.name == "bfloat16" else None


def kinds(calls):
    """Return the names of the kinds of values that are among these calls."""
    arguments = [each for call in calls for each in call]
    sizes = {n for each in arguments for n in each.sizes}
    numbers = [number for each in arguments for number in each.floats]
    finite = [each[np.isfinite(each)] for each in numbers]
    rows = [each for each in numbers if each.ndim and each.size and each.shape[-1] > 1]
    seen = {
        "one entry": 1 in sizes,
        "an odd size": any(n % 2 and n > 1 for n in sizes),
        "a hundred entries": any(n >= 100 for n in sizes) or any(x.size >= 100 for x in numbers),
        "zero": any((x == 0).any() for x in numbers),
        "negative": any((x < 0).any() for x in numbers),
        "a hundred": any((abs(x) >= 100).any() for x in finite),
        "equal entries": any((np.ptp(x, axis=-1) == 0).any() for x in rows),
        "close entries": any(map(_has_neighbours, finite)),
        "not finite": any((~np.isfinite(x)).any() for x in numbers),
        "three structures": len({each.structure for each in arguments if each.numbers}) >= 3,
        "one argument twice": _shares_one(calls),
    }
    return {name for name, there in seen.items() if there}


def _has_neighbours(numbers):
    """Say whether two of these differ by no more than one part in 100,000."""
    numbers = np.unique(numbers)
    return bool((np.diff(numbers) <= 1e-5 * abs(numbers[1:])).any())


def _shares_one(calls):
    """Say whether two calls have an argument in common, and another one not."""
    for one, other in combinations(calls, 2):
        if 1 < len(one) == len(other):
            alike = [x.is_like(y) for x, y in zip(one, other, strict=True)]
            shared = any(like and x.numbers for like, x in zip(alike, one, strict=True))
            if shared and not all(alike):
                return True
    return False


@cache
def table():
    """Return what each exercise takes, and what need not be asked of it."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def wanted(exercise):
    """Return which kinds the check of `LESSON.NAME` has to ask, and those that it need not."""
    (takes,) = (name for name, them in table()["takes"].items() if exercise in them)
    reasons = [each for each in table()["tame"] if exercise in each["of"]]
    return set(KINDS[takes]), {kind: each["why"] for each in reasons for kind in each["kinds"]}
