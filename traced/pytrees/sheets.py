"""The axes of a `vmap` as they are drawn: stacks of sheets, of which a function sees one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from traced.drawing.crowd import few, gathered, span
from traced.drawing.shapes import Shape, around, arrow, bar, box, label, width_of
from traced.python.values import shortened
from traced.pytrees.axes import MappedAxes
from traced.pytrees.prefixes import Laid
from traced.pytrees.tree_drawing import hue_of

HIGH, BEHIND, GAP, APART, SMALL = 40, 5, 12, 26, 11
ROW = HIGH + 2 * BEHIND + GAP
LONGEST, NOTE = 18, 40  # characters of a name or a type, and of what stands below it
SEES = "sees one row"


@dataclass(frozen=True)
class Sheets:
    """One leaf: its name, its type outside and inside, and how many sheets lie on each other.

    `note` says along which axis; where that is a `fault`, how.
    """

    name: str
    outside: str
    inside: str
    note: str
    count: int = 1
    fault: bool = False
    alike: int = 1


def sheets_of(laid: Laid, mapped: MappedAxes) -> Iterator[Sheets]:
    """Yield the leaves of an argument or of a result, or what does not fit.

    >>> import jax
    >>> from traced.pytrees.axes import map_axes
    >>> mapped = map_axes(abs, jax.numpy.ones((8, 3)))
    >>> next(sheets_of(mapped.arguments[0], mapped)).note
    '8 along axis 0'
    """
    axis = mapped.axes.get(laid.node.path)
    if laid.fault:
        yield Sheets(laid.node.path, laid.node.text, "", f"✗ {laid.fault}", fault=True)
    elif laid.node.role == "leaf" and axis is not None:
        count = axis.size or 0 if axis.axis is not None else 1
        along = f"{count} along axis {axis.axis}"
        mapping = "the same for every row" if axis.axis is None else along
        note = f"✗ {axis.fault}" if axis.fault else mapping
        yield Sheets(laid.node.path, axis.outside, axis.inside, note, count, bool(axis.fault))
    else:
        for part in laid.parts:
            yield from sheets_of(part, mapped)


def draw_axes(mapped: MappedAxes, name: str, notes: Sequence[str]) -> list[Shape]:
    """Return the shapes of what `vmap` maps, for a function of this name, with notes below.

    >>> import jax
    >>> from traced.pytrees.axes import map_axes
    >>> mapped = map_axes(abs, jax.numpy.ones((8, 3)))
    >>> any("f32[8,3]" in shape.svg for shape in draw_axes(mapped, "abs", []))
    True
    """
    inputs = _few([each for laid in mapped.arguments for each in sheets_of(laid, mapped)])
    outputs = _few([*sheets_of(mapped.result, mapped)] if mapped.result else [])
    height = ROW * max(len(inputs), len(outputs), 1)
    shapes = list(_column(inputs, 0, height))
    left = around(shapes).right
    name = shortened(name, LONGEST)
    wide = max(width_of(name, bold=True), width_of(SEES, SMALL, sans=True)) + 18
    hue = "amber" if outputs else "red"
    shapes.append(bar(left, height / 2, wide, height=height - GAP, hue=hue))
    shapes.append(label(left + wide / 2, height / 2 - 9, name, anchor="middle", bold=True))
    shapes.append(_small(left + wide / 2, height / 2 + 10, SEES if outputs else "not reached"))
    shapes += _column(outputs, left + wide, height, out=True)
    shapes += _heads(inputs, outputs, (left, left + wide), around(shapes).right)
    for i, note in enumerate(notes):
        shapes.append(label(0, height + 12 + 20 * i, note, sans=True, bold=True, hue="red"))
    return shapes


def _heads(
    inputs: Sequence[Sheets], outputs: Sequence[Sheets], sides: tuple[float, float], right: float
) -> Iterator[Shape]:
    (left, end), ends = sides, {"anchor": "end"}
    yield _head(0, "outside")
    if any(each.inside for each in inputs):
        yield _head(left - APART, "inside", **ends)
    if outputs:
        yield _head(end + APART, "inside")
        yield _head(right, "outside", **ends)


def _head(x: float, text: str, anchor: str = "start") -> Shape:
    return label(x, -16, text, size=SMALL, sans=True, muted=True, anchor=anchor)


def _small(x: float, y: float, text: str) -> Shape:
    return label(x, y, text, anchor="middle", size=SMALL, sans=True, muted=True)


def _column(
    sheets: Sequence[Sheets], x: float, height: float, *, out: bool = False
) -> Iterator[Shape]:
    """Draw the leaves on one side of the function: stacks, and the one sheet that it sees."""
    if not sheets:
        return
    whole = max(map(_width, sheets))
    one = max(width_of(_type(each.inside)) for each in sheets) + 18
    top = (height - ROW * len(sheets)) / 2 + ROW / 2
    for i, each in enumerate(sheets):
        y = top + ROW * i
        if out:
            inner, outer = x + APART, x + 2 * APART + one
        else:
            outer, inner = x, x + whole + 2 * BEHIND + APART
        stack, sheet = around(_stack(each, outer, y, whole)), _one(each, inner, y, one)
        hue = "red" if each.fault else "grey"
        yield stack
        start, end = (x, outer) if out else (outer + whole, inner + one + APART)
        if not each.inside:
            yield arrow((start, y), (end, y), hue=hue, gone=True)
            continue
        before, after = ("teal", hue) if out else (hue, "teal")
        yield arrow((start, y), sheet.west, hue=before, gone=before == "red")
        yield arrow(sheet.east, (end, y), hue=after, gone=after == "red")
        yield sheet


def _type(text: str) -> str:
    return shortened(text, LONGEST)


def _text(sheets: Sheets) -> str:
    name = shortened(sheets.name, LONGEST)
    return f"{name} {_type(sheets.outside)}".strip()


def _note(sheets: Sheets) -> str:
    alike = f", {sheets.alike} alike" if sheets.alike > 1 else ""
    return shortened(sheets.note, NOTE) + alike


def _width(sheets: Sheets) -> float:
    return max(width_of(_text(sheets)), width_of(_note(sheets), SMALL, sans=True)) + 18


def _hue(sheets: Sheets) -> str:
    return "red" if sheets.fault else hue_of(sheets.outside or sheets.inside)


def _stack(sheets: Sheets, x: float, y: float, width: float) -> Iterator[Shape]:
    for behind in range(min(sheets.count, 3) - 1, 0, -1):
        shift = behind * BEHIND
        yield bar(x + shift, y - shift, width, height=HIGH, hue=_hue(sheets))
    gone = sheets.count == 0 or not sheets.note
    yield box(x, y, _text(sheets), hue=_hue(sheets), note=_note(sheets), width=width, gone=gone)


def _one(sheets: Sheets, x: float, y: float, width: float) -> Shape:
    return box(x, y, _type(sheets.inside), hue=hue_of(sheets.inside), width=width)


def _few(sheets: list[Sheets]) -> list[Sheets]:
    gathering = gathered(sheets, lambda each: replace(each, name=""), _as_one)
    shown, left_out = few(gathering, lambda each: each.fault)
    return [*shown, *([Sheets(f"… {left_out} more", "", "", "")] if left_out else [])]


def _as_one(run: list[Sheets]) -> Sheets:
    return replace(run[0], name=span(run[0].name, run[-1].name), alike=len(run))
