"""Time several ways of doing one thing side by side, so that what slows one of them slows all.

A machine that is busy, warm or throttled changes its speed while we measure. So the ways take
turns, each round begins with another one, and two ways are compared within a round: the ratio of
two times that lie next to each other says more than each of them. Ratios of single rounds scatter;
their median, and the least and the most of them, say how far they can be trusted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import jax

from traced.python.values import PyTree

#: Ways of doing one thing by their names: functions without arguments.
Ways = Mapping[str, Callable[[], Any]]


@dataclass(frozen=True)
class Spread:
    """How a ratio scatters over the rounds: its median, the least and the most of it."""

    median: float
    least: float
    most: float


@dataclass(frozen=True)
class Timings:
    """Seconds per call of each way, one number for each round."""

    seconds: Mapping[str, Sequence[float]]

    @property
    def best(self) -> dict[str, float]:
        """The shortest of the rounds, of each way."""
        return {name: min(rounds) for name, rounds in self.seconds.items()}

    def ratios(self, base: str) -> dict[str, Spread]:
        """Return how many times as long as `base` each way took, compared within each round.

        Raises `KeyError` where no way has the name `base`.

        >>> Timings({"a": [2.0, 2.0, 9.0], "b": [1.0, 2.0, 3.0]}).ratios("b")["a"]
        Spread(median=2.0, least=1.0, most=3.0)
        """
        return {name: _spread(rounds, self.seconds[base]) for name, rounds in self.seconds.items()}


def measure_times(ways: Ways, *, rounds: int = 5, calls: int = 20) -> Timings:
    """Return the seconds per call of each way, in rounds in which the ways take turns.

    A way is called once before, for its compilation is not counted. In a round it is called `calls`
    times; the clock stops when the last result is there.

    >>> x = jax.numpy.ones(3)
    >>> timings = measure_times({"eager": lambda: x + x, "jit": lambda: jax.jit(lambda: x)()})
    >>> {name: len(seconds) for name, seconds in timings.seconds.items()}
    {'eager': 5, 'jit': 5}
    """
    if not ways:
        raise ValueError("`ways` must not be empty")
    if rounds < 1 or calls < 1:
        raise ValueError(f"`rounds` and `calls` must be 1 or more, got {rounds} and {calls}")
    for call in ways.values():
        _wait(call())
    taken = [time_round(ways, turn, calls=calls, wait=False) for turn in range(rounds)]
    return Timings({name: [each[name] for each in taken] for name in ways})


def time_round(ways: Ways, turn: int, *, calls: int, wait: bool) -> dict[str, float]:
    """Return the seconds per call of each way in one round; another way is the first in each turn.

    `wait` waits for each result before the next call, as printing a loss at every step does.

    >>> order = []
    >>> ways = {name: lambda name=name: order.append(name) for name in "abc"}
    >>> sorted(time_round(ways, 1, calls=1, wait=False)), order
    (['a', 'b', 'c'], ['b', 'c', 'a'])
    """
    names = list(ways)
    first = turn % len(names)
    return {name: _seconds(ways[name], calls, wait) for name in names[first:] + names[:first]}


def _seconds(call: Callable[[], Any], calls: int, wait: bool) -> float:
    result = None
    start = perf_counter()
    for _ in range(calls):
        result = call()
        if wait:
            _wait(result)
    _wait(result)
    return (perf_counter() - start) / calls


def _wait(result: PyTree) -> None:
    jax.block_until_ready(result)  # type: ignore[no-untyped-call]  # JAX gives it no types


def _spread(rounds: Sequence[float], base: Sequence[float]) -> Spread:
    ratios = [mine / its for mine, its in zip(rounds, base, strict=True)]
    return Spread(median(ratios), min(ratios), max(ratios))
