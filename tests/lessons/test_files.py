"""A lesson is five things of one name; an exercise is a file, with its solution beside it."""

import re
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lessons import untamed
from tests.lessons.pages import asked_on, notebooks
from traced.course.exercise import Exercise
from traced.lessons import LESSONS
from traced.running.attempt import attempt

HERE, PACKAGE = Path(__file__).parent, Path(__file__).parents[2] / "traced" / "lessons"


def file_of(name):
    """Return the name of the file that an exercise of a name stands in: its own in snake case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def modules_in(folder):
    return {path.stem for path in folder.glob("[a-z]*.py")}


@dataclass
class Places:
    """What there is of a lesson's exercises in each place where one is looked for."""

    asked: list[str]  # by the page, in its order
    listed: tuple[Exercise, ...]  # as `EXERCISES`
    files: dict[str, dict[str, Exercise]]  # what each file of the lesson binds to which name
    solutions: set[str]  # the files of that folder
    right: dict[str, Any]  # answers, by exercise
    wrong: dict[str, Any]


def places_of(lesson):
    package, answers = (import_module(f"{where}.lessons.{lesson}") for where in ("traced", "tests"))
    files = {}
    for stem in modules_in(PACKAGE / lesson):
        module = vars(import_module(f"traced.lessons.{lesson}.{stem}"))
        files[stem] = {name: each for name, each in module.items() if isinstance(each, Exercise)}
    solutions = modules_in(PACKAGE / lesson / "solutions")
    return Places(
        asked_on(lesson), package.EXERCISES, files, solutions, answers.RIGHT, answers.WRONG
    )


def find_misplaced(places):
    """Return in sentences what is not where it is looked for."""
    found = [
        f"the page asks `{name}`, which {file_of(name)}.py does not hold"
        for name in places.asked
        if name not in places.files.get(file_of(name), {})
    ]
    for stem, exercises in places.files.items():
        for name, exercise in exercises.items():
            found += _find_faults(stem, name, exercise, places)
    stems = {stem for stem, exercises in places.files.items() if exercises}
    found += [f"solutions/{stem}.py belongs to no exercise" for stem in places.solutions - stems]
    found += [f"{stem}.py has no solution beside it" for stem in stems - places.solutions]
    if [each.name for each in places.listed] != places.asked:
        found.append("EXERCISES are not those of the page, in its order")
    for kind in ("right", "wrong"):
        if set(getattr(places, kind)) != set(places.asked):
            found.append(f"the {kind} answers are not to the exercises of the page")
    return found


def _find_faults(stem, name, exercise, places):
    if (name, stem) != (exercise.name, file_of(exercise.name)):
        yield f"{stem}.py calls `{name}` the exercise `{exercise.name}`"
    if name not in places.asked:
        yield f"no page asks `{name}` of {stem}.py"
    if not any(each is exercise for each in places.listed):
        yield f"EXERCISES lacks `{name}` of {stem}.py"
    module, answer = exercise.answer.__module__.split("."), exercise.answer.__name__
    if (module[-2:], answer) != (["solutions", stem], name):
        yield f"the answer of `{name}` is `{answer}` of {'.'.join(module)}"


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_exercise_is_where_it_is_looked_for(lesson):
    found = find_misplaced(places_of(lesson))
    assert not found, "\n".join(found)


def planted(places):
    """Yield places with one fault each, and a sentence that tells of it."""
    decay, combine = places.files["decay"]["decay"], places.files["combine"]["combine"]
    others = {stem: held for stem, held in places.files.items() if stem != "decay"}
    asked = [name for name in places.asked if name != "decay"]
    unsolved = replace(decay, answer=combine.answer)
    yield {"asked": [*places.asked, "clip"]}, "the page asks `clip`, which clip.py does not hold"
    yield {"asked": asked}, "no page asks `decay` of decay.py"
    yield {"asked": asked[::-1]}, "EXERCISES are not those of the page, in its order"
    yield {"files": others}, "the page asks `decay`, which decay.py does not hold"
    yield {"files": others}, "solutions/decay.py belongs to no exercise"
    for stem, name in (("shrink", "decay"), ("decay", "shrink")):
        fault = f"{stem}.py calls `{name}` the exercise `decay`"
        yield {"files": others | {stem: {name: decay}}}, fault
    fault = "the answer of `decay` is `combine` of traced.lessons.pytrees.solutions.combine"
    yield {"files": others | {"decay": {"decay": unsolved}}}, fault
    yield {"solutions": places.solutions - {"decay"}}, "decay.py has no solution beside it"
    yield {"solutions": {*places.solutions, "clip"}}, "solutions/clip.py belongs to no exercise"
    yield {"listed": places.listed[1:]}, "EXERCISES lacks `combine` of combine.py"
    yield {"listed": places.listed[::-1]}, "EXERCISES are not those of the page, in its order"
    for kind in ("right", "wrong"):
        fault = f"the {kind} answers are not to the exercises of the page"
        yield {kind: getattr(places, kind) | {"clip": []}}, fault
        yield {kind: dict.fromkeys(asked)}, fault


