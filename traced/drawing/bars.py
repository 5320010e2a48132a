"""Bars to scale, of what was counted and of what was measured.

What was measured is not compared when a notebook is tested, for it differs from run to run. Its
text says what holds each time: the order.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from traced.drawing.picture import Picture, table
from traced.drawing.shapes import Shape, bar, draw, label, line, width_of
from traced.python.values import shortened

LONGEST, APART = 220, 30  # pixels: the longest bar, and from bar to bar
WIDEST = 36  # characters of a name
MOST = 12  # bars


@dataclass(frozen=True)
class Strip:
    """A row of a drawing to scale: its name, its parts each with a hue and a size, what follows.

    >>> Strip("f(1.0)", (("purple", 2.0), ("teal", 1.0))).size
    3.0
    """

    name: str
    parts: tuple[tuple[str, float], ...]
    note: str = ""

    @property
    def size(self) -> float:
        """What its parts are together."""
        return sum(size for _, size in self.parts)


def plot_bars(
    sizes: Mapping[str, float], unit: str, *, measured: bool = False, apart: float = 1
) -> Picture:
    """Return a bar for each name, to scale, with its number.

    Of what is `measured` the text has the order without the numbers: compare what is so far apart
    that every run agrees. Of two that are not `apart` by that factor, the text does not say which
    is the lesser. `unit` says what the numbers are. At most twelve bars. Raises `ValueError` for a
    size that is negative or not finite.

    >>> plot_bars({"where": 1, "cond": 88}, "operations")
    name   operations
    where  1
    cond   88
    >>> plot_bars({"eager": 0.25, "jit": 0.01}, "seconds", measured=True)
    seconds, from the least to the most: jit < eager
    """
    if not 0 < len(sizes) <= MOST:
        raise ValueError(f"`sizes` must hold one to {MOST} numbers, got {len(sizes)}")
    for name, size in sizes.items():
        if not 0 <= size < float("inf"):
            raise ValueError(f"`sizes` must be finite and not negative, and {name} is {size}")
    strips = [Strip(name, (("teal", float(size)),), _number(size)) for name, size in sizes.items()]
    caption = f"{unit} of {', '.join(sizes)}"
    if measured:
        order = " < ".join(", ".join(names) for names in _groups(sizes, apart))
        twin = Picture(f"{unit}, from the least to the most: {order}")
        return replace(draw(_shapes(strips, unit), caption, twin), measured=True)
    twin = table(("name", unit), [(each.name, each.note) for each in strips], unit)
    return draw(_shapes(strips, unit), caption, twin)


def _groups(sizes: Mapping[str, float], apart: float) -> list[list[str]]:
    """Return the names in their order, together where neighbours are closer than that factor."""
    groups: list[list[str]] = []
    last = 0.0
    for name in sorted(sizes, key=lambda name: sizes[name]):
        if not groups or (sizes[name] >= last * apart and sizes[name] > last):
            groups.append([])
        groups[-1].append(name)
        last = sizes[name]
    return [sorted(names, key=list(sizes).index) for names in groups]


def _number(size: float) -> str:
    return str(size) if isinstance(size, int) else f"{size:.3g}"


def _shapes(strips: Sequence[Strip], unit: str) -> list[Shape]:
    start, scale = _scale(strips)
    shapes = [label(start, -24, unit, size=11, sans=True, muted=True)]
    for i, strip in enumerate(strips):
        drawn = bar(start, i * APART, max(strip.size * scale, 1), hue=strip.parts[0][0], height=16)
        note = label(drawn.right + 8, i * APART, strip.note, bold=True)
        name = label(start - 12, i * APART, shortened(strip.name, WIDEST), anchor="end")
        shapes += [name, drawn, note]
    return shapes


def draw_strips(
    strips: Sequence[Strip], unit: str, caption: str, text: str, key: Mapping[str, str]
) -> Picture:
    """Return strips that were measured, to scale above a ruler; `key` says what each hue is.

    >>> draw_strips([Strip("a", (("teal", 1.0),))], "seconds", "a", "one", {"teal": "run"})
    one
    """
    start, scale = _scale(strips)
    shapes = [*_key(start, key), *_rows(strips, start, scale), *_ruler(strips, start, scale, unit)]
    return replace(draw(shapes, caption, Picture(text)), measured=True)


def _scale(strips: Sequence[Strip]) -> tuple[float, float]:
    """Return where bars begin, and the pixels of a unit."""
    start = max(width_of(shortened(each.name, WIDEST)) for each in strips) + 12
    return start, LONGEST / (max(each.size for each in strips) or 1)


def _rows(strips: Sequence[Strip], start: float, scale: float) -> Iterator[Shape]:
    for i, strip in enumerate(strips):
        y, x = i * APART, start
        yield label(start - 12, y, shortened(strip.name, WIDEST), anchor="end")
        for hue, size in strip.parts:
            yield bar(x, y, max(size * scale, 1), hue=hue, height=16)
            x += size * scale
        if strip.note:
            yield label(max(x, start + 1) + 8, y, strip.note, sans=True, size=12)


def _key(start: float, key: Mapping[str, str]) -> Iterator[Shape]:
    for hue, name in key.items():
        yield bar(start, -APART, 16, hue=hue, height=12)
        yield (word := label(start + 22, -APART, name, size=12, sans=True, muted=True))
        start = word.right + 18


def _ruler(strips: Sequence[Strip], start: float, scale: float, unit: str) -> Iterator[Shape]:
    """Yield a line with marks at round numbers, three or four of them."""
    y = len(strips) * APART - 8
    step = _round_step(LONGEST / scale)
    ends = start, start + LONGEST
    yield line((ends[0], y), (ends[1], y), thick=1)
    count = int(LONGEST / scale / step + 1e-9) + 1
    for at in (i * step for i in range(count)):
        x = start + at * scale
        yield line((x, y), (x, y + 4), thick=1)
        yield label(x, y + 13, f"{at:g}", anchor="middle", size=11, sans=True, muted=True)
    yield label(sum(ends) / 2, y + 30, unit, anchor="middle", size=11, sans=True, muted=True)


def _round_step(size: float) -> float:
    """Return the least of 1, 2 and 5 times a power of ten that is at least a quarter of a size.

    >>> _round_step(600), _round_step(1), _round_step(0.07)
    (200.0, 0.5, 0.02)
    """
    power = 10.0 ** math.floor(math.log10(size / 4))
    return next(n * power for n in (1, 2, 5, 10) if n * power >= size / 4 * (1 - 1e-9))
