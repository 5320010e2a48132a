"""A loop as a belt: the carry runs through the body, from one round to the next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from traced.drawing.shapes import (
    Shape,
    around,
    arrow,
    box,
    label,
    width_of,
)
from traced.python.values import shortened

ROUNDS = 4  # boxes drawn of the rounds
WIDEST = 700  # pixels, if fewer rounds can be drawn
LONGEST = 15  # characters of a value
APART, SIDE = 38, 16  # pixels between boxes, and between what stands above and below them
REACH = 50  # pixels from the belt to what comes in and goes out
SMALL = 11


@dataclass(frozen=True)
class Round:
    """One round of a loop, in texts: the carry before and after, what comes in and goes out.

    `taken` and `given` name what comes in and goes out: `x[0]`.
    """

    number: int
    carry: str
    carried: str
    x: str = ""
    y: str = ""
    taken: str = ""
    given: str = ""


@dataclass(frozen=True)
class Belt:
    """A loop: its rounds in the order of the run, and how many there were.

    `heads` has the name and the type of what stands in each row, `sentences` stand below. `end` is
    what a condition says in the end. What is `backward` runs from right to left.
    """

    body: str
    rounds: Sequence[Round]
    count: int
    heads: dict[str, str]
    sentences: Sequence[str]
    end: str = ""
    ended: bool = True
    backward: bool = False


@dataclass(frozen=True)
class _Stop:
    """A place at the belt: how wide it is, and what is drawn around its middle."""

    text: str
    round: Round | None = None
    hue: str = "amber"
    note: str = ""
    gone: bool = False
    above: str = ""

    @property
    def width(self) -> float:
        inner = max(width_of(self.text), width_of(self.note, SMALL, sans=True)) + 18
        beside = [self.round.x, self.round.y] if self.round else [self.above]
        return max(inner, 44, *(width_of(shortened(each, LONGEST)) + SIDE for each in beside))


def draw_belt(belt: Belt) -> list[Shape]:
    """Return the shapes of a loop, with fewer rounds where they would be wide.

    >>> rounds = [Round(1, "0", "4", "4"), Round(2, "4", "9", "5")]
    >>> len(draw_belt(Belt("add", rounds, 2, {"carry": "i32[]"}, ["run twice"]))) > 10
    True
    """
    whole = list(belt.rounds) if belt.count <= ROUNDS else [*belt.rounds[:2], belt.rounds[-1]]
    shapes = _drawn(belt, whole)
    if len(whole) > 2 and around(shapes).right > WIDEST:
        shapes = _drawn(belt, [whole[0], whole[-1]])
    return shapes


def _drawn(belt: Belt, rounds: Sequence[Round]) -> list[Shape]:
    stops = list(_stops(belt, rounds))
    links = list(_links(belt, stops))
    x = 14 + max(
        max(width_of(name, sans=True, bold=True), width_of(kind, SMALL))
        for name, kind in belt.heads.items()
    )
    shown = list(range(len(stops)))[:: -1 if belt.backward else 1]
    middles: dict[int, float] = {}
    for i, next_one in zip(shown, [*shown[1:], None], strict=True):
        middles[i] = x + stops[i].width / 2
        x += stops[i].width
        x += 0 if next_one is None else max(APART, width_of(links[min(i, next_one)]) + 24)
    shapes = [each for i, stop in enumerate(stops) for each in _stop(stop, middles[i])]
    boxes = [_box(stop, middles[i]) for i, stop in enumerate(stops)]
    for before, after, text in zip(boxes[:-1], boxes[1:], links, strict=True):
        shapes += _link(before, after, text, belt.backward)
    shapes += boxes
    shapes += _heads(belt.heads)
    below = around(shapes).bottom + 20
    for i, sentence in enumerate(belt.sentences):
        shapes.append(label(0, below + 17 * i, sentence, size=12, sans=True, muted=True))
    return shapes


def _stops(belt: Belt, shown: Sequence[Round]) -> Iterator[_Stop]:
    yield _Stop(shortened(shown[0].carry, LONGEST), hue="teal")
    for i, each in enumerate(shown):
        if i and (left := each.number - shown[i - 1].number - 1):
            yield _Stop("…", note=f"{left} round{'s' if left > 1 else ''}", gone=True)
        yield _Stop(shortened(belt.body, LONGEST), each, note=f"round {each.number}")
    if belt.ended:
        yield _Stop(shortened(shown[-1].carried, LONGEST), hue="teal", above=belt.end)
    else:
        yield _Stop("✗ not ended", hue="red", above=belt.end)


def _links(belt: Belt, stops: Sequence[_Stop]) -> Iterator[str]:
    for before, after in pairwise(stops):
        if before.round and after is not stops[-1]:
            text = before.round.carried
        elif before.gone and after.round:
            text = after.round.carry
        else:
            text = ""
        yield shortened(text, LONGEST)


def _box(stop: _Stop, middle: float) -> Shape:
    own = max(width_of(stop.text), width_of(stop.note, SMALL, sans=True)) + 18
    return box(
        middle - own / 2, 0, stop.text, hue=stop.hue, note=stop.note, width=own, gone=stop.gone
    )


def _stop(stop: _Stop, middle: float) -> Iterator[Shape]:
    if stop.above:
        yield from _answer(stop.above, middle, 12)
    if stop.round is None:
        return
    x, y = (shortened(each, LONGEST) for each in (stop.round.x, stop.round.y))
    if x in ("True", "False") and not stop.round.taken:
        yield from _answer(x, middle, 20)
    elif x:
        yield label(middle, -REACH - 8, x, anchor="middle")
        yield _name(middle, -REACH - 24, stop.round.taken)
        yield arrow((middle, -REACH + 2), (middle, -21), hue="blue")
    if y:
        yield arrow((middle, 20), (middle, REACH - 3), hue="teal")
        yield label(middle, REACH + 8, y, anchor="middle")
        yield _name(middle, REACH + 24, stop.round.given)


def _name(x: float, y: float, text: str) -> Shape:
    return label(x, y, text, anchor="middle", size=SMALL, sans=True, muted=True)


def _answer(answer: str, middle: float, top: float) -> Iterator[Shape]:
    width = width_of(answer) + 18
    yield arrow((middle, -REACH + 2), (middle, -top - 1), hue="amber", gone=answer == "False")
    yield box(middle - width / 2, -REACH - 10, answer, hue="amber", round=True)


def _link(before: Shape, after: Shape, text: str, backward: bool) -> Iterator[Shape]:
    start, end = (before.west, after.east) if backward else (before.east, after.west)
    yield arrow(start, end, hue="teal", thick=2.5)
    yield label((start[0] + end[0]) / 2, -12, text, anchor="middle")


def _heads(heads: dict[str, str]) -> Iterator[Shape]:
    rows = {"carry": 0, "ys": REACH + 8}
    for name, kind in heads.items():
        y = rows.get(name, -REACH - 8)
        yield label(0, y - 7, name, sans=True, bold=True)
        yield label(0, y + 8, kind, size=SMALL, muted=True)
