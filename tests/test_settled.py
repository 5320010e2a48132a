"""Every claim and question that a lesson settles, with the cell that does so and what it prints."""

import re
import tomllib
from pathlib import Path

import execute
import nbformat
import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "settled"
VERDICTS = {"holds", "holds with a caveat", "outdated", "wrong", "opinion"}
#: Kept complete: the claims under random numbers, tracing, static shapes and purity.
CLAIMS = {f"C{n:02}" for n in range(10, 49)}


def rows():
    for path in sorted(FOLDER.glob("*.toml")):
        table = tomllib.loads(path.read_text("utf-8"))
        for row in [*table.get("claim", []), *table.get("question", [])]:
            yield pytest.param(path.stem, row, id=f"{path.stem}-{row['id']}")


ROWS = list(rows())
IDS = [row.values[1]["id"] for row in ROWS]
SETTLED = [row for row in ROWS if "cell" in row.values[1]]
each = pytest.mark.parametrize(("lesson", "row"), ROWS)


def stored(lesson):
    return nbformat.read(execute.FOLDER / f"{lesson}.ipynb", as_version=4).cells


def cells_with(lesson, line):
    """List the positions of the code cells in which `line` stands as a whole line."""
    return [
        i
        for i, cell in enumerate(stored(lesson))
        if cell.cell_type == "code" and line in map(str.strip, cell.source.splitlines())
    ]


def printed(cell):
    """Return what a code cell shows, as text, with blanks for line ends."""
    texts = [out.get("text") or out.get("data", {}).get("text/plain", "") for out in cell.outputs]
    return " ".join(" ".join(texts).split())


def section_around(cells, position):
    """Return the text of the section that holds a cell: prose, code and outputs."""
    heads = [i for i, c in enumerate(cells) if re.search(r"^##? ", c.source, re.MULTILINE)]
    start = max((i for i in heads if i <= position), default=0)
    end = min((i for i in heads if i > position), default=len(cells))
    parts = [c.source + (printed(c) if c.cell_type == "code" else "") for c in cells[start:end]]
    return " ".join(" ".join(parts).split())


@each
def test_a_row_says_what_is_claimed_or_asked(lesson, row):
    about = row.get("claim") or row.get("question")
    assert len(about.split()) >= 4
    assert row["id"][0] == ("C" if "claim" in row else "Q")
    assert "claim" not in row or row["verdict"] in VERDICTS


@each
def test_only_an_opinion_is_left_out_and_the_row_says_why(lesson, row):
    assert ("cell" in row) != ("left_out" in row)
    assert "cell" in row or row["verdict"] == "opinion"


@pytest.mark.parametrize(("lesson", "row"), SETTLED)
def test_the_cell_exists_and_prints_what_settles_it(lesson, row):
    found = cells_with(lesson, row["cell"])
    assert len(found) == 1, f"{len(found)} cells have the line"
    assert row["shows"] in printed(stored(lesson)[found[0]])


@pytest.mark.parametrize(("lesson", "row"), [row for row in SETTLED if "symptom" in row.values[1]])
def test_the_symptom_stands_in_the_section(lesson, row):
    (position,) = cells_with(lesson, row["cell"])
    assert row["symptom"].lower() in section_around(stored(lesson), position).lower()


def test_a_question_has_a_symptom_by_which_it_is_found():
    questions = [row.values[1] for row in ROWS if "question" in row.values[1]]
    assert [row["id"] for row in questions if "symptom" not in row] == []


def test_nothing_is_settled_twice():
    assert sorted(IDS) == sorted(set(IDS))


def test_every_claim_of_the_lessons_so_far_is_settled():
    assert set(IDS) >= CLAIMS
