"""The example of the landing page prints, on every supported JAX, what stands there."""

import json
import re

import execute_landing
from answers import ASKED, read_form

NOTEBOOKS = execute_landing.FOLDER.parents[1] / "notebooks"


def test_the_example_shows_what_is_stored() -> None:
    stored = json.loads(execute_landing.STORED.read_text("utf-8"))
    assert execute_landing.executed() == stored


def test_the_number_is_right_and_the_program_is_not() -> None:
    stored = execute_landing.executed()
    assert stored["value"] == (1 + 9) / 2
    assert "loops/unrolled" in stored["finding"]


def test_what_the_first_lesson_asks_is_not_said_before() -> None:
    template = execute_landing.FOLDER.parent / "_templates/landing.html"
    (asked,) = ASKED.findall((NOTEBOOKS / "00_start_here.md").read_text("utf-8"))
    shown = execute_landing.STORED.read_text("utf-8") + template.read_text("utf-8")
    said = set(re.findall(r"\d[\d,]*", shown.replace(",", "")))
    few = str(execute_landing.executed()["few"]["equations"])
    assert said & set(read_form(asked).options) == {few}
