"""Panes of lines that are linked: what points at a line of one lights up what belongs to it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

# Layout in inline styles, so that a notebook that is not trusted yet, which loses `<style>`, can be
# read; the highlights are half transparent, for light and dark.
SHELF = "display:flex;flex-wrap:wrap;gap:.6em;align-items:flex-start;margin-bottom:.6em"
PANE = (
    "flex:1 1 20em;min-width:0;max-width:100%;max-height:30em;overflow:auto;padding:.3em .5em;"
    "border:1px solid #8888;font-family:monospace;font-size:.85em;line-height:1.45"
)
HEAD = "font-weight:bold;white-space:normal;padding-bottom:.2em"
GUTTER = "display:inline-block;text-indent:0;text-align:right;opacity:.75;white-space:pre"
MARK = "display:inline-block;text-indent:0;text-align:center;width:1.2em"
CHARACTER = 0.6  # em; an untrusted notebook loses `ch`
LIT = "{background:#ffb30055;box-shadow:inset 3px 0 #b8860b}"
STYLE = (
    ".linked details[open]>summary>i{transform:rotate(90deg)}"
    ".linked [data-at]:focus{outline:2px solid}"
)


@dataclass(frozen=True)
class PaneRow:
    """A line of a pane: its label, its text, the labels that it belongs to, the rows folded below.

    `at` are the labels that it lights up; `within` are those that light it up besides.
    """

    label: str
    text: str
    depth: int = 0
    at: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    inner: tuple["PaneRow", ...] = ()


@dataclass(frozen=True)
class Pane:
    """A title and rows."""

    title: str
    rows: tuple[PaneRow, ...]


def panes_text(panes: Iterable[Pane]) -> str:
    """Return the panes below one another, with the rows that are folded in HTML.

    >>> print(panes_text([Pane("jaxpr", (PaneRow("3", "a = sin b", 2, ("3",)),))]))
    jaxpr
    3    a = sin b
    """
    return "\n\n".join("\n".join(_text(pane)) for pane in panes)


def _text(pane: Pane) -> Iterator[str]:
    yield pane.title
    rows = list(flat_rows(pane.rows))
    width = _width(rows)
    for row in rows:
        yield f"{row.label:>{width}}  {' ' * row.depth}{row.text}".rstrip()


def flat_rows(rows: Iterable[PaneRow]) -> Iterator[PaneRow]:
    """Yield all rows, those that are folded too.

    >>> [row.text for row in flat_rows([PaneRow("", "a", inner=(PaneRow("", "b"),))])]
    ['a', 'b']
    """
    for row in rows:
        yield row
        yield from flat_rows(row.inner)


def _width(rows: Iterable[PaneRow]) -> int:
    return max((len(row.label) for row in rows), default=0)


def panes_html(shelves: Sequence[Sequence[Pane]]) -> str:
    """Return the panes, those of a shelf side by side as far as there is room.

    >>> "<script>" in panes_html([[Pane("<script>", (PaneRow("1", "</style><script>"),))]])
    False
    """
    rows = [row for shelf in shelves for pane in shelf for row in flat_rows(pane.rows)]
    rules = "".join(map(_rule, dict.fromkeys(label for row in rows for label in row.at)))
    body = "".join(f'<div style="{SHELF}">{"".join(map(_pane, shelf))}</div>' for shelf in shelves)
    return f'<style>{rules}{STYLE}</style><div class="linked">{body}</div>'


def _rule(label: str) -> str:
    at, within = f'[data-at~="{label}"]', f'[data-in~="{label}"]'
    return f".linked:has({at}:is(:hover,:focus)) :is({at},{within}){LIT}"


def _pane(pane: Pane) -> str:
    width = _width(flat_rows(pane.rows))
    rows = "".join(_row(row, width) for row in pane.rows)
    title = escape(pane.title)
    return (
        f'<div role="group" aria-label="{title}" tabindex="0" style="{PANE}">'
        f'<div style="{HEAD}">{title}</div>{rows}</div>'
    )


def _row(row: PaneRow, width: int) -> str:
    attributes = _links(row) + f' style="{_hanging(width + row.depth + 4)}"'
    gutter = f'<span style="{GUTTER};width:{width * CHARACTER:.1f}em">{escape(row.label)}</span>'
    text = escape(" " * row.depth + row.text)
    if not row.inner:
        return f'<div{attributes}>{gutter}<span style="{MARK}"> </span>{text}</div>'
    mark = f'<i aria-hidden="true" style="{MARK};font-style:normal">▸</i>'
    inner = "".join(_row(each, width) for each in row.inner)
    return (
        f'<details style="margin:0;padding:0;border:0"><summary{attributes}>'
        f"{gutter}{mark}{text}</summary>{inner}</details>"
    )


def _links(row: PaneRow) -> str:
    if not row.at:
        return ""
    within = f' data-in="{" ".join(row.within)}"' if row.within else ""
    focus = "" if row.inner else ' tabindex="0"'  # a summary has the focus without
    return f' data-at="{" ".join(row.at)}"{within}{focus}'


def _hanging(columns: int) -> str:
    """Return the style of a line whose continuation begins further right than its first line."""
    indent = columns * CHARACTER
    return (
        "display:block;white-space:pre-wrap;overflow-wrap:break-word;"
        f"padding-left:{indent + 0.4:.1f}em;text-indent:-{indent:.1f}em"
    )
