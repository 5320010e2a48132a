"""The page of claims: what the lessons settle, with links to the sections that do."""

import re
from types import SimpleNamespace

import pytest
import write_claims
from markdown_it import MarkdownIt
from write_claims import DOCS, VERDICTS, lessons, page, section_of, sections

PAGE = (DOCS / "claims.md").read_text("utf-8")
ITEM = re.compile(r"^- (.+)\\\n  (.+)$", re.MULTILINE)


def cell(kind, source, *outputs):
    texts = [{"text": text} for text in outputs]
    return SimpleNamespace(cell_type=kind, source=source, outputs=texts)


CELLS = [
    cell("markdown", "# A lesson\n\nThe hook."),
    cell("code", "hook()", "one\ntwo\n"),
    cell("markdown", "After it.\n\n## A section\n\n### Exercise"),
    cell("code", "part()", "three"),
    cell("markdown", "Its end.\n\n## Another"),
    cell("code", "part()"),
]


@pytest.fixture
def lesson(monkeypatch):
    monkeypatch.setattr(write_claims, "stored", lambda name: CELLS)
    return "00_lesson"


def test_the_page_is_up_to_date():
    assert page() == PAGE


def test_every_claim_and_question_has_one_line_on_it():
    items = [text for text, _ in ITEM.findall(PAGE)]
    rows = [row for table in lessons().values() for kind in table.values() for row in kind]
    assert len(items) == len(rows)
    for row in rows:
        text = row.get("claim") or row["question"]
        assert [item for item in items if item.startswith(text)], text


def test_every_verdict_is_a_word_that_the_page_explains():
    legend = re.findall(r"^- \*\*(.+)\*\*: .+[.]$", PAGE, re.MULTILINE)
    assert legend == list(VERDICTS)
    given = re.findall(r"^- .+ \*\*(.+?)[.]\*\*", PAGE, re.MULTILINE)
    assert {verdict.lower() for verdict in given} <= VERDICTS.keys()


def test_a_section_has_all_that_stands_between_two_headings(lesson):
    names = [section.title for section in sections(lesson)]
    assert names == ["", "A lesson", "A section", "Another"]
    hook, part = sections(lesson)[1:3]
    assert " ".join(hook.text.split()) == "A lesson The hook. hook() one two After it."
    assert part.positions == [3]
    assert part.text.endswith("Its end.\n\n")


def test_a_line_leads_to_its_section(lesson):
    assert section_of(lesson, "hook()").title == "A lesson"


@pytest.mark.parametrize(("line", "count"), [("part()", 2), ("par", 0)])
def test_a_line_in_more_or_less_than_one_cell_is_an_error(lesson, line, count):
    with pytest.raises(LookupError, match=f"^00_lesson: {count} cells have the line"):
        section_of(lesson, line)


@pytest.mark.parametrize("text", ["`in_axes` first", "last is `in_axes`", "none"])
def test_what_a_cell_shows_is_code_whatever_it_begins_with(text):
    assert MarkdownIt().renderInline(write_claims._quoted(text)) == f"<code>{text}</code>"
