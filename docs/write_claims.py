"""Write the page of claims from what the lessons settle, and from what their stored cells print.

`settled/NN_name.toml` names for each claim and question a line of code: the cell with this line
settles it. The page links to the section with the cell. `tests/test_settled.py` keeps both true.
"""

import re
import sys
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from myst_parser.slugs import github_slugify

DOCS = Path(__file__).parent
#: What each verdict means, in the order of the page's legend.
VERDICTS = {
    "holds": "the sentence is right as it stands.",
    "holds with a caveat": "it is right as far as it goes; the section says where that ends.",
    "outdated": "it was right for an older release of JAX or Flax.",
    "wrong": "the run contradicts it.",
    "opinion": "no run can settle it, or none here does.",
}
HEAD = """# Claims and questions, settled by a run

Much that is said about JAX goes round in talks, articles and older documentation. Here it stands in
our words, with a verdict, with what a cell of a lesson prints, and with the section that holds the
cell. The tests run each cell again, on the oldest and the newest JAX that the course supports.
"""
QUESTIONS = """
## Questions readers ask

Below each question stands what a cell prints, and the section that answers it.
"""


@dataclass
class Section:
    """A section of a lesson: its title, its text with all outputs, and where its cells stand."""

    title: str
    text: str = ""
    positions: list[int] = field(default_factory=list)


def lessons() -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Read what each lesson settles, by the lesson's name."""
    paths = sorted((DOCS / "settled").glob("*.toml"))
    return {path.stem: tomllib.loads(path.read_text("utf-8")) for path in paths}


@cache
def stored(lesson: str) -> list[Any]:
    """Return the cells of a lesson as they were executed."""
    path = DOCS.parent / "notebooks" / f"{lesson}.ipynb"
    cells: list[Any] = nbformat.read(path, as_version=4).cells
    return cells


def cells_with(lesson: str, line: str) -> list[int]:
    """List the positions of the code cells in which `line` stands as a whole line."""
    return [
        i
        for i, cell in enumerate(stored(lesson))
        if cell.cell_type == "code" and line in map(str.strip, cell.source.splitlines())
    ]


def printed(cell: Any) -> str:
    """Return what a code cell shows, as text, with blanks for line ends."""
    texts = [out.get("text") or out.get("data", {}).get("text/plain", "") for out in cell.outputs]
    return " ".join(" ".join(texts).split())


def sections(lesson: str) -> list[Section]:
    """Split a lesson at its headings, of which a cell of Markdown may hold several."""
    found = [Section("")]
    for position, cell in enumerate(stored(lesson)):
        if cell.cell_type == "code":
            found[-1].positions.append(position)
            found[-1].text += f" {cell.source} {printed(cell)}"
            continue
        before, *parts = re.split(r"^##? ", cell.source, flags=re.MULTILINE)
        found[-1].text += f" {before}"
        found += [Section(part.partition("\n")[0].strip(), part) for part in parts]
    return found


def section_of(lesson: str, line: str) -> Section:
    """Return the section whose code cell has the line; raise `LookupError` if not one cell has."""
    positions = cells_with(lesson, line)
    if len(positions) != 1:
        raise LookupError(f"{lesson}: {len(positions)} cells have the line {line!r}")
    return next(each for each in sections(lesson) if positions[0] in each.positions)


def page() -> str:
    """Return the page: the claims of each lesson, then all questions."""
    legend = "".join(f"- **{name}**: {meaning}\n" for name, meaning in VERDICTS.items())
    claims = "".join(_claims(lesson, table) for lesson, table in lessons().items())
    questions = "".join(_items(lesson, table, "question") for lesson, table in lessons().items())
    return f"{HEAD}\n{legend}{claims}{QUESTIONS}\n{questions}"


def _claims(lesson: str, table: dict[str, Any]) -> str:
    title = sections(lesson)[1].title
    return f"\n## {title}\n\n{_items(lesson, table, 'claim')}" if "claim" in table else ""


def _items(lesson: str, table: dict[str, Any], kind: str) -> str:
    return "".join(_item(lesson, row, row[kind]) for row in table.get(kind, []))


def _item(lesson: str, row: dict[str, Any], text: str) -> str:
    verdict = f" **{row['verdict'].capitalize()}.**" if "verdict" in row else ""
    note = f" {row['note']}" if "note" in row else ""
    return f"- {text}{verdict}{note}\\\n  {_evidence(lesson, row)}\n"


def _evidence(lesson: str, row: dict[str, Any]) -> str:
    if "left_out" in row:
        return f"Not run. {row['left_out']}"
    title = section_of(lesson, row["cell"]).title
    link = f"../notebooks/{lesson}.ipynb#{github_slugify(title)}"
    return f"{_quoted(row['shows'])} in [{title}]({link})"


def _quoted(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def main() -> None:
    """Store the page, and say so if it changed."""
    path, text = DOCS / "claims.md", page()
    if not path.exists() or text != path.read_text("utf-8"):
        path.write_text(text, "utf-8")
        print(f"stored {path.name}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
