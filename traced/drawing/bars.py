"""Bars: what was counted is drawn with its numbers, what was measured is an image.

An image is not compared when a notebook is tested, for it differs from run to run. Its text says
what holds each time: the order.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from traced.drawing.picture import Picture, table
from traced.drawing.shapes import HUES, INKS, Shape, bar, draw, label, width_of
from traced.python.values import shortened

# Matplotlib is imported where it is needed: it takes longer than the rest of the package.

LONGEST, APART = 300, 30  # pixels: the longest bar, and from bar to bar
WIDEST = 36  # characters of a name
MOST = 12  # bars
#: An image has one look. A page in the dark shows it on its light card.
INK, MUTED = INKS["ink"][0], INKS["muted"][0]


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

    What is `measured` becomes an image, and its text has the order without the numbers: compare
    what is so far apart that every run agrees. Of two that are not `apart` by that factor, the text
    does not say which is the lesser. `unit` says what the numbers are. At most twelve
    bars. Raises `ValueError` for a size that is negative or not finite.

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
    if measured:
        order = " < ".join(", ".join(names) for names in _groups(sizes, apart))
        return Picture(f"{unit}, from the least to the most: {order}", png=strips_png(strips, unit))
    twin = table(("name", unit), [(each.name, each.note) for each in strips], unit)
    return draw(_shapes(strips, unit), f"{unit} of {', '.join(sizes)}", twin)


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
    names = [shortened(each.name, WIDEST) for each in strips]
    start = max(map(width_of, names)) + 12
    scale = LONGEST / (max(each.size for each in strips) or 1)
    shapes = [label(start, -24, unit, size=11, sans=True, muted=True)]
    for i, (name, strip) in enumerate(zip(names, strips, strict=True)):
        drawn = bar(start, i * APART, max(strip.size * scale, 1), hue=strip.parts[0][0], height=16)
        note = label(drawn.right + 8, i * APART, strip.note, bold=True)
        shapes += [label(start - 12, i * APART, name, anchor="end"), drawn, note]
    return shapes


def strips_png(strips: Sequence[Strip], unit: str, key: Mapping[str, str] | None = None) -> bytes:
    """Return an image of the strips to scale; `key` says what each hue is, where there are several.

    >>> strips_png([Strip("a", (("teal", 1.0),))], "seconds")[1:4]
    b'PNG'
    """
    import matplotlib
    from matplotlib.figure import Figure

    style: dict[Any, Any] = {**matplotlib.rcParamsDefault, "font.size": 9.5, "text.color": INK}
    style |= {"text.parse_math": False, "xtick.color": MUTED, "axes.edgecolor": MUTED}
    style |= {"axes.labelcolor": MUTED, "axes.spines.left": False, "axes.spines.right": False}
    style |= {"axes.spines.top": False}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(7, 0.33 * len(strips) + 0.75), layout="constrained", dpi=110)
        axes = figure.add_subplot(xlabel=unit)
        for i, strip in enumerate(strips):
            _draw_strip(axes, i, strip)
        names = [shortened(each.name, WIDEST) for each in strips]
        axes.set_yticks(range(len(strips)), names, family="monospace", color=INK)
        axes.tick_params(left=False)
        axes.set_ylim(len(strips) - 0.4, -0.6)
        longest = max(each.size for each in strips) or 1
        axes.set_xlim(0, longest)
        if key:
            _draw_key(axes, key)
        image = io.BytesIO()
        figure.savefig(image, format="png", metadata={"Software": None})
    return image.getvalue()


def _draw_strip(axes: Any, row: int, strip: Strip) -> None:
    start = 0.0
    for hue, size in strip.parts:
        stroke, fill, _, _ = HUES[hue]
        axes.barh(row, size, 0.55, left=start, color=fill, edgecolor=stroke, linewidth=1.2)
        start += size
    beside = {"xytext": (6, 0), "textcoords": "offset points", "va": "center"}
    axes.annotate(strip.note, (start, row), annotation_clip=False, **beside)


def _draw_key(axes: Any, key: Mapping[str, str]) -> None:
    from matplotlib.patches import Patch

    patches = [
        Patch(facecolor=HUES[hue][1], edgecolor=HUES[hue][0], label=name)
        for hue, name in key.items()
    ]
    place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": len(key), "borderpad": 0}
    axes.legend(handles=patches, frameon=False, **place)
