"""Plots of measurements: lines that are told apart without their colours, and the numbers."""

import io
import math
import re
from collections.abc import Mapping, Sequence
from html import escape, unescape
from typing import Any

from traced.drawing.picture import Picture, table
from traced.drawing.shapes import CARDS, INKS, as_image, column

# Matplotlib is imported where it is needed: it takes longer than the rest of the package.

INK = "#010203"  # stands for the colour of the text, light or dark
PIXELS = 96  # to the inch, on a page
EDGE = 0.12  # inches around a plot: letters of another font may be wider
FOLLOW = "svg{{color:{}}}.card{{fill:{};stroke:{}}}"
# Three times as bright or dark as a page in either scheme, and more.
COLOURS = "#c77700", "#0a8ea0", "#8a63d2", "#d14f6a"
DASHES = "-", "--", ":", "-."
MARKERS, SIGNS = ("o", "s", "^", "D"), "●■▲◆"
ROWS = 12  # of numbers that are shown
ROOM = 0.085  # of the height of a plot, for a name
TICKS = 8  # points with a tick each
APART = 0.05  # of the width of a plot, from one number on its axis to the next
DIGIT = 0.04  # of that width, for a digit
LONG = 15  # characters of a name that has room beside a plot, also on a phone
LINE = 0.19  # inches, for a name below a plot
STYLE: Mapping[str, Any] = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 10,
    "font.sans-serif": ["DejaVu Sans", "sans-serif"],
    "svg.fonttype": "none",  # letters, and not their outlines, which are ten times as long
    "svg.hashsalt": "plot",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
}

PLAIN: Mapping[str, Any] = {"frameon": False, "borderpad": 0, "labelspacing": 0.25}

Points = Mapping[Any, float]
#: The least and the most at a point.
Band = Mapping[Any, tuple[float, float]]


def plot_lines(
    lines: Mapping[str, Points],
    x: str,
    y: str,
    *,
    log: bool = False,
    bands: Mapping[str, Band] | None = None,
) -> Picture:
    """Return a plot of some measurements, each a mapping of x to y; its text has the numbers.

    Numbers are rounded to three digits, and drawn so. At most four lines. `log` makes both axes
    logarithmic. `x` and `y` say what the axes are. `bands` are laid behind lines, by their names:
    mappings of x to how far y scattered, the least and the most.

    >>> plot_lines({"one by one": {10: 1.5, 100: 15.0}, "at once": {10: 1, 100: 2}}, "size", "time")
    size  one by one  at once
    10    1.5         1
    100   15          2
    """
    if not 0 < len(lines) <= len(COLOURS):
        raise ValueError(f"`lines` must hold one to {len(COLOURS)} lines, got {len(lines)}")
    for name, line in lines.items():
        if not isinstance(line, Mapping):
            raise TypeError(f"`lines` must hold mappings of x to y, got {type(line).__name__}")
        if not line:
            raise ValueError(f"`lines` must not be empty, and {name} is")
        if log and any(value <= 0 for point in line.items() for value in point):
            raise ValueError(f"`lines` must be positive for `log`, and {name} is not")
    bands = bands or {}
    if unknown := [name for name in bands if name not in lines]:
        raise ValueError(f"`bands` must have names of lines, and {unknown[0]} is none")
    numbers = _numbers(lines, bands, x)
    svg, (width, height) = _svg(lines, bands, x, y, log), _size(lines)
    return as_image(
        svg,
        round(width * PIXELS),
        round(height * PIXELS),
        f"{y} by {x}: {', '.join(lines)}",
        numbers,
    )


