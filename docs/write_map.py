"""Write the map of the lessons into the package, as the landing page of the site shows it.

The names and the groups are those of the sidebar, in `index.md`; the rest is read off the
notebooks, as for the site.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs/_extensions"))

from answers import ASKED  # noqa: E402  # the site's extensions lie there
from course_map import Entry, read_lesson  # noqa: E402

from traced.course.map import call_at  # noqa: E402

STORED = ROOT / "traced/course/map.toml"
HEAD = "# What the landing page says of each lesson. Written by docs/write_map.py.\n"
CAPTION = re.compile(r"^:caption: (.+)$", re.MULTILINE)
ENTRY = re.compile(r"^(.+) <(notebooks/\w+)>$", re.MULTILINE)


def entries() -> Iterator[Entry]:
    """Yield the lessons of the sidebar, with the captions that they stand under."""
    for tree in (ROOT / "index.md").read_text("utf-8").split("```{toctree}")[1:]:
        for name, document in ENTRY.findall(tree):
            yield Entry(document, name, CAPTION.findall(tree)[0])


def predictions(document: str) -> dict[str, str]:
    """Return the calls of `reveal` of a lesson's predictions, by the ids of their cells."""
    cells = json.loads((ROOT / f"{document}.ipynb").read_text("utf-8"))["cells"]
    sources = {cell["id"]: "".join(cell["source"]) for cell in cells}
    return {
        cell: call_at(source.splitlines(), line_of_reveal(source)) or ""
        for cell, source in sources.items()
        if ASKED.search(source)
    }


def line_of_reveal(source: str) -> int:
    """Return the line of the call of `reveal` in a cell, counted from 1."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return next(node.lineno for node in calls if getattr(node.func, "id", "") == "reveal")


def rows() -> Iterator[str]:
    """Yield the table of each lesson."""
    for entry in entries():
        lesson = read_lesson(ROOT, entry)
        facts: dict[str, object] = {
            "name": entry.document.partition("_")[2],
            "number": lesson.number,
            "topic": lesson.topic,
            "group": lesson.group,
            "claim": lesson.claim,
            "after": [each.rpartition("/")[2].partition("_")[0] for each in lesson.needs],
        }
        if lesson.minutes is not None:
            facts["minutes"] = lesson.minutes
        lines = [f"{name} = {json.dumps(fact, ensure_ascii=False)}" for name, fact in facts.items()]
        asked = predictions(entry.document).items()
        calls = [f"{cell} = {json.dumps(call, ensure_ascii=False)}" for cell, call in asked]
        yield "\n".join(["", "[[lesson]]", *lines, "", "[lesson.predictions]", *calls, ""])


def text() -> str:
    """Return the map as it is stored."""
    return HEAD + "".join(rows())


if __name__ == "__main__":
    STORED.write_text(text(), "utf-8")
