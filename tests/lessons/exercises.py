"""What is tested of every exercise: its stub, its right answers, its wrong ones, its hints.

Each `test_NAME.py` imports the class, and `conftest.py` gives it the exercises of that lesson.
"""

import json
import re
from functools import cache
from importlib import import_module

import execute
import execute_choices
import jax
import pytest
from words import ADDRESSING, BELITTLING, SHOUTING, find_forbidden

from tests.lessons import untamed
from tests.lessons.pages import notebooks, stub_of

#: What differs between releases: of JAX words of errors and counts of equations, and of Python
#: which line of a long expression is named.
SEEN = re.compile(r"(seen: [^:\n]*|  line (?=\d))[^\n]*")
STORED_HERE = jax.__version__ == execute.reference_release()
#: The last digit of a trained weight is the processor's, so that numbers are compared apart.
DECIMAL = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)?")


def assert_same(shown, known):
    """Require the same words, and the same numbers but for the rounding of another processor."""
    assert DECIMAL.sub("#", shown) == DECIMAL.sub("#", known)
    decimals = [[float(text) for text in DECIMAL.findall(page)] for page in (shown, known)]
    assert decimals[0] == pytest.approx(decimals[1], rel=1e-3)


def as_compared(shown):
    """Return what a page shows as text; on another release than its own, without what was seen."""
    text = json.dumps(shown, indent=1, ensure_ascii=False).replace("\\n", "\n")
    return text if STORED_HERE else SEEN.sub(r"\1", text)


def first_wrong(exercise, code):
    """Return the first of the answers that get this finding."""
    return import_module(f"tests.lessons.{exercise.lesson}").WRONG[exercise.name][code][0]


@cache
def checked_as_printed(exercise):
    """Check the solution that the page shows, and return also the kinds of values it was given."""
    namespace = {"__name__": "pasted"}
    exec(compile(exercise.solution().text, "pasted", "exec"), namespace)
    with untamed.recorded() as calls:
        feedback = exercise.check(namespace[exercise.name])
    return feedback, untamed.kinds(calls)


@pytest.mark.usefixtures("compiled_once", "as_readers_have_it")
class TestExercises:
    """The tests of one lesson's exercises."""

    def test_an_untouched_stub_is_not_attempted(self, exercise, answers):
        assert exercise.check(stub_of(exercise)).state == "not attempted"

    def test_the_solution_on_the_page_passes_as_it_is_printed(self, exercise, answers):
        feedback, _ = checked_as_printed(exercise)
        assert feedback.state == "passed", feedback

    def test_it_is_asked_untamed_values_or_the_reason_is_told(self, exercise, answers):
        _, asked = checked_as_printed(exercise)
        wanted, tamed = untamed.wanted(f"{exercise.lesson}.{exercise.name}")
        assert wanted - asked == tamed.keys()

    def test_two_more_right_answers_and_three_wrong_ones_are_tried(self, exercise, answers):
        assert len(answers.RIGHT[exercise.name]) >= 2
        assert len(answers.WRONG[exercise.name]) >= 3

    def test_a_right_answer_passes_whatever_its_style(self, exercise, answer):
        feedback = exercise.check(answer)
        assert feedback.state == "passed", feedback

    def test_a_wrong_answer_gets_its_own_finding_each_time(self, exercise, code, answer):
        # What is kept from a check to the next one is the same for both releases, and for all
        # answers that get one finding.
        for _ in range(2 if STORED_HERE and answer is first_wrong(exercise, code) else 1):
            feedback = exercise.check(answer)
            assert feedback.finding is not None, feedback
            assert feedback.finding.code == code, feedback

    @pytest.mark.seen_once
    def test_its_page_shows_what_its_check_says(self, exercise, answers):
        notebook = notebooks()[exercise.lesson].with_suffix(".ipynb")
        page = execute_choices.read_page(notebook)
        stored = execute_choices.FOLDER / f"{notebook.stem}.json"
        if exercise.name in page.exercises:
            shown = execute_choices.executed(exercise, answers, page)
            known = json.loads(stored.read_text("utf-8"))[exercise.name]
            assert_same(as_compared(shown), as_compared(known))

    def test_hints_are_short_and_cannot_be_pasted(self, exercise, answers):
        body = exercise.solution().text.splitlines()[-1].strip().removeprefix("return ")
        for hint in exercise.hints:
            assert len(hint.split()) <= 45
            assert body not in hint
            place = f"{exercise.lesson}.{exercise.name}, a hint"
            addressing = {"you": ADDRESSING["you"]}
            assert find_forbidden(place, hint, BELITTLING, SHOUTING, addressing) == []

    def test_a_hint_has_three_levels_and_no_fourth(self, exercise, answers):
        assert len(exercise.hints) in (0, 3)
        for level in (1, 2, 3):
            start = f"hint {level} of 3: " if exercise.hints else "this exercise has no hints"
            assert str(exercise.hint(level)).startswith(start)
        with pytest.raises(ValueError, match="`level` must be 1, 2 or 3"):
            exercise.hint(4)
