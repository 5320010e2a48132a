"""Plots of measurements: lines that are told apart without their colours, and the numbers."""

import hashlib
import io
import re
from collections.abc import Mapping
from html import escape
from typing import Any

from traced.drawing.picture import Picture, table

# Matplotlib is imported where it is needed: it takes longer than the rest of the package.

INK = "#010203"  # stands for the colour of the text around the plot, light or dark
# Three times as bright or dark as a page in either scheme, and more.
COLOURS = "#c77700", "#0a8ea0", "#8a63d2", "#2e8b57"
DASHES = "-", "--", ":", "-."
MARKERS = "o", "s", "^", "D"
ROWS = 12  # of numbers that are shown
STYLE: Mapping[str, Any] = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 10,
    "svg.fonttype": "path",  # an untrusted notebook drops the drawing, and would keep its texts
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
}

Points = Mapping[Any, float]


def plot_lines(lines: Mapping[str, Points], x: str, y: str, *, log: bool = False) -> Picture:
    """Return a plot of some measurements, each a mapping of x to y; its text has the numbers.

    Numbers are rounded to three digits, and drawn so. At most four lines. `log` makes both axes
    logarithmic. `x` and `y` say what the axes are.

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
    numbers = _numbers(lines, x)
    drawing = _svg(lines, x, y, log, f"{y} by {x}: {', '.join(lines)}", numbers.text)
    details = f"<details><summary>the numbers</summary>{numbers.html}</details>"
    return Picture(numbers.text, drawing + details)


def _numbers(lines: Mapping[str, Points], x: str) -> Picture:
    points = sorted({point for line in lines.values() for point in line})
    rows = [
        [_text(point), *(_text(line[point]) if point in line else "" for line in lines.values())]
        for point in points
    ]
    if len(rows) > ROWS:
        note = f"… {len(rows) - ROWS} left out"
        rows[ROWS // 2 : -ROWS // 2] = [[note, *[""] * len(lines)]]
    return table((x, *lines), rows, "the numbers of the plot")


def _text(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3g}"


def _svg(lines: Mapping[str, Points], x: str, y: str, log: bool, caption: str, numbers: str) -> str:
    import matplotlib
    from matplotlib.figure import Figure

    # The names inside a drawing come from its numbers: two drawings may share a page.
    salt = "p" + hashlib.sha256(numbers.encode()).hexdigest()[:8]
    style: dict[Any, Any] = {**matplotlib.rcParamsDefault, **STYLE, "svg.hashsalt": salt}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(4.6, 2.8), layout="constrained")
        axes = figure.add_subplot(xlabel=x, ylabel=y)
        if log:
            axes.set(xscale="log", yscale="log")
        for i, (name, line) in enumerate(lines.items()):
            _draw(axes, i, name, line)
        axes.margins(x=0.05)
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    return _inline(text.getvalue(), caption, salt)


def _draw(axes: Any, i: int, name: str, line: Points) -> None:
    points = sorted((float(_text(x)), float(_text(y))) for x, y in line.items())
    style = {"color": COLOURS[i], "linestyle": DASHES[i], "marker": MARKERS[i], "markersize": 4}
    axes.plot(*zip(*points, strict=True), clip_on=False, **style)
    # The name stands at the end of its line, where nobody has to look for it in a legend.
    axes.annotate(name, points[-1], xytext=(6, 0), textcoords="offset points", va="center")


def _inline(svg: str, caption: str, salt: str) -> str:
    """Make of a file a part of a page: it takes the colour of the text, and names nothing else."""
    # Its comments repeat the texts, and its style would reach all drawings of the page.
    strange = r"<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>"
    svg = re.sub(strange, "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r' id="(figure|axes|patch|line2d|text|matplotlib\.axis|[xy]tick)_\d+"', "", svg)
    svg = re.sub(r' (xmlns(:xlink)?|version|width|height)="[^"]*"', "", svg, count=5)
    svg = svg.replace("DejaVuSans-", f"{salt}-").replace(INK, "currentColor")
    style = "width:100%;max-width:32em;height:auto;display:block"
    start = f'<svg role="img" aria-label="{escape(caption)}" style="{style}"'
    return svg.replace("<svg", start, 1)
