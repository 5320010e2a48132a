"""Code as HTML, in the colours of the editor around it, and folds that a button opens."""

import re
from html import escape

#: A kind of word, as Pygments names it, and what JupyterLab's editor calls its colour.
COLOURS = {
    "Token.Comment": "comment",
    "Token.Keyword": "keyword",
    "Token.Literal.Number": "number",
    "Token.Literal.String": "string",
    "Token.Name.Builtin": "builtin",
    "Token.Name.Class": "def",
    "Token.Name.Decorator": "meta",
    "Token.Name.Function": "def",
    "Token.Operator.Word": "keyword",
}
# Where there is no such editor, weight and slant are left.
SHAPES = {"keyword": ";font-weight:bold", "comment": ";font-style:italic"}
PANE = "margin:.5em 0;background:transparent;overflow-x:auto"
BUTTON = "display:inline-block;padding:.4em .9em;border:1px solid;border-radius:.4em;cursor:pointer"


def code_html(code: str) -> str:
    """Return a program as a pane of HTML.

    >>> code_html("x = 1").partition("<code>")[2]
    'x = <span style="color:var(--jp-mirror-editor-number-color)">1</span></code></pre>'
    """
    from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]  # no stubs

    tokens = PythonLexer(ensurenl=False).get_tokens(code)
    marked = "".join(_marked(str(kind), text) for kind, text in tokens)
    return f'<pre tabindex="0" style="{PANE}"><code>{marked}</code></pre>'


def _marked(kind: str, text: str) -> str:
    # `self` is a builtin name to Pygments, of a kind of its own.
    kinds = () if kind.endswith(".Pseudo") else COLOURS
    colour = next((COLOURS[each] for each in kinds if kind.startswith(each)), None)
    if colour is None:
        return escape(text, quote=False)
    style = f"color:var(--jp-mirror-editor-{colour}-color){SHAPES.get(colour, '')}"
    return f'<span style="{style}">{escape(text, quote=False)}</span>'


def prose_html(text: str) -> str:
    """Return a sentence as HTML, with what stands in backticks as code.

    >>> prose_html("`x < y`, or not")
    '<code>x &lt; y</code>, or not'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def fold(title: str, body: str) -> str:
    """Return HTML that is folded away behind a button; the title is HTML too.

    >>> fold("More", "<p>1</p>").partition(">More")[2]
    '</summary><p>1</p></details>'
    """
    return f'<details><summary style="{BUTTON}">{title}</summary>{body}</details>'
