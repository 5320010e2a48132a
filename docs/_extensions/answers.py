"""Ask for each prediction of a lesson on its page, by buttons or a small form.

What may be answered stands in the comment of the cell, `prediction = ...  # 1, 2 or 10`; what is
asked, in the text above it; what is right, in the stored output below it, where the script finds
it. Without scripts nothing is added.
"""

import json
import re
from ast import literal_eval
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from lesson_pages import is_executed
from sphinx.application import Sphinx

ASKED = re.compile(r"^prediction = \.\.\.  # (.+)$", re.MULTILINE)
COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
#: The most numbers that get a button each.
BUTTONS = 10
BETWEEN = re.compile(r",? or |,? and |, ")
SUCH_AS = re.compile(r"such as (.+?)(?=: |$)|: (\(.+\)), or others$")
RANGE = re.compile(r"a (number|width) from (\d+) to (\d+)$")
SOME = re.compile(r"some of (.+?)(?:, in a list)?$")
REPEATED = re.compile(
    rf"({'|'.join(COUNTS)}) (?:of|times|words,)(?: each)? (.+?)(?:(?:, for|:) (.+))?$"
)
NAMED = re.compile(r"\[(.+)\], each (.+)$|(True or False) for (.+)$")
NUMBERS = re.compile(rf"({'|'.join(COUNTS)}) numbers(?:.*?(?:,? for|:) (.+))?")
SENTENCE = re.compile(r"(?<=\?)\s+|(?<=[.!:)])\s+(?=[A-Z\"(])")


@dataclass(frozen=True)
class Form:
    """How an answer is given: by one button, some boxes, one field for each part, or as text."""

    kind: str
    options: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


def read_form(comment: str) -> Form:
    """Return the form for what a comment says about the possible answers.

    >>> read_form('0.0, "inf" or "nan"')
    Form(kind='choose', options=('0.0', 'inf', 'nan'), labels=())
    >>> read_form("two of True or False")
    Form(kind='each', options=('True', 'False'), labels=('1', '2'))
    """
    if found := RANGE.match(comment):
        first, last = map(int, found.groups()[1:])
        if last - first < BUTTONS:
            return Form("choose", tuple(map(str, range(first, last + 1))))
        return Form("each", (), (found[1],))
    if found := SOME.match(comment):
        return Form("some", split(found[1]))
    if found := SUCH_AS.search(comment):
        if "pairs" in comment:
            return WRITTEN
        return read_example(literal_eval(found[1] or found[2]))
    if found := REPEATED.match(comment):
        return Form("each", split(found[2]), labels(COUNTS[found[1]], found[3]))
    if found := NAMED.match(comment):
        names = split(found[1] or found[4])
        return Form("each", split(found[2] or found[3]), names)
    if found := NUMBERS.match(comment):
        return Form("each", (), labels(COUNTS[found[1]], found[2]))
    options = split(comment.removeprefix("about "))
    return Form("choose", options) if len(options) > 1 and all(map(is_value, options)) else WRITTEN


WRITTEN = Form("write")


def read_example(example: Any) -> Form:
    """Return the form for answers like an example: a field for each part, where parts are plain."""
    if all(isinstance(part, bool) for part in example):
        return Form("each", ("True", "False"), labels(len(example), None))
    if all(isinstance(part, int | float) for part in example):
        return Form("each", (), labels(len(example), None))
    return WRITTEN


def labels(count: int, names: str | None) -> tuple[str, ...]:
    """Return the names of so many parts, or else their numbers."""
    named = split(names) if names else ()
    return named if len(named) == count else tuple(str(at + 1) for at in range(count))


def split(text: str) -> tuple[str, ...]:
    """Return the parts of an enumeration; commas inside brackets separate none."""
    hidden = re.sub(r"[(\[].*?[)\]]", lambda part: part[0].replace(", ", ",\0"), text)
    parts = (re.sub("^for ", "", part) for part in BETWEEN.split(hidden))
    return tuple(part.replace("\0", " ").strip("\"'") for part in parts)


def is_value(option: str) -> bool:
    """Tell whether an option is short enough to be an answer, and not a sentence about them."""
    return len(option.split()) <= 2 or option[0] in "(["


def plain(answer: str) -> list[str]:
    """Return the parts of an answer as they are compared, as the script and the course do it.

    >>> plain("[(3.0, 'nan')]")
    ['3', 'nan']
    """
    parts = re.sub(r"[()\[\]\"' ]|an(?= error$)", "", answer).split(",")
    return [re.sub(r"^(-?\d+)\.0*$", r"\1", part) for part in parts if part]


def lead(cell: nodes.Element) -> list[nodes.Element]:
    """List what stands above a cell, from the paragraph that asks."""
    siblings = cell.parent.children
    found: list[nodes.Element] = []
    for node in reversed(siblings[: siblings.index(cell)]):
        if isinstance(node, nodes.title):
            break
        found.insert(0, node)
        if isinstance(node, nodes.paragraph) and "?" in node.astext():
            break
    return found


def question(cell: nodes.Element, comment: str) -> str:
    """Return the sentence that asks, or else what the comment of the cell says."""
    paragraphs = [each for each in lead(cell) if isinstance(each, nodes.paragraph)]
    sentences = [each for part in paragraphs for each in SENTENCE.split(part.astext())]
    asking = [each for each in sentences if "?" in each]
    return " ".join(str((asking or [comment])[-1]).split())


def add_forms(app: Sphinx, doctree: nodes.document) -> None:
    """Put the facts of each prediction's form between its code and its output."""
    page = app.env.docname
    if not is_executed(app, page):
        return
    cells = json.loads(Path(app.srcdir, f"{page}.ipynb").read_text("utf-8"))["cells"]
    asked = [cell for cell in cells if ASKED.search("".join(cell["source"]))]
    blocks = [
        block
        for block in doctree.findall(nodes.literal_block)
        if "cell_input" in block.parent.get("classes", []) and ASKED.search(block.astext())
    ]
    for cell, block in zip(asked, blocks, strict=True):
        comment = ASKED.findall(block.astext())[0]
        within = block.parent.parent
        asks = {"question": question(within, comment), "asked": comment}
        facts = {"id": cell["id"], **asks, **asdict(read_form(comment))}
        shown = escape(json.dumps(facts, ensure_ascii=False))
        html = f'<div class="ask" data-page="{page}" data-form="{shown}"></div>'
        within.insert(within.index(block.parent) + 1, nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("doctree-read", add_forms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
