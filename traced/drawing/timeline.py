"""A table of what happened one after the other; in HTML each row hangs on a line with a dot."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from traced.drawing.outline import MONO, SMALL, layout
from traced.drawing.picture import CELL, Picture, table

# The line stops short of the dot, which may be hollow.
ABOVE = "linear-gradient(#888,#888) calc(.4em - 1px) 0/2px .45em no-repeat"
BELOW = "linear-gradient(#888,#888) calc(.4em - 1px) 1.35em/2px calc(100% - 1.35em) no-repeat"
DOT = "display:inline-block;box-sizing:border-box;width:.8em;height:.8em;border-radius:50%"
RING = "border:2px solid #c77700"
FULL = "background:#c77700"


@dataclass(frozen=True)
class Event:
    """One row: its cells, and whether it stands out."""

    cells: tuple[str, ...]
    stands_out: bool


def timeline(head: Sequence[str], events: Sequence[Event], caption: str) -> Picture:
    """Return events as a picture; every cell is plain text and is escaped.

    What stands out has a full dot, the rest a hollow one: a cell should say it in words as well.

    >>> timeline(("call", "outcome"), [Event(("f(1.0)", "traced"), True)], "calls of f")
    call    outcome
    f(1.0)  traced
    """
    text = table(head, [event.cells for event in events], caption).text
    header = "".join(f'<th scope="col" style="{layout(cell)}">{escape(cell)}</th>' for cell in head)
    rows = "".join(_row(event, event is events[0], event is events[-1]) for event in events)
    return Picture(
        text,
        f'<div style="overflow-x:auto" role="group" aria-label="{escape(caption)}" tabindex="0">'
        f'<table style="{SMALL}"><tr><td></td>{header}</tr>{rows}</table></div>',
    )


def _row(event: Event, first: bool, last: bool) -> str:
    rail = ",".join([*([] if first else [ABOVE]), *([] if last else [BELOW])]) or "none"
    dot = f'<span style="{DOT};{RING}{";" + FULL if event.stands_out else ""}"></span>'
    weight = ";font-weight:600" if event.stands_out else ""
    cells = "".join(
        f'<td style="{layout(cell)};{MONO}{weight if i == 1 else ""}">{escape(cell)}</td>'
        for i, cell in enumerate(event.cells)
    )
    return f'<tr><td style="{CELL};background:{rail}">{dot}</td>{cells}</tr>'
