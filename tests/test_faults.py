"""The page of symptoms says what the lessons, the findings and the package have."""

import re
from pathlib import Path

import execute
import pytest

import traced
import traced.probes
import traced.questions
import traced.show
from tests.lessons import find_the_faults as answers
from traced.findings.catalogue import CATALOGUE

DOCS = Path(__file__).parents[1] / "docs"
TEXT = (DOCS / "faults.md").read_text("utf-8")
ROWS = [line.split(" | ") for line in TEXT.splitlines() if line.startswith("| ")][1:]
CODES = [code for code in CATALOGUE if code.startswith("symptom/")]
LINK = re.compile(r"\((\S+?\.(?:md|ipynb))(?:#(\S+))?\)")


def test_each_symptom_of_the_checks_has_a_row_and_its_page():
    linked = set(re.findall(r"findings/(symptom-[\w-]+)[.]md", TEXT))
    assert linked == {code.replace("/", "-") for code in CODES}


def test_each_symptom_was_seen_in_an_answer():
    seen = {code for wrong in answers.WRONG.values() for code in wrong}
    assert [code for code in CODES if code not in seen] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][2:40])
def test_a_row_names_tools_that_exist(row):
    for name in re.findall(r"`(\w+)`", row[1]):
        places = [traced, traced.show, traced.questions, traced.probes]
        assert any(hasattr(place, name) for place in places), name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][2:40])
def test_a_row_leads_to_a_section_of_a_lesson(row):
    (path, anchor) = LINK.findall(row[3])[0]
    text = execute.FOLDER.joinpath(Path(path).name).with_suffix(".md").read_text("utf-8")
    titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert anchor in {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in titles}


def test_the_page_fits_a_sheet():
    # A row takes three lines of a column at most, as wide as it is on paper.
    columns = (24, 30, 30, 4)
    plain = [[LINK.sub("", cell).strip(" []|`") for cell in row] for row in ROWS]
    lines = [max(-(-len(c) // w) for c, w in zip(row, columns, strict=True)) for row in plain]
    assert sum(lines) <= 45
