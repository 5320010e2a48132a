"""Give the tests that all lessons share the exercises of the lesson that a file is named after."""

from importlib import import_module
from pathlib import Path

import execute
import jax
import pytest

pytest.register_assert_rewrite("tests.lessons.exercises")
BY_TURNS = pytest.mark.by_turns
STORED_HERE = jax.__version__ == execute.reference_release()


def pytest_addoption(parser):
    """Let one exercise be tested alone, with its place: `--exercise dropout`."""
    told = "test this exercise alone, such as `dropout` or, where two have the name, `loops.newton`"
    parser.addoption("--exercise", metavar="NAME", help=told)


def pytest_collection_modifyitems(config, items):
    """Leave only the tests of the exercise that was asked for, and those of its lesson's places."""
    wanted = config.getoption("--exercise", None)
    if wanted is None:
        return
    given = [each.callspec.params if hasattr(each, "callspec") else {} for each in items]
    exercises = [each["exercise"] for each in given if "exercise" in each]
    chosen = [each for each in exercises if wanted in (each.name, f"{each.lesson}.{each.name}")]
    if not chosen:
        raise pytest.UsageError(f"`EXERCISES` of no lesson has `{wanted}`")
    lessons = {each.lesson for each in chosen}
    kept = [
        item
        for item, params in zip(items, given, strict=True)
        if params.get("exercise") in chosen or params.get("lesson") in lessons
    ]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


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
    for exercise in lesson.EXERCISES:
        if "answers" in wanted:
            rows.append(pytest.param(exercise, answers, id=exercise.name))
        elif "code" in wanted:
            for code, (first, *others) in answers.WRONG[exercise.name].items():
                rows.append(_row(exercise, code, first, marks=() if STORED_HERE else BY_TURNS))
                # What a release changes for a finding, its first answer shows.
                marks = (pytest.mark.seen_once, BY_TURNS)
                rows += [_row(exercise, code, each, marks=marks) for each in others]
        else:
            first, others = answers.RIGHT[exercise.name][:3], answers.RIGHT[exercise.name][3:]
            rows += [_row(exercise, right) for right in first]
            rows += [_row(exercise, right, marks=BY_TURNS) for right in others]
    metafunc.parametrize(wanted, rows)


def _row(exercise, *row, marks=()):
    # An object that is called has no name, and an address is another one in each process.
    name = getattr(row[-1], "__name__", type(row[-1]).__name__)
    return pytest.param(exercise, *row, id=f"{exercise.name}-{name}", marks=marks)
