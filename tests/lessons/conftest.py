"""Give the tests that all lessons share the exercises of the lesson that a file is named after."""

from importlib import import_module
from pathlib import Path

import pytest

from traced.exercise import Exercise

pytest.register_assert_rewrite("tests.lessons.exercises")


def pytest_generate_tests(metafunc):
    """Parametrise by exercise, by right answer or by wrong answer, whatever a test asks for."""
    wanted = [
        each for each in ("exercise", "answers", "code", "answer") if each in metafunc.fixturenames
    ]
    if not wanted:
        return
    name = Path(metafunc.module.__file__).stem.removeprefix("test_")
    lesson, answers = (import_module(f"{where}.lessons.{name}") for where in ("traced", "tests"))
    rows = []
    for exercise in (each for each in vars(lesson).values() if isinstance(each, Exercise)):
        if "answers" in wanted:
            rows.append(pytest.param(exercise, answers, id=exercise.name))
        elif "code" in wanted:
            rows += [_row(exercise, *wrong) for wrong in answers.WRONG[exercise.name]]
        else:
            rows += [_row(exercise, right) for right in answers.RIGHT[exercise.name]]
    metafunc.parametrize(wanted, rows)


def _row(exercise, *row):
    return pytest.param(
        exercise, *row, id=f"{exercise.name}-{getattr(row[-1], '__name__', row[-1])}"
    )
