"""A forbidden word is reported with its place and its reason."""

import pytest
from words import ADDRESSING, BELITTLING, PRESCRIBING, SHOUTING, find_forbidden


def test_a_forbidden_word_is_named_with_its_place_and_why():
    (fault,) = find_forbidden("a hint", "Sum the rows.\nIt is Simply so.", BELITTLING, ADDRESSING)
    assert fault.startswith("a hint, 'It is Simply so.': forbids 'Simply'. Whoever finds it")


def test_a_mark_is_found_within_a_line():
    assert len(find_forbidden("a lesson", "Look! And look!", SHOUTING)) == 2


@pytest.mark.parametrize("text", ["justify the youth", "uneasy trying", "your own"])
def test_a_part_of_a_word_is_no_word(text):
    assert find_forbidden("a hint", text, BELITTLING, PRESCRIBING, {"you": "why"}) == []


@pytest.mark.parametrize("words", [BELITTLING, SHOUTING, ADDRESSING, PRESCRIBING])
def test_every_reason_is_a_sentence(words):
    assert all(reason[0].isupper() and reason.endswith(".") for reason in words.values())
