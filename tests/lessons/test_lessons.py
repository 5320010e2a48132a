"""Every exercise of every lesson: its stub, its right answers, its wrong ones, its hints."""

import re
from importlib import import_module
from pathlib import Path

import jax
import pytest

import traced.lessons
from traced.exercise import Exercise

FOLDER = Path(traced.lessons.__file__).parent
NAMES = [path.stem for path in sorted(Path(__file__).parent.glob("[a-z]*.py"))]
NAMES.remove("test_lessons")
LESSONS = {
    import_module(f"traced.lessons.{name}"): import_module(f"tests.lessons.{name}")
    for name in NAMES
}
EXERCISES = {
    exercise.name: (exercise, answers)
    for lesson, answers in LESSONS.items()
    for exercise in vars(lesson).values()
    if isinstance(exercise, Exercise)
}


@pytest.fixture(autouse=True)
def as_readers_have_it(strictness):
    """Promote dtypes and ranks as JAX does by default: an answer is no part of the package."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield


by_name = pytest.mark.parametrize("name", EXERCISES)


def rows(table):
    return [
        pytest.param(exercise, *row, id=f"{name}-{getattr(row[-1], '__name__', row[-1])}")
        for name, (exercise, answers) in EXERCISES.items()
        for row in table(answers, name)
    ]


def test_every_lesson_has_its_notebook_and_its_answers_here():
    notebooks = (FOLDER.parents[1] / "notebooks").glob("[0-9]*.md")
    modules = {path.stem for path in FOLDER.glob("[a-z]*.py")}
    assert {path.stem[3:] for path in notebooks} == modules == set(NAMES)


@by_name
def test_an_untouched_stub_is_not_attempted(name):
    exercise, answers = EXERCISES[name]
    assert exercise.check(answers.STUBS[name]).state == "not attempted"


@by_name
def test_the_solution_on_the_page_passes_as_it_is_printed(name):
    exercise, _ = EXERCISES[name]
    namespace = {"__name__": "pasted"}
    exec(compile(exercise.solution().text, "pasted", "exec"), namespace)
    feedback = exercise.check(namespace[name])
    assert feedback.state == "passed", feedback


@by_name
def test_two_more_right_answers_and_three_wrong_ones_are_tried(name):
    _, answers = EXERCISES[name]
    assert len(answers.RIGHT[name]) >= 2
    assert len({code for code, _ in answers.WRONG[name]}) >= 3


@pytest.mark.parametrize(
    ("exercise", "answer"), rows(lambda a, name: [(r,) for r in a.RIGHT[name]])
)
def test_a_right_answer_passes_whatever_its_style(exercise, answer):
    feedback = exercise.check(answer)
    assert feedback.state == "passed", feedback


@pytest.mark.parametrize(("exercise", "code", "answer"), rows(lambda a, name: a.WRONG[name]))
def test_a_wrong_answer_gets_its_own_finding_each_time(exercise, code, answer):
    for _ in range(2):
        feedback = exercise.check(answer)
        assert feedback.finding is not None, feedback
        assert feedback.finding.code == code, feedback


@by_name
def test_hints_are_short_and_cannot_be_pasted(name):
    exercise, _ = EXERCISES[name]
    body = exercise.solution().text.splitlines()[-1].strip().removeprefix("return ")
    for hint in exercise.hints:
        assert len(hint.split()) <= 45
        assert body not in hint
        assert not re.search(r"\b(just|simply|obviously|easy|you)\b|!", hint, re.IGNORECASE)


@by_name
def test_a_hint_has_three_levels_and_no_fourth(name):
    exercise, _ = EXERCISES[name]
    for level in (1, 2, 3):
        assert str(exercise.hint(level)).startswith(f"hint {level} of 3: ")
    with pytest.raises(ValueError, match="`level` must be 1, 2 or 3"):
        exercise.hint(4)
