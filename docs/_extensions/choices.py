"""Put beside each exercise its hints, and a few answers of which one passes, with what is said.

All of it was executed: `docs/execute_choices.py` stores it, and the tests of the lessons compare.
Everything is a fold, so that it is read without scripts; `choices.js` lets readers choose first.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

CHECK = re.compile(r"^ex\.(\w+)\.check\(\1\)$", re.MULTILINE)
SHOWN = re.compile(r"^ex\.(\w+)\.hint\(", re.MULTILINE)
NUMBERS = {2: "two", 3: "three", 4: "four"}


def add_choices(app: Sphinx, doctree: nodes.document) -> None:
    """Put below the cell of each exercise what was stored of it."""
    page = app.env.docname
    stored = Path(app.srcdir, "docs/choices", f"{page.rpartition('/')[2]}.json")
    if not page.startswith("notebooks/") or not stored.exists():
        return
    app.env.note_dependency(str(stored))
    exercises = json.loads(stored.read_text("utf-8"))
    blocks = [
        block
        for block in doctree.findall(nodes.literal_block)
        if "cell_input" in block.parent.get("classes", [])
    ]
    shown = set(SHOWN.findall("\n".join(block.astext() for block in blocks)))
    for block in blocks:
        for name in CHECK.findall(block.astext()):
            if name in exercises:
                cell = block.parent.parent
                hints = "" if name in shown else exercises[name]["hints"]
                answers, solved = (exercises[name].get(k, []) for k in ("answers", "solved"))
                beside = beside_exercise(page, name, hints, answers, solved)
                cell.parent.insert(cell.parent.index(cell) + 1, beside)


def beside_exercise(
    page: str, name: str, hints: str, answers: list[dict[str, Any]], solved: Sequence[str] = ()
) -> nodes.container:
    """Return the hints and the choice of an exercise as nodes.

    Of what the page has by a name in `solved`, the answers use the solution instead.
    """
    question = f"Which of these {NUMBERS[len(answers)]} answers passes?"
    start = f'<details class="which" data-page="{page}" data-name="{name}">'
    box = nodes.container(classes=["beside"])
    box += raw(f"{hints}{start}<summary>{question}</summary>")
    if solved:
        names = [f"<code>{escape(each)}</code>" for each in solved]
        listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        box += raw(f"<p>These answers use {listed} of the solutions.</p>")
    box += raw(f'<ol type="A" aria-label="Answers to {escape(name)}">')
    for letter, answer in zip(ascii_uppercase, answers, strict=False):
        box += raw(f'<li data-answer="{digest(answer["source"])}">')
        box += nodes.literal_block(answer["source"], answer["source"], language="python")
        summary = f"What the check says of {letter}"
        said = answer["said"]
        box += raw(f"<details><summary>{summary}</summary>{said}</details></li>")
    box += raw("</ol></details>")
    return box


def raw(html: str) -> nodes.raw:
    """Return HTML as a node."""
    return nodes.raw("", html, format="html")


def digest(source: str) -> str:
    """Return the name under which a reader's choice is kept, whatever becomes of the order.

    >>> digest("x = 1")
    '80f12fac'
    """
    return hashlib.sha256(source.encode()).hexdigest()[:8]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("doctree-read", add_choices)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
