"""Put each line of code into an element of its own, so that on a phone it breaks below itself."""

import re
from collections.abc import Iterable, Iterator

from pygments.formatters import HtmlFormatter
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

Line = tuple[int, str]
TAGS = re.compile(r"<[^>]*>")


class LineFormatter(HtmlFormatter[str]):
    """Mark each line, and say how far it is indented where it is."""

    def wrap(self, source: Iterable[Line]) -> Iterator[Line]:
        """Yield the lines as Pygments does, each in its element."""
        return super().wrap(mark(line) for line in source)


def mark(line: Line) -> Line:
    """Return a line in an element, which a style sheet may break and indent.

    >>> mark((1, "<span>    </span>x"))
    (1, '<span class="line" style="--in:4"><span>    </span>x</span>')
    >>> mark((1, "x"))
    (1, '<span class="line">x</span>')
    """
    is_code, text = line
    plain = TAGS.sub("", text)
    indent = len(plain) - len(plain.lstrip(" "))
    style = f' style="--in:{indent}"' if indent else ""
    return is_code, f'<span class="line"{style}>{text}</span>'


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    PygmentsBridge.html_formatter = LineFormatter
    return {"parallel_read_safe": True, "parallel_write_safe": True}
