"""The lines of a program, of which some are folded below others, and some left out."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

#: Lines shown of a program, and of one level of it.
MOST, MOST_OF_LEVEL = 1500, 300

#: What a line says that stands for others.
LEFT_OUT = "more lines left out …"


@dataclass(frozen=True)
class Line:
    """A line: its text, how far it is indented, what it was made from, the lines folded below.

    A line that did not get any further has a `fate`, which says why. Where the text is long,
    `brief` says it with `details` left out.
    """

    text: str
    depth: int = 0
    of: tuple[Any, ...] = ()
    inner: tuple["Line", ...] = ()
    fate: str = ""
    brief: str = ""
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " " * self.depth + self.text


def flat(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield all lines, those that are folded too.

    >>> [each.text for each in flat([Line("a", inner=(Line("b"),)), Line("c")])]
    ['a', 'b', 'c']
    """
    for line in lines:
        yield line
        yield from flat(line.inner)


def cut(lines: Sequence[Line], most: int = MOST) -> tuple[Line, ...]:
    """Return at most so many lines, give or take one for each cut, which says what is left out.

    What lies deepest is cut first: a level is shown before what is folded in it.

    >>> for line in cut([Line(str(i)) for i in range(9)], 5): print(line)
    0
    1
    … 5 more lines left out …
    7
    8
    """
    # One level may take all there is room for, if more was asked for than is shown of itself.
    kept = _middle_cut(lines, max(1, min(most, max(MOST_OF_LEVEL, most - MOST))))
    budget, result = most - len(kept), []
    for line in kept:
        inner = cut(line.inner, budget) if line.inner else ()
        budget -= sum(1 for _ in flat(inner))
        result.append(replace(line, inner=inner))
    return tuple(result)


def _middle_cut(lines: Sequence[Line], most: int) -> list[Line]:
    if len(lines) <= most:
        return list(lines)
    head, tail = most // 2, most - most // 2 - 1
    left = lines[head : len(lines) - tail]
    count = sum(1 for _ in flat(left))
    note = Line(f"… {count} {LEFT_OUT}", left[0].depth, _made_from(left))
    return [*lines[:head], note, *lines[len(lines) - tail :]]


def _made_from(lines: Iterable[Line]) -> tuple[Any, ...]:
    return tuple(thing for line in lines for thing in line.of)


def cut_text(text: str, largest: int) -> str:
    """Return a text of at most so many characters, and a line that says how many are left out.

    >>> print(cut_text("a line\\n" * 20, 80))
    a line
    … 18 more lines left out: `.whole` has them …
    a line
    """
    if len(text) <= largest:
        return text
    lines, size = text.rstrip("\n").split("\n"), 0
    ends: list[list[str]] = [[], []]
    queue = deque(lines)
    while queue and size + len(queue[0]) < largest - 60:
        size += len(queue[0]) + 1
        ends[0].append(queue.popleft())
        if queue and size + len(queue[-1]) < largest - 60:
            size += len(queue[-1]) + 1
            ends[1].append(queue.pop())
    note = f"… {len(queue)} more lines left out: `.whole` has them …"
    return "\n".join([*ends[0], note, *reversed(ends[1])])
