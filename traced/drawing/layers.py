"""Where the boxes of a graph go that is drawn in rows: each edge leads to a row further down.

The order in a row is by the middle of the neighbours, from above and from below in turns, and of
all orders that came up the one with the fewest crossings is kept.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from math import fsum

SWEEPS = 8
#: How wide an edge is where it passes a row.
PASSING = 6.0
#: How much one stays where it wishes to be: an edge more than a box, what only comes in much less.
STRAIGHT, PLIANT = 4.0, 0.05

#: From one end of an edge to the next at the top of a box, at most.
PORTS = 16.0

Edge = tuple[int, int]


@dataclass
class Layers:
    """A graph in rows: `widths` and `rows` of its boxes, its `edges`, and then `x` of each box.

    An edge that passes a row has a narrow place in it, a box of its own; edges from one box share
    it. `x` is the middle of a box.
    """

    widths: list[float]
    rows: list[int]
    edges: Sequence[Edge]
    apart: float = 22
    x: list[float] = field(default_factory=list)
    order: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.count = len(self.widths)
        self.sources = list(range(self.count))
        self.passing: dict[Edge, int] = {}
        #: What has room for itself: the places in it, its rows, its left and its right end.
        self.kept: list[tuple[set[int], range, float, float]] = []
        self.above: defaultdict[int, list[int]] = defaultdict(list)
        self.below: defaultdict[int, list[int]] = defaultdict(list)
        self.ports: defaultdict[Edge, float] = defaultdict(float)
        for start, end in dict.fromkeys(self.edges):
            for upper, lower in pairwise(self._places(start, end)):
                if upper not in self.above[lower]:
                    self.above[lower].append(upper)
                    self.below[upper].append(lower)
            reads = [each for each, other in self.edges if other == end]
            middles = [i - (len(reads) - 1) / 2 for i, each in enumerate(reads) if each == start]
            self.ports[self._places(start, end)[-2], end] = PORTS * fsum(middles) / len(middles)
        self.order = [[] for _ in range(max(self.rows, default=-1) + 1)]
        for place, number in enumerate(self.rows):
            self.order[number].append(place)
        self.x = [0.0] * len(self.rows)
        for row in self.order:
            self._settle(row, [0.0] * len(row))

    def _places(self, start: int, end: int) -> list[int]:
        return [start, *(self._passing(start, row) for row in self._between(start, end)), end]

    def _between(self, start: int, end: int) -> range:
        return range(self.rows[start] + 1, self.rows[end])

    def _passing(self, start: int, row: int) -> int:
        if (start, row) not in self.passing:
            self.passing[start, row] = len(self.rows)
            self.rows.append(row)
            self.widths.append(PASSING)
            self.sources.append(start)
        return self.passing[start, row]

    def way(self, start: int, end: int) -> list[int]:
        """Return the narrow places that an edge passes, from above."""
        return [self.passing[start, row] for row in self._between(start, end)]

    def arrange(self) -> None:
        """Find the order in each row, and the middle of each box.

        >>> layers = Layers([40, 40, 40, 40], [0, 0, 1, 1], [(0, 3), (1, 2)])
        >>> layers.arrange()
        >>> layers.x[0] == layers.x[3], layers.x[1] == layers.x[2]
        (True, True)
        """
        best, fewest = [list(row) for row in self.order], self._crossings()
        for sweep in range(SWEEPS):
            rows = self.order[-2::-1] if sweep % 2 else self.order[1:]
            for row in rows:
                wished = {place: self._wish(place, up=sweep % 2 == 1) for place in row}
                row.sort(key=lambda place: round(wished[place], 3))
                self._settle(row, [wished[place] for place in row])
            if (crossings := self._crossings()) < fewest:
                best, fewest = [list(row) for row in self.order], crossings
        self.order = best
        for _ in range(SWEEPS):
            for row in (*self.order, *reversed(self.order)):
                self._settle(row, [self._wish(each, up=self._comes_in(each)) for each in row])

    def _wish(self, place: int, *, up: bool) -> float:
        """Return where a box is straight below what leads to it, or above what it leads to."""
        if up:
            wishes = [self.x[each] + self.ports[place, each] for each in self.below[place]]
        else:
            # What comes in only here gives way to the rest.
            above = self.above[place]
            inner = [each for each in above if not self._comes_in(each)] or above
            wishes = [self.x[each] - self.ports[each, place] for each in inner]
        if not self.above[place] and not self.below[place]:
            wishes = [self.x[each] for each in self.order[self.rows[place]]]
        return fsum(wishes) / len(wishes) if wishes else self.x[place]

    def _crossings(self) -> int:
        at = {place: i for row in self.order for i, place in enumerate(row)}
        count = 0
        for row in self.order[1:]:
            # Two that reach one box cross if their ends are in another order than their starts.
            ends = [
                (at[upper], at[lower] + self.ports[upper, lower] / 1000)
                for lower in row
                for upper in self.above[lower]
            ]
            count += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(ends, 2))
        return count

    def _settle(self, row: Sequence[int], wished: Sequence[float]) -> None:
        """Put the boxes of a row as near to where they wish to be as they fit side by side."""
        starts = [0.0]
        for left, right in pairwise(row):
            apart = (self.widths[left] + self.widths[right]) / 2 + self.apart
            starts.append(starts[-1] + apart)
        # Each block is of boxes that touch; two that overlap become one, at the mean of both.
        blocks: list[tuple[float, float, int]] = []
        for place, start, wish in zip(row, starts, wished, strict=False):
            weight = self._weight(place)
            total, size = weight * (wish - start), 1
            while blocks and blocks[-1][1] / blocks[-1][0] > total / weight:
                other = blocks.pop()
                weight, total, size = weight + other[0], total + other[1], size + other[2]
            blocks.append((weight, total, size))
        shifts = [total / weight for weight, total, size in blocks for _ in range(size)]
        for place, start, shift in zip(row, starts, shifts, strict=False):
            self.x[place] = start + shift

    def _weight(self, place: int) -> float:
        if self._comes_in(place):
            return PLIANT
        return 1.0 if place < self.count else STRAIGHT

    def _comes_in(self, place: int) -> bool:
        return not self.above[self.sources[place]]

    def span(self, places: Iterable[int]) -> tuple[float, float]:
        """Return the left and the right end of some boxes."""
        halves = [(self.x[each], self.widths[each] / 2) for each in places]
        return min(x - half for x, half in halves), max(x + half for x, half in halves)

    def inner(self, group: Collection[int]) -> set[int]:
        """Return the boxes of a group, and the places that the edges between them pass."""
        passed = (self.way(*edge) for edge in self.edges if set(edge) <= set(group))
        return {*group, *(place for way in passed for place in way)}

    def make_room(self, group: Collection[int], left: float, right: float) -> bool:
        """Push all others out of the rectangle around a group, wider by so much at its sides.

        Returns whether any had to move.

        >>> layers = Layers([40, 40, 40], [0, 1, 2], [(0, 1), (1, 2), (0, 2)])
        >>> layers.make_room([0, 2], 5, 5), round(layers.x[1]) == 0
        (True, False)
        """
        inside = self.inner(group)
        self.kept = [each for each in self.kept if each[0] != inside]
        rows = [self.rows[each] for each in inside]
        start, end = self.span(inside)
        middle, was = (start + end) / 2, list(self.x)
        for row in self.order[min(rows) : max(rows) + 1]:
            others = sorted((each for each in row if each not in inside), key=lambda i: self.x[i])
            limit = start - left
            for each in reversed([each for each in others if self.x[each] < middle]):
                self.x[each] = min(self.x[each], limit - self.widths[each] / 2)
                limit = self.x[each] - self.widths[each] / 2 - self.apart
            limit = end + right
            for each in (each for each in others if was[each] >= middle):
                self.x[each] = max(self.x[each], limit + self.widths[each] / 2)
                limit = self.x[each] + self.widths[each] / 2 + self.apart
        self.kept.append((inside, range(min(rows), max(rows) + 1), start - left, end + right))
        return self.x != was

    def straighten(self) -> None:
        """Lead each long edge straight down, as far as it does not come upon anything."""
        ways = [self.way(*edge) for edge in dict.fromkeys(self.edges)]
        for way in sorted(ways, key=len, reverse=True):
            if len(way) > 1:
                ends = [*self.above[way[0]], *self.below[way[-1]]]
                sides = [x for _, _, left, right in self.kept for x in (left - 4, right + 4)]
                tried = [*(self.x[each] for each in (*ends, *way)), *sides]
                free = [x for x in tried if all(self._is_free(each, x) for each in way)]
                far = {x: fsum(abs(self.x[each] - x) for each in ends) for x in free}
                if far:
                    best = min(far, key=lambda x: (round(far[x], 3), round(x, 3)))
                    for each in way:
                        self.x[each] = best

    def _is_free(self, place: int, x: float) -> bool:
        row = self.rows[place]
        near = any(
            abs(self.x[each] - x) < (self.widths[each] + PASSING) / 2 + 8
            for each in self.order[row]
            if each != place
        )
        return not near and not any(
            left < x < right and row in rows and place not in inside
            for inside, rows, left, right in self.kept
        )