def test_a_planted_exercise_is_found():
    places = places_of("pytrees")
    for change, fault in planted(places):
        assert fault in find_misplaced(replace(places, **change)), change


def find_misplaced_lessons(pages, folders, files):
    """Return in sentences which lessons lack what; `files` are the names beside this one."""
    found = [] if [*pages] == [*LESSONS] else ["LESSONS are not the notebooks in their order"]
    found += [f"{name} is a folder of no lesson" for name in set(folders) - set(LESSONS)]
    found += [f"{name} has no folder" for name in set(LESSONS) - set(folders)]
    here = {"conftest", "exercises", "pages", "test_files", "untamed", *LESSONS}
    here |= {f"test_{name}" for name in LESSONS}
    found += [f"tests/lessons/{name}.py is of no lesson" for name in files - here]
    return found + [f"tests/lessons/{name}.py is missing" for name in here - files]


def lessons_as_they_are():
    folders = [path.parent.name for path in PACKAGE.glob("*/__init__.py")]
    return {"pages": [*notebooks()], "folders": folders, "files": modules_in(HERE)}


def test_every_lesson_has_its_notebook_its_folder_and_its_answers():
    found = find_misplaced_lessons(**lessons_as_they_are())
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"pages": [*LESSONS, "sharding"]}, "LESSONS are not the notebooks in their order"),
        ({"pages": LESSONS[1:]}, "LESSONS are not the notebooks in their order"),
        ({"pages": LESSONS[::-1]}, "LESSONS are not the notebooks in their order"),
        ({"folders": [*LESSONS, "sharding"]}, "sharding is a folder of no lesson"),
        ({"folders": LESSONS[1:]}, "start_here has no folder"),
        ({"files": {*LESSONS, "sharding"}}, "tests/lessons/sharding.py is of no lesson"),
        ({"files": {*LESSONS}}, "tests/lessons/test_loops.py is missing"),
    ],
)
def test_a_planted_lesson_is_found(change, fault):
    assert fault in find_misplaced_lessons(**lessons_as_they_are() | change)


def test_every_exercise_says_once_what_it_takes():
    there = sorted(f"{lesson}.{name}" for lesson in LESSONS for name in asked_on(lesson))
    takes, tame = (untamed.table()[name] for name in ("takes", "tame"))
    assert sorted(name for them in takes.values() for name in them) == there
    assert {name for each in tame for name in each["of"]} <= {*there}
    assert takes.keys() == untamed.KINDS.keys()


def test_a_value_that_is_handed_over_is_seen():
    def call(*args):
        with untamed.recorded() as calls:
            for each in args:
                attempt(lambda x, n: x, np.float32(each), n)
        return untamed.kinds(calls)

    n = 3
    assert call([0.5, 2.0, 7.0, 9.0]) == {"an odd size"}
    assert call([1.0]) == {"one entry", "an odd size"}
    tame = {"an odd size"}
    assert call([0.0, 2.0]) - tame == {"zero"}
    assert call([-1.0, 200.0]) - tame == {"negative", "a hundred"}
    assert call([2.0, 2.0]) - tame == {"equal entries"}
    assert call([1.0, 1.000001]) - tame == {"close entries"}
    assert call([np.nan, 1.0]) - tame == {"not finite"}
    assert call(np.arange(1.0, 101.0)) - tame == {"a hundred entries", "a hundred"}
    assert call([1.0, 2.0], [3.0, 4.0]) - tame == {"one argument twice"}
