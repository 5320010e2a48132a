"""Rows that are a tree, drawn: a box for each, indented, with lines to what it belongs to."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from traced.drawing.outline import Branch, gathered
from traced.drawing.shapes import Shape, box, label, line
from traced.python.values import shortened

#: Pixels from row to row, and for each level.
ROW, INDENT = 31, 20
#: Rows that are drawn, and characters of one.
MOST, WIDEST = 24, 26


@dataclass(frozen=True)
class TreeRow:
    """A row: what it shows, its box, and the lines that lead to it."""

    branch: Branch
    box: Shape
    lines: tuple[Shape, ...]

    @property
    def y(self) -> float:
        """The middle of the row."""
        return self.box.east[1]


#: What a box says, its colour, and whether it is dashed.
Look = tuple[str, str, bool]


def tree_rows(
    branches: Iterable[Branch], look: Callable[[Branch], Look]
) -> tuple[list[TreeRow], list[Shape]]:
    """Return the rows of a tree, and what is said of those that are left out.

    Four or more neighbours that are alike become one row.

    >>> rows, left = tree_rows([Branch("a", ((),), (Branch("b", ((),)),))],
    ...                        lambda branch: (branch.label, "grey", False))
    >>> [row.box.west for row in rows], left
    ([(0, 0.0), (20, 31.0)], [])
    """
    every = list(_rows(gathered(branches), 0))
    shown = every if len(every) <= MOST else every[: MOST - 1]
    rows: list[TreeRow] = []
    last: dict[int, Shape] = {}  # the box above, of each level
    for number, (branch, depth) in enumerate(shown):
        text, hue, gone = look(branch)
        drawn = box(INDENT * depth, ROW * number, shortened(text, WIDEST), hue=hue, gone=gone)
        x = drawn.left - INDENT / 2
        lines = [line((x, last[depth - 1].bottom), (x, drawn.west[1]), drawn.west)] if depth else []
        rows.append(TreeRow(branch, drawn, tuple(lines)))
        last[depth] = drawn
    if len(shown) == len(every):
        return rows, []
    told = f"… {len(every) - len(shown)} more rows left out …"
    return rows, [label(0, ROW * len(shown), told, sans=True, muted=True)]


def _rows(branches: Iterable[Branch], depth: int) -> Iterator[tuple[Branch, int]]:
    for branch in branches:
        yield branch, depth
        yield from _rows(branch.children, depth + 1)
