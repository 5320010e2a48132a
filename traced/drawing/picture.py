"""A picture of what a probe saw: HTML for a page, and the same facts as text."""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import ParamSpec

from traced.drawing.lines import cut_text
from traced.internals.canary import CouldNotTell

# Layout stands in inline styles, which an untrusted notebook keeps. Nothing sets a text colour or
# an opaque background, so that light and dark both work.
CELL = "text-align:left;padding:.2em .9em .2em 0;vertical-align:top"
CUE = "position:sticky;left:0;height:0;overflow:hidden"
# It moves into the padding above it. Where a page takes that away, as JupyterLab does of a notebook
# that is not trusted, it lies below a line without any height.
TOLD = "display:block;margin:-1.5em .5em 0;text-align:right;font:.75rem/1.5 sans-serif;opacity:.85"
CODE = "font-family:monospace;white-space:pre-wrap;background:transparent"


@dataclass(frozen=True)
class Picture:
    """A text and its HTML twin; Jupyter and the site show the HTML, a terminal the text.

    What was `measured` differs from run to run, so no test compares its HTML: its text says what
    always holds.

    >>> Picture("one line")
    one line
    """

    text: str
    html: str | None = None
    rest: str | None = None
    svg: str | None = None
    measured: bool = False

    @property
    def whole(self) -> "Picture":
        """The picture with all lines, where some of a long one are left out."""
        return self if self.rest is None else Picture(self.rest)

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str | None:
        return self.html and framed(self.html, measured=self.measured)


#: Characters of a text that are shown at most, whatever the program.
LARGEST = 280_000


def listing(text: str) -> Picture:
    """Return the text of a program as a picture; of a long one the middle is left out.

    >>> listing("one line").whole
    one line
    """
    return Picture(cut_text(text, LARGEST), rest=text)


P = ParamSpec("P")


def telling(show: Callable[P, Picture]) -> Callable[P, Picture]:
    """Return `show` so that its picture says what JAX or Flax does not show any longer.

    >>> from traced.internals.canary import CouldNotTell
    >>> @telling
    ... def show_lines():
    ...     raise CouldNotTell("which line it was", "flax")
    >>> str(show_lines()).partition(": ")[0]
    'could not tell which line it was'
    """

    @functools.wraps(show)
    def shown(*args: P.args, **kwargs: P.kwargs) -> Picture:
        try:
            return show(*args, **kwargs)
        except CouldNotTell as unseen:
            return Picture(str(unseen))

    return shown


def framed(html: str, *, wide: bool = False, measured: bool = False) -> str:
    """Return `html` in the element by which the site's style sheet knows the course's pictures.

    What is `wide` may take the width of the page, the column of its contents included. What was
    `measured` is known by that, and not compared.

    >>> framed("<b>1</b>")
    '<div class="traced"><b>1</b></div>'
    """
    kinds = f"traced{' full-width' if wide else ''}{' measured' if measured else ''}"
    return f'<div class="{kinds}">{html}</div>'


def scroll_cue(width: str) -> str:
    """Return a line that is seen only where there is less room than `width`.

    A percentage of a padding is one of the width of what is around: with more room than that the
    padding is none, and a line without any height is hidden.

    >>> "700px - 100%" in scroll_cue("700px")
    True
    """
    shown = f"padding-top:clamp(0px,calc(({width} - 100%)*99),1.5em)"
    return (
        f'<div aria-hidden="true" data-cue style="{CUE};{shown}">'
        f'<span style="{TOLD}">scroll for the rest →</span></div>'
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> Picture:
    """Return a table as a picture; every cell is plain text and is escaped.

    >>> table(("call", "traced"), [("f(1.0)", "yes")], "calls of f")
    call    traced
    f(1.0)  yes
    """
    rows = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in (head, *rows))
    return Picture("\n".join(lines), _html_table(head, rows, caption))


def _html_table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    header = "".join(f'<th scope="col" style="{CELL}">{escape(cell)}</th>' for cell in head)
    body = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in rows)
    return (
        f'<div style="overflow-x:auto" role="group" aria-label="{escape(caption)}" tabindex="0">'
        f'<table style="border-collapse:collapse;width:auto"><tr>{header}</tr>{body}</table></div>'
    )


def _html_cell(cell: str) -> str:
    return f'<td style="{CELL};{CODE}">{escape(cell)}</td>'
