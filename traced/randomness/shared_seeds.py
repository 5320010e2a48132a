"""Find two calls of a function whose random numbers begin with one and the same seed."""

import contextlib
import inspect
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import jax
import numpy as np

from traced.python.calls import code_behind
from traced.randomness.ledger import is_key

_Any = TypeVar("_Any")
_Call = tuple[Any, ...]

#: What is given a seed: of the library, and by name.
_SEEDED = [(jax.random, name) for name in ("key", "PRNGKey", "fold_in", "wrap_key_data")]
_SEEDED += [(np.random, name) for name in ("default_rng", "RandomState", "SeedSequence", "seed")]
_SEEDED += [(np.random, name) for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")]

#: What a key keeps of an integer.
_KEPT = 2**32

#: So many calls tell whether a seed differs between them, and so few seeds are always the same.
_FIRST, _FEW = 256, 16

#: All calls are made if that takes at most so many times the seconds that are given.
_SOON = 3


class _Seeded(BaseException):
    """Leaves the reader's code where it seeds; no `except Exception` swallows it."""


class _Seeding:
    """Stands in for all that is given a seed: the first of these calls are made, the next leaves.

    What is made is right, since the reader's code may keep it, and made once for equal seeds.
    """

    def __init__(self, calls: int) -> None:
        self.calls, self.before = calls, 0
        self.made: dict[Any, Any] = {}

    def __call__(self, make: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        kept = _KEPT if make.__module__.startswith("jax") else None
        given = (make.__name__, *(_text(each, kept) for each in (*args, *kwargs.values())))
        if self.before == self.calls:
            raise _Seeded(given)
        self.before += 1
        if given not in self.made:
            self.made[given] = make(*args, **kwargs)
        return self.made[given]

    def seed(self, f: Callable[..., Any], args: _Call) -> Any:
        """Return what is seeded with after the first calls, or the result of `f` if nothing is."""
        self.before = 0
        try:
            return np.asarray(f(*args)).tobytes()
        except _Seeded as seeded:
            return seeded.args
        except Exception:
            return args  # an error is no seed


def find_shared_seeds(
    f: Callable[..., Any], calls: Sequence[_Call], seconds: float = 1.0
) -> list[tuple[_Call, _Call]]:
    """Return pairs of calls in which `f` gives one seed to JAX or NumPy, or none.

    A seed that is nearly always the same, as in `key(0)`, counts as little as no seed: the next
    one is looked at. What follows a seed is not run, so that a hundred thousand calls take about a
    second. Calls that take longer are left after `seconds` of processor time, unless the first ones
    tell that all of them will have been made soon after. Seeds that are given later may still tell
    the two calls apart.

    >>> def draw(a, b):
    ...     return jax.random.normal(jax.random.key(10 * a + b))
    >>> find_shared_seeds(draw, [(a, b) for a in range(5) for b in range(11)])[0]
    ((0, 10), (1, 0))
    """
    f = inspect.unwrap(f)  # what is compiled would not be left
    for count in range(3):
        with _stand_in(f, _Seeding(count)) as seeding:
            begun = time.process_time()
            some = (seeding.seed(f, args) for args in calls[:_FIRST])
            # Each may be compiled before anything is seeded.
            first = set(_for_a_while(some, max(seconds, 1.0)))
            if len(first) > min(_FEW, len(calls) // 2):
                all_of_them = (time.process_time() - begun) * max(1, len(calls) / _FIRST)
                if all_of_them < _SOON * seconds:
                    # What a busy machine does more slowly is found all the same.
                    seconds = max(seconds, 2 * all_of_them)
                seeds = ((args, seeding.seed(f, args)) for args in calls)
                return list(_find_equal(_for_a_while(seeds, seconds)))
    return []


def _find_equal(results: Iterable[tuple[_Call, Any]]) -> Iterator[tuple[_Call, _Call]]:
    calls: dict[Any, _Call] = {}
    for call, result in results:
        earlier = calls.setdefault(result, call)
        if earlier != call:
            yield earlier, call


def _for_a_while(results: Iterable[_Any], seconds: float) -> Iterator[_Any]:
    begun = time.process_time()
    yield from itertools.takewhile(lambda _: time.process_time() - begun < seconds, results)


@contextlib.contextmanager
def _stand_in(f: Callable[..., Any], seeding: _Seeding) -> Iterator[_Seeding]:
    """Put the stand-in where `f` may find what is seeded: in the libraries, or among its names."""
    names = getattr(inspect.unwrap(code_behind(f)), "__globals__", {})
    kept = [(vars(library), name, getattr(library, name)) for library, name in _SEEDED]
    makers = {id(make): make for _, _, make in kept}
    kept += [(names, name, makers[id(it)]) for name, it in names.items() if id(it) in makers]
    try:
        for where, name, make in kept:
            where[name] = partial(seeding, make)
        yield seeding
    finally:
        for where, name, make in kept:
            where[name] = make


def _text(value: Any, kept: int | None) -> Any:
    if isinstance(value, int):
        return value % kept if kept else value
    # A key that was made once is one object.
    return id(value) if is_key(value) else str(np.asarray(value).tolist())
