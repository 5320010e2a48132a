"""What is drawn of many things: neighbours that are alike as one, and of others a few."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import TypeVar

from traced.drawing.outline import ALIKE

FEW = 6  # neighbours drawn, of those that differ

T = TypeVar("T")


def gathered(
    things: Iterable[T], look: Callable[[T], object], as_one: Callable[[list[T]], T]
) -> list[T]:
    """Return the things, with one in place of four or more neighbours that look the same.

    >>> gathered([1, 2, 2, 2, 2], lambda n: n, lambda run: sum(run))
    [1, 8]
    """
    runs = (list(run) for _, run in groupby(things, key=look))
    return [each for run in runs for each in ([as_one(run)] if len(run) >= ALIKE else run)]


def few(things: Sequence[T], stands_out: Callable[[T], bool]) -> tuple[list[T], int]:
    """Return a few of the things, and how many are left out; what stands out is kept.

    >>> few([1, 2, 3, 4, 5, 6, 7, 8, 9], lambda n: n == 8)
    ([1, 2, 3, 4, 8], 4)
    """
    if len(things) <= FEW:
        return list(things), 0
    order = sorted(range(len(things)), key=lambda i: (not stands_out(things[i]), i))
    return [things[i] for i in sorted(order[: FEW - 1])], len(things) - FEW + 1


def span(first: str, last: str) -> str:
    """Return the names of the first and the last of many things, without what both begin with.

    >>> span("keys[0]", "keys[9]"), span("[0]", "[3]"), span("a", "z")
    ('keys[0] … [9]', '[0] … [3]', 'a … z')
    """
    stem, bracket, end = last.rpartition("[")
    short = bracket + end if bracket and first.startswith(stem + bracket) else last
    return f"{first} … {short}" if first != last else first
