"""A table whose rows are a tree: branches with box-drawing in text, indented rows in HTML."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby

from traced.drawing.picture import CELL, Picture

MOST = 60  # rows shown of one picture
ALIKE = 4  # so many neighbours that look the same are drawn as one
MONO = "font-family:monospace"
INDENT = 1.4  # em for each level, in HTML
WARNING = "background:#ffb30033"  # half transparent, for light and dark
SHORT = 20  # characters that stand on one line, also on a phone
SMALL = "border-collapse:collapse;width:auto;font-size:.9em;line-height:1.4"


@dataclass(frozen=True)
class Branch:
    """A row and the rows below it.

    `lines` are the cells behind the label: a row for each. A line stands out if one of them
    begins with `✗`. `path` is the whole name, for those who hear the rows one by one.
    """

    label: str
    lines: tuple[tuple[str, ...], ...]
    children: tuple["Branch", ...] = ()
    path: str = ""


@dataclass(frozen=True)
class OutlineRow:
    """One row: what is drawn before the label, how deep, the cells, and of how many lines."""

    guides: str
    depth: int
    cells: tuple[str, ...]
    path: str
    span: int


def outline(
    head: Sequence[str], branches: Iterable[Branch], caption: str, notes: Iterable[str] = ()
) -> Picture:
    """Return a tree as a picture; every cell is plain text and is escaped.

    Four or more neighbours that look the same become one row, and what exceeds sixty rows is left
    out: both are said. `notes` stand below, a line each.

    >>> leaves = Branch("w", (("f32[3]",),)), Branch("b", (("f32[]",),))
    >>> outline(("name", "type"), [Branch("params", (("dict",),), leaves)], "a tree")
    name    type
    params  dict
    ├─ w    f32[3]
    └─ b    f32[]
    """
    rows = list(_rows(gathered(branches)))
    shown = rows if len(rows) <= MOST else rows[: MOST - 1]
    notes = [*_left_out(rows[len(shown) :]), *notes]
    # A label may stand beside several rows, of which some may have been left out.
    shown = [replace(row, span=min(row.span, len(shown) - i)) for i, row in enumerate(shown)]
    return Picture(_text(head, shown, notes), _html(head, shown, caption, notes))


def _left_out(rows: Sequence[OutlineRow]) -> list[str]:
    marked = sum(map(_is_marked, rows))
    also = f", {marked} of them marked ✗" if marked else ""
    return [f"… {len(rows)} more rows left out{also}"] if rows else []


def _is_marked(row: OutlineRow) -> bool:
    return any(cell.startswith("✗") for cell in row.cells)


def gathered(branches: Iterable[Branch]) -> tuple[Branch, ...]:
    """Return the branches with neighbours that are alike as one.

    >>> [each.label for each in gathered([Branch(str(i), (("f32[]",),)) for i in range(9)])]
    ['0 … 8  (9 alike)']
    """
    full = [replace(each, children=gathered(each.children)) for each in branches]
    runs = (list(run) for _, run in groupby(full, key=_look))
    return tuple(each for run in runs for each in _as_one(run))


def _look(branch: Branch) -> tuple[object, ...]:
    return branch.lines, tuple((each.label, _look(each)) for each in branch.children)


def _as_one(run: list[Branch]) -> list[Branch]:
    # Rows without any cells say all they have to say in their labels.
    if len(run) < ALIKE or not any(any(line) for line in run[0].lines):
        return run
    ends = [run[0], run[-1]]
    label, path = (
        f"{' … '.join(texts)}  ({len(run)} alike)"
        for texts in ([each.label for each in ends], [each.path or each.label for each in ends])
    )
    return [replace(run[0], label=label, path=path)]


def _rows(branches: Sequence[Branch], guides: str = "", depth: int = 0) -> Iterator[OutlineRow]:
    for branch in branches:
        last = branch is branches[-1]
        here, below = (guides, guides) if depth == 0 else _guides(guides, last)
        first, *more = branch.lines
        path = branch.path or branch.label
        yield OutlineRow(here, depth, (branch.label, *first), path, len(branch.lines))
        beside = below + ("│" if branch.children else "")
        yield from (OutlineRow(beside, depth, ("", *cells), path, 0) for cells in more)
        yield from _rows(branch.children, below, depth + 1)


def _guides(guides: str, last: bool) -> tuple[str, str]:
    return (guides + "└─ ", guides + "   ") if last else (guides + "├─ ", guides + "│  ")


def _text(head: Sequence[str], rows: Sequence[OutlineRow], notes: Iterable[str]) -> str:
    cells = [tuple(head), *((row.guides + row.cells[0], *row.cells[1:]) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)
    return "\n".join([*lines, *notes])


def _html(
    head: Sequence[str], rows: Sequence[OutlineRow], caption: str, notes: Iterable[str]
) -> str:
    header = "".join(f'<th scope="col" style="{layout(cell)}">{escape(cell)}</th>' for cell in head)
    return (
        f'<div style="overflow-x:auto" role="group" aria-label="{escape(caption)}" tabindex="0">'
        f'<table style="{SMALL}"><tr>{header}</tr>{"".join(map(_html_row, rows))}</table></div>'
        + "".join(f'<p style="margin:.3em 0">{escape(note)}</p>' for note in notes)
    )


def _html_row(row: OutlineRow) -> str:
    marked = f' style="{WARNING}"' if _is_marked(row) else ""
    cells = "".join(
        f'<td style="{layout(cell)};{MONO}">{escape(cell)}</td>' for cell in row.cells[1:]
    )
    return f"<tr{marked}>{_html_label(row) if row.span else ''}{cells}</tr>"


def layout(cell: str) -> str:
    """Return the style of a cell: what is short does not break, what is long has some room.

    >>> layout("f32[3]").rpartition(";")[2], layout("x" * 60).rpartition(";")[2]
    ('white-space:pre', 'min-width:16em')
    """
    room = f"overflow-wrap:anywhere;min-width:{min(len(cell) / 3, 16):.3g}em"
    return f"{CELL};{'white-space:pre' if len(cell) <= SHORT else room}"


def _html_label(row: OutlineRow) -> str:
    indent = f"{row.depth * INDENT:.1f}em"
    # A thin line for each level, as editors draw it; without it, the indentation remains.
    lines = (
        f";background:repeating-linear-gradient(90deg,#8888 0 1px,#0000 1px {INDENT}em)"
        f" .4em 0/{indent} 100% no-repeat"
    )
    shape = f"{layout(row.cells[0])};{MONO};font-weight:normal;padding-left:{indent}"
    style = shape + (lines if row.depth else "")
    span = f' rowspan="{row.span}"' if row.span > 1 else ""
    name = f' aria-label="{escape(row.path)}"' if row.path != row.cells[0] else ""
    return f'<th scope="row"{span}{name} style="{style}">{escape(row.cells[0])}</th>'
