"""Every claim and question that a lesson settles, with the cell that does so and what it prints."""

import pytest
from write_claims import VERDICTS, cells_with, lessons, printed, section_of, stored

#: Kept complete: all claims.
CLAIMS = {f"C{n:02}" for n in range(1, 93)}


def rows():
    for lesson, table in lessons().items():
        for row in [*table.get("claim", []), *table.get("question", [])]:
            yield pytest.param(lesson, row, id=f"{lesson}-{row['id']}")


ROWS = list(rows())
IDS = [row.values[1]["id"] for row in ROWS]
SETTLED = [row for row in ROWS if "cell" in row.values[1]]
each = pytest.mark.parametrize(("lesson", "row"), ROWS)


@each
def test_a_row_says_what_is_claimed_or_asked(lesson, row):
    about = row.get("claim") or row.get("question")
    assert len(about.split()) >= 4
    assert row["id"][0] == ("C" if "claim" in row else "Q")
    assert "claim" not in row or row["verdict"] in VERDICTS


@each
def test_a_note_is_one_sentence(lesson, row):
    note = row.get("note", "A row may go without a note.")
    assert len(note.split()) >= 4
    assert note.endswith(".")
    assert len(note) <= 110


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
    text = " ".join(section_of(lesson, row["cell"]).text.split())
    assert row["symptom"].lower() in text.lower()


def test_a_question_has_a_symptom_by_which_it_is_found():
    questions = [row.values[1] for row in ROWS if "question" in row.values[1]]
    assert [row["id"] for row in questions if "symptom" not in row] == []


def test_nothing_is_settled_twice():
    assert sorted(IDS) == sorted(set(IDS))


def test_every_claim_of_the_lessons_so_far_is_settled():
    assert set(IDS) >= CLAIMS