def _numbers(lines: Mapping[str, Points], bands: Mapping[str, Band], x: str) -> Picture:
    points = sorted({point for line in lines.values() for point in line})
    rows = [
        [_text(point), *(_entry(line, bands.get(name, {}), point) for name, line in lines.items())]
        for point in points
    ]
    if len(rows) > ROWS:
        note = f"… {len(rows) - ROWS} left out"
        rows[ROWS // 2 : -ROWS // 2] = [[note, *[""] * len(lines)]]
    return table((x, *lines), rows, "the numbers of the plot")


def _entry(line: Points, band: Band, point: Any) -> str:
    if point not in line:
        return ""
    scatter = f" ({'–'.join(map(_text, band[point]))})" if point in band else ""
    return _text(line[point]) + scatter


def _text(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3g}"


def _are_below(lines: Mapping[str, Points]) -> bool:
    """Tell whether a name is too long to stand beside its line."""
    return max(map(len, lines)) > LONG


def _size(lines: Mapping[str, Points]) -> tuple[float, float]:
    """Return the size of a plot in inches, with room for the names on the right, or below."""
    longest = max(map(len, lines))
    if _are_below(lines):
        return max(2.9 + 0.095 * LONG, 0.9 + 0.095 * longest), 2.8 + LINE * len(lines)
    return 2.9 + 0.095 * max(longest, 12), 2.8


def _svg(lines: Mapping[str, Points], bands: Mapping[str, Band], x: str, y: str, log: bool) -> str:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    style: dict[Any, Any] = {**matplotlib.rcParamsDefault, **STYLE}
    with matplotlib.rc_context(style):
        layout = ConstrainedLayoutEngine(w_pad=EDGE, h_pad=EDGE)
        figure = Figure(figsize=_size(lines), layout=layout)
        axes = figure.add_subplot(xlabel=x, ylabel=y)
        if log:
            _logarithmic(axes, sorted({point for line in lines.values() for point in line}))
        for i, (name, line) in enumerate(lines.items()):
            _draw(axes, i, name, line, bands.get(name, {}))
        axes.margins(x=0.05)
        if _are_below(lines):
            # Of two lines, the upper one comes first.
            names = sorted(lines, key=lambda name: -lines[name][max(lines[name])])
            drawn = dict(zip(lines, axes.get_lines(), strict=True))
            figure.legend([drawn[name] for name in names], names, loc="outside lower left", **PLAIN)
        else:
            _name(axes, lines)
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    return _following(text.getvalue())


def _logarithmic(axes: Any, points: list[Any]) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    if len(points) <= TICKS:
        axes.set_xticks(points, _spaced(points))


def _spaced(points: Sequence[float]) -> list[str]:
    """Return what is written at each point of a logarithmic axis; no two of them touch.

    >>> _spaced([8, 32, 128, 256, 512, 1024, 2048])
    ['8', '32', '128', '', '512', '', '2048']
    """
    span = math.log(points[-1] / points[0]) or 1.0
    texts: list[str] = []
    after = math.inf
    for point in reversed(points):
        text = f"{point:g}"
        middle, half = math.log(point / points[0]) / span, DIGIT * len(text) / 2
        is_free = middle + half <= after - APART
        texts.append(text if is_free else "")
        after = middle - half if is_free else after
    return texts[::-1]


def _draw(axes: Any, i: int, name: str, line: Points, band: Band) -> None:
    if band:
        at = sorted(band)
        least, most = ([band[x][end] for x in at] for end in (0, 1))
        axes.fill_between(at, least, most, color=COLOURS[i], alpha=0.2, linewidth=0)
    points = sorted((float(_text(x)), float(_text(y))) for x, y in line.items())
    style = {"color": COLOURS[i], "linestyle": DASHES[i], "marker": MARKERS[i], "markersize": 4}
    axes.plot(*zip(*points, strict=True), clip_on=False, **style)


def _name(axes: Any, lines: Mapping[str, Points]) -> None:
    """Write each name at the end of its line, where nobody has to look for it in a legend."""
    scale = axes.yaxis.get_transform().transform
    low, high = map(scale, axes.get_ylim())
    ends = sorted(
        ((scale(float(_text(line[max(line)]))) - low) / (high - low), max(line), i, name)
        for i, (name, line) in enumerate(lines.items())
    )
    # Lines that end beside one another have their names above one another, each with its marker.
    heights = list(column([height for height, *_ in ends], ROOM))
    down = max(heights[-1] - 1, 0)
    place = {"xycoords": axes.get_xaxis_transform(), "annotation_clip": False}
    beside = {"textcoords": "offset points", "va": "center"}
    for height, (_, x, i, name) in zip(heights, ends, strict=True):
        at = float(_text(x)), height - down
        axes.annotate(SIGNS[i], at, xytext=(8, 0), color=COLOURS[i], **place, **beside)
        axes.annotate(name, at, xytext=(19, 0), **place, **beside)


def _following(svg: str) -> str:
    """Return what matplotlib drew so that its ink and its card follow light and dark."""
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    # A tenth of a pixel will do, but not for what is written; and nobody refers to groups.
    svg = re.sub(r' transform="rotate\(-0 [^"]*\)"|(?<=<g) id="[^"]*"', "", svg)
    svg = re.sub(r"(?<=\d\.\d)\d+(?=[^<>]*>)", "", svg)
    svg = re.sub(r">([^<]*)<", lambda text: f">{escape(unescape(text[1].strip()))}<", svg)
    # matplotlib names a clip after its coordinates, of which the last digit is the processor's.
    for number, name in enumerate(re.findall(r'<clipPath id="(\w+)"', svg)):
        svg = svg.replace(name, f"clip{number}")
    inks = [[pair[dark] for pair in (INKS["ink"], CARDS["card"], CARDS["edge"])] for dark in (0, 1)]
    light, dark = (FOLLOW.format(*each) for each in inks)
    rules = f"{light}@media(prefers-color-scheme:dark){{{dark}}}"
    svg = re.sub(r"<style[^>]*>", lambda style: style[0] + rules, svg, count=1)
    card = '<rect width="100%" height="100%" rx="6" class="card"/>'
    return svg.replace("</defs>", f"</defs>{card}", 1)
