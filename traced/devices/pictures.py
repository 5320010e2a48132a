"""An array, cut into the pieces that lie on each device."""

from collections.abc import Iterator, Sequence
from typing import Any

from traced.devices.shards import Piece, find_pieces
from traced.drawing.outline import Branch, outline
from traced.drawing.picture import Picture, telling
from traced.drawing.shapes import SIZE, Shape, around, bar, box, draw, hue_of, label
from traced.python.values import describe, shortened

#: Rows and columns of pieces that are drawn, of the first and of the last.
FIRST, LAST = 3, 2
GAP, ROW, SHEET, MOST_SHEETS = 6, 46, 4, 3
WIDEST = 20  # characters of a list of devices

Ends = tuple[int, int]


@telling
def show_shards(array: Any) -> Picture:
    """Return an array as its sharding cuts it: each piece with its shape and its devices.

    A piece that several devices have is a stack of as many sheets, up to four. Of an array with
    more than two axes, two are drawn, those that are cut into most pieces. Nothing is computed: a
    `jax.ShapeDtypeStruct` with a sharding will do.

    >>> import jax.numpy as jnp
    >>> show_shards(jnp.ones((2, 3)))
    piece       type      devices
    [0:2, 0:3]  f32[2,3]  0
    f32[2,3]: one piece, on one device
    """
    pieces = find_pieces(array)
    kind = describe(array)
    dtype = kind.lstrip("~").partition("[")[0]
    notes = [f"{kind}: {_said(pieces)}", *_mesh(array)]
    rows = [Branch(each.text, ((_type(dtype, each), _devices(each)),)) for each in pieces]
    caption = "shards of an array"
    drawing = around(_Grid(pieces, dtype).shapes())
    lines = [
        label(drawing.left, drawing.bottom + 22 + 20 * i, note, sans=True, bold=i == 0, muted=i > 0)
        for i, note in enumerate(notes)
    ]
    twin = outline(("piece", "type", "devices"), rows, caption, notes)
    return draw([drawing, *lines], caption, twin, title="an array, and the devices that hold it")


def _said(pieces: Sequence[Piece]) -> str:
    devices = {device for each in pieces for device in each.devices}
    copies = {len(each.devices) for each in pieces}
    many = f"{len(devices)} devices" if devices != {*pieces[0].devices} or len(devices) > 1 else ""
    if len(pieces) == 1:
        return f"a copy on each of {many}" if many else "one piece, on one device"
    each = (
        f", a copy of each on {copies.pop()} devices" if copies != {1} and len(copies) == 1 else ""
    )
    return f"{len(pieces)} pieces on {many}{each}"


def _mesh(array: Any) -> Iterator[str]:
    mesh, spec = (getattr(array.sharding, name, None) for name in ("mesh", "spec"))
    if mesh is not None and spec is not None:
        sizes = dict(mesh.shape)
        entries = [*spec, *[None] * (len(array.shape) - len(spec))]
        axes = [f"axis {i} {_cut(entry, sizes)}" for i, entry in enumerate(entries)]
        named = ", ".join(f"{name}={size}" for name, size in sizes.items())
        yield "; ".join([*([", ".join(axes)] if axes else []), f"mesh {named}"])


def _cut(entry: Any, sizes: dict[str, int]) -> str:
    names = entry if isinstance(entry, tuple) else (entry,)
    return f"over {' and '.join(names)}" if all(name in sizes for name in names) else "not cut"


def _type(dtype: str, piece: Piece) -> str:
    return f"{dtype}[{','.join(map(str, piece.shape))}]"


def _devices(piece: Piece) -> str:
    return ", ".join(map(str, piece.devices))


