"""Shapes of which drawings are made, and the drawing: an SVG that follows light and dark.

A drawing is an image with colours and a card of its own, so that a notebook that is not trusted
yet, which loses every `<svg>` and `<style>`, shows it all the same. Its text twin is folded below.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape
from unicodedata import east_asian_width
from urllib.parse import quote

from traced.drawing.picture import Picture, scroll_cue

Point = tuple[float, float]

#: Pixels. Letters are at most so wide, in fractions of their size, in the usual fonts.
SIZE, MONO, SANS = 13, 0.61, 0.63
LEAST = 0.85  # to which a drawing shrinks where there is little room; beyond that it scrolls
HEIGHT, PADDING, MARGIN, HEAD = 24, 9, 16, 8

#: The colours of lines and of areas, light and dark: each line is read on its area and on the card.
#: They are told apart by those who see red and green alike; a fault has a word besides.
HUES = {
    "grey": ("#434c58", "#eceff3", "#c3cbd6", "#262c35"),
    "teal": ("#0b7d72", "#dcf1ee", "#4fc3b5", "#12352f"),
    "blue": ("#2a62b8", "#e1ebfa", "#82b1f5", "#1a2c48"),
    "amber": ("#a66a00", "#fbefd3", "#e5b04a", "#3a2d10"),
    "purple": ("#55209e", "#ece4fa", "#d9c2fb", "#2e2247"),
    "red": ("#c0302b", "#fce3e1", "#f3857d", "#45191a"),
}
INKS = {"ink": ("#1b2430", "#e7ebf0"), "muted": ("#566171", "#a8b3c1")}
CARDS = {"card": ("#fcfdfe", "#14181e"), "edge": ("#d5dbe3", "#39424e")}


def _style() -> str:
    def rules(dark: int) -> str:
        inks = "".join(f".{name}{{fill:{each[dark]}}}" for name, each in INKS.items())
        card, edge = (CARDS[name][dark] for name in ("card", "edge"))
        hues = "".join(
            f".{name}{{stroke:{each[2 * dark]};color:{each[2 * dark]};fill:{each[2 * dark + 1]}}}"
            for name, each in HUES.items()
        )
        return f"{inks}.card{{fill:{card};stroke:{edge}}}.halo{{stroke:{card}}}{hues}"

    return (
        f"{rules(0)}@media(prefers-color-scheme:dark){{{rules(1)}}}"
        ".line{fill:none}.head,.word{fill:currentColor;stroke:none}.gone{stroke-dasharray:3 3}"
        ".mono{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
        ".sans{font-family:system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}"
        ".bold{font-weight:600}text{white-space:pre}"
        ".halo{paint-order:stroke;stroke-width:5px;stroke-linejoin:round}"
        "@media(prefers-contrast:more){.line,rect{stroke-width:2.5}}"
    )


@dataclass(frozen=True)
class Shape:
    """A piece of SVG and the box around it, in pixels; y grows downwards."""

    svg: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def west(self) -> Point:
        """The middle of the left side."""
        return self.left, (self.top + self.bottom) / 2

    @property
    def east(self) -> Point:
        """The middle of the right side."""
        return self.right, (self.top + self.bottom) / 2

    @property
    def north(self) -> Point:
        """The middle of the top."""
        return (self.left + self.right) / 2, self.top

    @property
    def south(self) -> Point:
        """The middle of the bottom."""
        return (self.left + self.right) / 2, self.bottom


def width_of(text: str, size: float = SIZE, *, sans: bool = False, bold: bool = False) -> float:
    """Return how many pixels a line of text takes at most.

    >>> width_of("carry") < width_of("carry", bold=True) < width_of("数字数字数")
    True
    """
    letters = sum(2 if east_asian_width(each) in "WF" else 1 for each in text)
    return letters * size * (SANS if sans else MONO) * (1.08 if bold else 1)


def label(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    size: float = SIZE,
    sans: bool = False,
    bold: bool = False,
    muted: bool = False,
    hue: str = "",
    halo: bool = False,
) -> Shape:
    """Return a line of text whose middle line is at `y`; `anchor` is `start`, `middle` or `end`.

    In a `hue` it is as dark as the lines of that colour. With a `halo` it can be read on lines
    that it is drawn upon.

    >>> label(100, 0, "x", anchor="end").right
    100.0
    """
    width = width_of(text, size, sans=sans, bold=bold)
    left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
    ink = f"word {hue}" if hue else "muted" if muted else "ink"
    kind = f"{'sans' if sans else 'mono'} {ink}{' bold' if bold else ''}{' halo' if halo else ''}"
    svg = (
        f'<text x="{x:.5g}" y="{y + 0.35 * size:.5g}" font-size="{size:g}" text-anchor="{anchor}"'
        f' class="{kind}">{escape(text)}</text>'
    )
    return Shape(svg, left, y - 0.6 * size, left + width, y + 0.6 * size)


def box(
    x: float,
    y: float,
    text: str,
    *,
    hue: str = "grey",
    note: str = "",
    width: float = 0,
    gone: bool = False,
    round: bool = False,
) -> Shape:
    """Return a box with a text in it, its left side at `x` and its middle at `y`.

    It is at least `width` wide. A `note` is a second, smaller line. What is `gone` has a dashed
    border.

    >>> box(0, 0, "scan").bottom, box(0, 0, "scan", note="10 steps").bottom
    (12.0, 20.0)
    """
    lines = [width_of(text), width_of(note, SIZE - 2, sans=True)]
    width = max(width, max(lines) + 2 * PADDING)
    height = HEIGHT + (16 if note else 0)
    kind = f"{hue}{' gone' if gone else ''}"
    rect = (
        f'<rect x="{x:.5g}" y="{y - height / 2:.5g}" width="{width:.5g}" height="{height}"'
        f' rx="{height / 2 if round else 4:g}" stroke-width="1.3" class="{kind}"/>'
    )
    shift = 8 if note else 0
    words = label(x + width / 2, y - shift, text, anchor="middle").svg
    if note:
        small = {"size": SIZE - 2, "sans": True, "muted": True}
        words += label(x + width / 2, y + shift, note, anchor="middle", **small).svg  # type: ignore[arg-type]  # the three are of three types
    return Shape(f"<g>{rect}{words}</g>", x, y - height / 2, x + width, y + height / 2)


def frame(
    shape: Shape, *, hue: str = "grey", room: float = 8, above: float = 0, gone: bool = False
) -> Shape:
    """Return an empty box around a shape, with some room between them, and some more at the top.

    >>> frame(dot(0, 0), room=4).west
    (-10, 0.0)
    """
    left, top = shape.left - room, shape.top - room - above
    right, bottom = shape.right + room, shape.bottom + room
    svg = (
        f'<rect x="{left:.5g}" y="{top:.5g}" width="{right - left:.5g}"'
        f' height="{bottom - top:.5g}" rx="8" stroke-width="1.3"'
        f' class="{hue} line{" gone" if gone else ""}"/>'
    )
    return Shape(svg, left, top, right, bottom)


def bar(
    x: float, y: float, width: float, *, hue: str, height: float = 14, gone: bool = False
) -> Shape:
    """Return a filled bar without a text, its left side at `x` and its middle at `y`.

    What is `gone` has a dashed border.

    >>> bar(10, 0, 30, hue="teal").east
    (40, 0.0)
    """
    svg = (
        f'<rect x="{x:.5g}" y="{y - height / 2:.5g}" width="{width:.5g}" height="{height:g}" rx="2"'
        f' stroke-width="1.3" class="{hue}{" gone" if gone else ""}"/>'
    )
    return Shape(svg, x, y - height / 2, x + width, y + height / 2)


def dot(x: float, y: float, *, hue: str = "grey", radius: float = 6) -> Shape:
    """Return a circle around a point.

    >>> dot(0, 0).east
    (6, 0.0)
    """
    svg = f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{radius:g}" stroke-width="2" class="{hue}"/>'
    return Shape(svg, x - radius, y - radius, x + radius, y + radius)


def line(*points: Point, hue: str = "grey", gone: bool = False, thick: float = 1.5) -> Shape:
    """Return straight lines from point to point.

    >>> line((0, 0), (10, 0), (10, 5)).bottom
    5
    """
    path = "M" + "L".join(f"{x:.5g} {y:.5g}" for x, y in points)
    return _path(path, points, hue, gone, thick)


def curve(
    start: Point, end: Point, *, hue: str = "grey", gone: bool = False, thick: float = 1.5
) -> Shape:
    """Return a curve that leaves `start` and reaches `end` sideways, as branches of a tree do.

    >>> curve((0, 0), (40, 20)).right
    40
    """
    (x, y), (u, v) = start, end
    middle = (x + u) / 2
    path = f"M{x:.5g} {y:.5g}C{middle:.5g} {y:.5g} {middle:.5g} {v:.5g} {u:.5g} {v:.5g}"
    return _path(path, (start, end), hue, gone, thick)


def arrow(*points: Point, hue: str = "grey", gone: bool = False, thick: float = 1.5) -> Shape:
    """Return straight lines from point to point, with a head at the last.

    >>> "head" in arrow((0, 0), (40, 0)).svg
    True
    """
    *_, (x, y), (u, v) = points
    length = max(((u - x) ** 2 + (v - y) ** 2) ** 0.5, 1e-9)
    dx, dy = (u - x) / length, (v - y) / length
    back = u - HEAD * dx, v - HEAD * dy
    sides = [(back[0] + sign * HEAD / 2 * dy, back[1] - sign * HEAD / 2 * dx) for sign in (1, -1)]
    corners = " ".join(f"{a:.5g},{b:.5g}" for a, b in ((u, v), *sides))
    shaft = line(*points[:-1], back, hue=hue, gone=gone, thick=thick)
    head = f'<g class="{hue}"><polygon points="{corners}" class="head"/></g>'
    return replace(around([shaft, Shape("", u, v, u, v)]), svg=shaft.svg + head)


def bracket(x: float, top: float, bottom: float, *, hue: str = "teal") -> Shape:
    """Return a bracket that opens to the left, as wide as its ticks.

    >>> bracket(100, 0, 50).west
    (94, 25.0)
    """
    return line((x - 6, top), (x, top), (x, bottom), (x - 6, bottom), hue=hue)


def _path(path: str, points: Iterable[Point], hue: str, gone: bool, thick: float) -> Shape:
    kind = f"{hue} line{' gone' if gone else ''}"
    xs, ys = zip(*points, strict=True)
    svg = f'<path d="{path}" stroke-width="{thick:g}" class="{kind}"/>'
    return Shape(svg, min(xs), min(ys), max(xs), max(ys))


def hue_of(kind: str) -> str:
    """Return the colour of a type: floats, integers, booleans and keys have one each.

    >>> [hue_of(kind) for kind in ("~f32[3]", "u8[]", "bool[2]", "key<fry>[]", "str")]
    ['teal', 'blue', 'amber', 'purple', 'grey']
    """
    dtype = kind.lstrip("~").partition("[")[0]
    starts = {"key": "purple", "bool": "amber", "bf": "teal", "f": "teal", "c": "teal"}
    starts |= {"i": "blue", "u": "blue", "s": "blue"}
    is_array = "[" in kind
    return next(
        (hue for start, hue in starts.items() if is_array and dtype.startswith(start)), "grey"
    )


def around(shapes: Iterable[Shape]) -> Shape:
    """Return the shapes as one, in the order in which they are drawn.

    >>> around([dot(0, 0), dot(100, 50)]).bottom
    56
    """
    shapes = list(shapes)
    return Shape(
        "".join(each.svg for each in shapes),
        min(each.left for each in shapes),
        min(each.top for each in shapes),
        max(each.right for each in shapes),
        max(each.bottom for each in shapes),
    )


def column(middles: Iterable[float], apart: float = HEIGHT + 8) -> Iterator[float]:
    """Yield the wished heights, each moved down as far as it needs to be `apart` from the last.

    >>> list(column([0, 10, 100], 32))
    [0, 32, 100]
    """
    last = None
    for middle in middles:
        last = middle if last is None else max(middle, last + apart)
        yield last


def draw(shapes: Iterable[Shape], caption: str, twin: Picture, *, title: str = "") -> Picture:
    """Return a drawing as a picture, whose text and folded table are those of its `twin`.

    `twin` states every fact of the drawing; `caption` is its name for those who do not see it. The
    `title` is drawn above.

    >>> draw([box(0, 0, "<script>")], "a box", Picture("a box says <script>"))
    a box says <script>
    """
    whole = around(shapes)
    if title:
        heading = label(whole.left, whole.top - 16, title, sans=True, bold=True)
        whole = around([heading, whole])
    left, top = whole.left - MARGIN, whole.top - MARGIN
    width, height = (round(size + 2 * MARGIN) for size in _size(whole))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="{left:.5g} {top:.5g} {width} {height}"><style>{STYLE}</style>'
        f'<rect x="{left + 0.5:.5g}" y="{top + 0.5:.5g}" width="{width - 1}"'
        f' height="{height - 1}" rx="8" class="card"/>{whole.svg}</svg>'
    )
    return as_image(svg, width, height, caption, twin)


def as_image(svg: str, width: int, height: int, caption: str, twin: Picture) -> Picture:
    """Return a whole SVG as a picture, with its `twin` folded below.

    As an image it keeps its styles and names to itself, and reaches nothing outside.

    >>> as_image("<svg/>", 20, 10, "nothing", Picture("nothing at all"))
    nothing at all
    """
    return Picture(twin.text, _html(svg, width, height, caption, twin), twin.rest, svg)


def _size(shape: Shape) -> Point:
    return shape.right - shape.left, shape.bottom - shape.top


def _html(svg: str, width: int, height: int, caption: str, twin: Picture) -> str:
    # The theme dims what is not of this class. A page that follows light and dark hands on which
    # it is; JupyterLab has to be asked.
    least = int(LEAST * width)
    fitting = f"min-width:{least}px;max-width:100%;height:auto;display:block"
    image = (
        f'<img class="dark-light" alt="{escape(caption)}" width="{width}" height="{height}"'
        f' style="{fitting}" src="{_address(svg)}">'
    )
    follow = (
        '<style>body[data-jp-theme-light="false"] .traced img{color-scheme:dark}'
        'body[data-jp-theme-light="true"] .traced img{color-scheme:light}</style>'
    )
    table = twin.html or f'<pre style="overflow-x:auto">{escape(twin.text)}</pre>'
    return (
        f'{follow}<div style="overflow-x:auto" role="group" aria-label="{escape(caption)}"'
        f' tabindex="0">{image}</div>{scroll_cue(f"{least}px")}'
        f"<details><summary>the same in words</summary>{table}</details>"
    )


def _address(svg: str) -> str:
    # Written in the other kind of quotes it need not be escaped; texts have neither.
    swapped = svg.translate(str.maketrans("\"'", "'\""))
    return "data:image/svg+xml," + quote(swapped, safe=" =:/(),;'-.@!*")


STYLE = _style()
