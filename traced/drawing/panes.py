"""Panes of lines that are linked: a line of Python has a colour, and what became of it has it too.

To point at a line, tap it, or move the focus to it lights up what belongs to it in every pane.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle

from traced.drawing.picture import scroll_cue

# Layout in inline styles, so that a notebook that is not trusted yet, which loses `<style>`, can be
# read. What is coloured is half transparent, for light and dark.
SHELF = "display:flex;flex-wrap:wrap;gap:.6em 2em;align-items:flex-start;margin-bottom:.6em"
PANE = (
    "min-width:0;max-width:100%;max-height:32em;overflow:auto;padding:.3em 0;"
    "border:1px solid #8888;font-family:monospace;font-size:.85em;line-height:1.5"
)
LEAST, MOST = 20, 60  # characters of its longest line, by which a pane is wide
AROUND = 4  # characters between a label and its line, and around both
HEAD = "font-weight:bold;font-family:sans-serif;padding:0 .6em .2em"
ROWS = "white-space:pre;width:max-content;min-width:100%"
SUMMARY, FOLDED = "display:block;", "margin:0;padding:0;border:0"
MUTED = "opacity:.75"
DROPPED = "text-decoration:line-through;opacity:.75"

#: Eight colours that those who see red and green alike tell apart, after Okabe and Ito (2008). The
#: label in the margin says the same in any colour, and in none.
COLOURS = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7"),
    *("#56b4e9", "#d55e00", "#8a6fdf", "#b5a800"),
)
TINT = "26"  # of 255: text on it is read as easily as beside it
SEVERAL, NONE = "border-left:4px double #888", "padding-left:4px"

#: What lights up has a frame, which is there in every scheme of colours.
LIT = "{outline:1px solid;outline-offset:-1px;font-weight:bold}"
STYLE = (
    ".linked{position:relative;container-type:inline-size}"
    ".linked details[open]>summary>i{display:inline-block;transform:rotate(90deg)}"
    ".linked [data-at]:focus-visible{outline:2px solid}"
)
#: Where there is no room for panes side by side, one is shown and the others are tabs.
TABS = "display:none;border:0;margin:0;padding:0"
TAB = "display:inline-flex;gap:.3em;margin:0 1em .4em 0;font-size:.85em"
NARROW = (
    "@container (max-width:40em){.linked>fieldset{display:block!important}"
    ".linked>div{margin:0!important;gap:0!important}"
    ".linked>div>[data-pane]{flex-basis:100%!important}"
)


@dataclass(frozen=True)
class PaneRow:
    """A line of a pane: its label, its text, the labels that it belongs to, the rows folded below.

    `at` are the labels that it lights up; `within` are those that light it up besides. A line that
    did not get any further has a `fate`, which says why, and is struck out. One that `is_open` has
    its rows unfolded at first.
    """

    label: str
    text: str
    depth: int = 0
    at: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    inner: tuple["PaneRow", ...] = ()
    fate: str = ""
    is_open: bool = False


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
        fate = f"  {row.fate}" if row.fate else ""
        yield f"{row.label:>{width}}  {' ' * row.depth}{row.text}{fate}".rstrip()


def flat_rows(rows: Iterable[PaneRow]) -> Iterator[PaneRow]:
    """Yield all rows, those that are folded too.

    >>> [row.text for row in flat_rows([PaneRow("", "a", inner=(PaneRow("", "b"),))])]
    ['a', 'b']
    """
    for row in rows:
        yield row
        yield from flat_rows(row.inner)


def _unfolded(rows: Iterable[PaneRow]) -> Iterator[PaneRow]:
    for row in rows:
        yield row
        yield from _unfolded(row.inner if row.is_open else ())


def _width(rows: Iterable[PaneRow]) -> int:
    return max((len(row.label) for row in rows), default=0)


def panes_html(shelves: Sequence[Sequence[Pane]]) -> str:
    """Return the panes, those of a shelf side by side as far as there is room.

    >>> "<script>" in panes_html([[Pane("<script>", (PaneRow("1", "</style><script>"),))]])
    False
    """
    panes = [pane for shelf in shelves for pane in shelf]
    rows = [row for pane in panes for row in flat_rows(pane.rows)]
    labels = dict.fromkeys(label for row in rows for label in row.at)
    colours = dict(zip(labels, cycle(COLOURS), strict=False))
    drawn = iter([_pane(pane, number, colours) for number, pane in enumerate(panes)])
    body = "".join(
        f'<div style="{SHELF}">{"".join(next(drawn) for _ in shelf)}</div>' for shelf in shelves
    )
    rules = "".join(map(_rule, labels)) + STYLE + _tab_rules(len(panes))
    return f'<style>{rules}</style><div class="linked">{_tabs(panes, body)}{body}</div>'


def _rule(label: str) -> str:
    at, within = f'[data-at~="{label}"]', f'[data-in~="{label}"]'
    return f".linked:has({at}:is(:hover,:focus)) :is({at},{within}){LIT}"


def _tabs(panes: Sequence[Pane], body: str) -> str:
    # Radio buttons of one name are one choice, and every picture of a page has its own.
    name = f"panes-{hashlib.sha256(body.encode()).hexdigest()[:12]}"
    tabs = "".join(
        f'<label style="{TAB}"><input type="radio" name="{name}" data-tab="{number}"'
        f"{' checked' if number == 0 else ''}>{escape(pane.title)}</label>"
        for number, pane in enumerate(panes)
    )
    return f'<fieldset aria-label="the pane that is shown" style="{TABS}">{tabs}</fieldset>'


def _tab_rules(count: int) -> str:
    hidden = "".join(
        f'.linked:has([data-tab="{i}"]:checked) [data-pane]:not([data-pane="{i}"]){{display:none}}'
        for i in range(count)
    )
    return f"{NARROW}{hidden}}}"


def _pane(pane: Pane, number: int, colours: Mapping[str, str]) -> str:
    width = _width(flat_rows(pane.rows))
    rows = "".join(_row(row, width, colours) for row in pane.rows)
    title = escape(pane.title)
    shown = list(_unfolded(pane.rows))
    longest = max((len(row.text) + row.depth for row in shown), default=0)
    told = max((len(row.text) + row.depth + len(row.fate) for row in shown), default=0)
    share = min(max(longest, LEAST), MOST)  # of the room that is left
    return (
        f'<div role="group" aria-label="{title}" tabindex="0" data-pane="{number}"'
        f' style="flex:{share} 1 18em;{PANE}"><div style="{HEAD}">{title}</div>'
        f'<div style="{ROWS}">{rows}</div>{scroll_cue(f"{told + width + AROUND}ch")}</div>'
    )


def _row(row: PaneRow, width: int, colours: Mapping[str, str]) -> str:
    gutter = f'<span style="{MUTED}">{escape(row.label.rjust(width))}</span>' if width else ""
    text = escape(" " * row.depth) + _fated(row)
    style = _coloured(row, colours)
    if not row.inner:
        return f'<div{_links(row)} style="{style}"> {gutter}   {text} </div>'
    inner = "".join(_row(each, width, colours) for each in row.inner)
    unfolded = " open" if row.is_open else ""
    return (
        f'<details{unfolded} style="{FOLDED}">'
        f'<summary{_links(row)} style="{SUMMARY}{style}"> {gutter} '
        f'<i aria-hidden="true" style="font-style:normal">▸</i> {text} </summary>{inner}</details>'
    )


def _fated(row: PaneRow) -> str:
    text = escape(row.text)
    if not row.fate:
        return text
    return f'<span style="{DROPPED}">{text}</span>  <em>{escape(row.fate)}</em>'


def _coloured(row: PaneRow, colours: Mapping[str, str]) -> str:
    if row.label in colours:
        colour = colours[row.label]
        return f"border-left:4px solid {colour};background-color:{colour}{TINT}"
    return SEVERAL if row.at else NONE


def _links(row: PaneRow) -> str:
    if not row.at:
        return ""
    within = f' data-in="{" ".join(row.within)}"' if row.within else ""
    focus = "" if row.inner else ' tabindex="0"'  # a summary has the focus without
    return f' data-at="{" ".join(row.at)}"{within}{focus}'
