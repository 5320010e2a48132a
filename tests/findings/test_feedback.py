"""Feedback word for word, in text and in HTML."""

from dataclasses import replace
from html import unescape

import pytest
from words import ADDRESSING, PRESCRIBING, find_forbidden

from traced.findings.catalogue import CATALOGUE
from traced.findings.feedback import Feedback, Finding, Found, require
from traced.python.places import PACKAGE, Place

UNROLLED = Finding(
    "loops/unrolled",
    (Place("cell", 4, "total = total + x[i] ** 2"), Place("cell", 5, "return total", "the end")),
    (("4 entries", "17 equations"), ("8 entries", "33 equations")),
)


def test_not_yet_has_five_parts_in_their_order():
    feedback = Feedback("mean_square", "not yet", UNROLLED, hint="ex.mean_square.hint()")
    assert str(feedback) == (
        "mean_square: not yet  [loops/unrolled]\n"
        "the trace grows with the input\n"
        "  line 4:  total = total + x[i] ** 2\n"
        "  line 5:  return total   (the end)\n"
        "seen: 4 entries: 17 equations\n"
        "seen: 8 entries: 33 equations\n"
        "rule: a Python loop, or `sum`, runs while JAX traces, and each round leaves\n"
        "      equations of its own\n"
        "read: 07_loops, “A Python loop leaves all its rounds in the trace”\n"
        "hint: ex.mean_square.hint()"
    )


def test_an_exercise_sends_to_its_own_lesson_where_that_explains_the_finding():
    here = Feedback("mean_square", "not yet", UNROLLED, lesson="start_here")
    assert "read: 00_start_here, “Guess first, then run”" in str(here)
    elsewhere = Feedback("newton", "not yet", UNROLLED, lesson="loops")
    assert "read: 07_loops, “A Python loop" in str(elsewhere)


def test_a_finding_may_know_more_than_the_catalogue():
    known = replace(UNROLLED, rule="loops repeat", read="field guide, loops")
    assert "rule: loops repeat\nread: field guide, loops" in str(Feedback("f", "not yet", known))


def test_passed_says_once_what_was_verified():
    feedback = Feedback("mean_square", "passed", verified="right values")
    assert str(feedback) == "mean_square: passed\nright values"


def test_not_attempted_is_one_line():
    assert str(Feedback("mean_square", "not attempted")) == "mean_square: not attempted"


def test_html_has_every_word_of_the_text():
    feedback = Feedback("mean_square", "not yet", UNROLLED)
    html = unescape(feedback._repr_html_())
    assert all(word in html for word in str(feedback).split())


def test_lines_fit_a_terminal():
    assert max(map(len, str(Feedback("f", "not yet", UNROLLED)).splitlines())) <= 76


def test_what_the_reader_wrote_is_escaped():
    place = Place("cell", 1, "return '</pre><script>'")
    html = Feedback("f", "not yet", Finding("runs/raised", (place,)))._repr_html_()
    assert "<script>" not in html
    assert "&lt;/pre&gt;&lt;script&gt;" in html


def test_long_evidence_is_cut():
    text = str(Feedback("f", "not yet", Finding("value/differs", saw=(("got", "9" * 1000),))))
    assert len(text) < 400
    assert "…" in text


def test_evidence_is_cut_between_words():
    words = "halves " * 40
    text = str(Feedback("f", "not yet", Finding("value/differs", saw=(("got", words),))))
    kept = " ".join(text.partition("seen: got: ")[2].partition("…")[0].split())
    assert words.startswith(f"{kept} ")


def test_a_matrix_stands_on_one_line_in_html_as_in_text():
    feedback = Feedback("f", "not yet", Finding("value/differs", saw=(("got", "[[1 2]\n [3 4]]"),)))
    assert "seen: got: [[1 2] [3 4]]" in str(feedback)
    assert "seen: got: [[1 2] [3 4]]" in feedback._repr_html_()


def test_an_unknown_code_is_refused():
    with pytest.raises(KeyError, match="no/such-code"):
        Finding("no/such-code")


def test_require_keeps_places_and_evidence():
    place = Place("cell", 1, "x = 1")
    with pytest.raises(Found) as caught:
        require(False, "value/shape", place, None, wanted="f32[]", got_instead="f32[3]")
    finding = caught.value.finding
    assert finding.where == (place,)
    assert finding.saw == (("wanted", "f32[]"), ("got instead", "f32[3]"))


@pytest.mark.parametrize("code", CATALOGUE)
def test_a_headline_is_short_and_holds_no_fix(code):
    entry = CATALOGUE[code]
    assert len(entry.headline.split()) <= 12
    assert not entry.headline.endswith(".")
    assert find_forbidden(code, f"{entry.headline}\n{entry.rule}", PRESCRIBING, ADDRESSING) == []


def test_a_place_without_its_text_is_left_out():
    places = Place("<string>", 1, ""), Place("cell", 2, "print(x)")
    feedback = Feedback("f", "not yet", Finding("effects/write", places))
    lines = [line for line in repr(feedback).splitlines() if line.lstrip().startswith("line ")]
    assert lines == ["  line 2:  print(x)"]


def test_a_place_in_what_the_course_gives_says_so():
    place = Place(str(PACKAGE / "step.py"), 1, "loss = step(model)", "traced again")
    finding = Finding("tracing/new-function", (place, Place("cell", 2, "step(model)")))
    lines = [line for line in finding.lines() if line.startswith("  line ")]
    assert lines[0] == "  line 1:  loss = step(model)   (traced again, code of the course)"
    assert lines[1] == "  line 2:  step(model)"