class _Grid:
    """Two axes of an array, cut: rows for the one and columns for the other."""

    def __init__(self, pieces: Sequence[Piece], dtype: str) -> None:
        self.pieces, self.dtype = pieces, dtype
        count = len(pieces[0].ends)
        cuts = {axis: len({each.ends[axis] for each in pieces}) for axis in range(count)}
        # With one axis it is a row of pieces.
        most = sorted(sorted(cuts, key=lambda axis: -cuts[axis])[:2])
        self.axes: list[int | None] = [*[None] * (2 - len(most)), *most]
        self.rows, self.columns = ([*self._ends(axis)] for axis in self.axes)
        self.cells: dict[tuple[Ends | None, Ends | None], list[Piece]] = {}
        for each in pieces:
            row, column = (None if axis is None else each.ends[axis] for axis in self.axes)
            self.cells.setdefault((row, column), []).append(each)
        self.width = max(
            box(0, 0, text, note=note).right for text, note in map(self.texts, self.cells.values())
        )
        self.sheets = max(min(len(each.devices) - 1, MOST_SHEETS) for each in pieces)
        self.apart = ROW + SHEET * self.sheets

    def _ends(self, axis: int | None) -> list[Ends | None]:
        if axis is None:
            return [None]
        return [*sorted({each.ends[axis] for each in self.pieces})]

    def texts(self, pieces: Sequence[Piece]) -> tuple[str, str]:
        first, *others = pieces
        devices = sorted(device for each in pieces for device in each.devices)
        named = f"device {devices[0]}" if len(devices) == 1 else f"devices {_joined(devices)}"
        copies = f" · {len(first.devices)} copies" if len(first.devices) > 1 else ""
        if others:
            return shortened(named, WIDEST), f"{len(pieces)} pieces of {_type(self.dtype, first)}"
        return shortened(named, WIDEST), _type(self.dtype, first) + copies

    def shapes(self) -> Iterator[Shape]:
        """Yield the pieces in their places, with the numbers of the rows and the columns."""
        step = self.width + GAP + SHEET * self.sheets
        rows, columns = _shown(self.rows), _shown(self.columns)
        for i, row in enumerate(rows):
            y = self.apart * i
            if isinstance(row, tuple):
                yield label(-2 * GAP, y, _slice(row), anchor="end", muted=True, size=SIZE - 2)
            for j, column in enumerate(columns):
                if isinstance(row, int) or isinstance(column, int):
                    left = row if isinstance(row, int) else column
                    text = f"… {left} more …" if i == 0 or j == 0 else "…"
                    yield label(
                        step * j + self.width / 2, y, text, anchor="middle", sans=True, muted=True
                    )
                else:
                    yield from self.cell(step * j, y, self.cells[row, column])
        for j, column in enumerate(columns):
            if isinstance(column, tuple):
                x = step * j + self.width / 2
                yield label(
                    x,
                    -ROW / 2 - 8 - SHEET * self.sheets,
                    _slice(column),
                    anchor="middle",
                    muted=True,
                    size=SIZE - 2,
                )
        titles = [None if axis is None else f"axis {axis}" for axis in self.axes]
        if titles[1]:
            yield label(
                0,
                -ROW / 2 - 26 - SHEET * self.sheets,
                f"{titles[1]} →",
                sans=True,
                muted=True,
                size=SIZE - 1,
            )
        if titles[0]:
            yield label(
                -2 * GAP,
                -ROW / 2 - 8 - SHEET * self.sheets,
                f"{titles[0]} ↓",
                anchor="end",
                sans=True,
                muted=True,
                size=SIZE - 1,
            )

    def cell(self, x: float, y: float, pieces: Sequence[Piece]) -> Iterator[Shape]:
        hue = hue_of(f"{self.dtype}[]")
        sheets = min(max(len(each.devices) for each in pieces) - 1, MOST_SHEETS)
        for sheet in range(sheets, 0, -1):
            shift = SHEET * sheet
            yield bar(x + shift, y - shift, self.width, hue=hue, height=40)
        text, note = self.texts(pieces)
        yield box(x, y, text, hue=hue, note=note, width=self.width)


def _joined(devices: Sequence[int]) -> str:
    """Write `0 … 3` for many in a row."""
    if len(devices) > 3 and [*devices] == [*range(devices[0], devices[-1] + 1)]:
        return f"{devices[0]} … {devices[-1]}"
    return ", ".join(map(str, devices))


def _shown(ends: Sequence[Ends | None]) -> list[Ends | int | None]:
    """Return the first and the last, and between them how many are left out."""
    if len(ends) <= FIRST + LAST + 1:
        return [*ends]
    return [*ends[:FIRST], len(ends) - FIRST - LAST, *ends[-LAST:]]


def _slice(ends: Ends) -> str:
    return f"{ends[0]}:{ends[1]}"
