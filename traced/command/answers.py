"""Answers in plain Python files: which exercises a file has, and what their checks say of it."""

import ast
import linecache
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

from traced.command.refusal import Refusal
from traced.command.working_copy import find_lesson
from traced.course.exercise import Exercise
from traced.findings.feedback import Feedback
from traced.lessons import LESSONS
from traced.python.places import place_of_error
from traced.running.diagnosis import first_sentence

#: How the modules are called that files are run as; what stands below `__main__` is not run.
MODULE = "traced_answers"


def check_file(
    file: Path, named: str | None = None, hints: int = 0
) -> list[tuple[Exercise, Feedback]]:
    """Return what the checks say of each exercise in a file, or of the one that is named.

    `hints` is how many of the hints the reader has. Raises `Refusal` where the file has none, or
    does not run.
    """
    exercises = find_exercises(file, named)
    module = run_file(file)
    return [(each, check_answer(each, module, file, hints)) for each in exercises]


def check_answer(exercise: Exercise, module: ModuleType, file: Path, hints: int = 0) -> Feedback:
    """Return what the check of an exercise says of a file that was run, with the next hint."""
    if not hasattr(module, exercise.name):
        raise Refusal(f"{file} defines no {exercise.name}")
    feedback = exercise.check(getattr(module, exercise.name))
    # `ex` is a name of the notebooks.
    more = feedback.hint and hints < len(exercise.hints)
    command = f"jax-traced check {shlex.quote(str(file))} --hint {hints + 1}"
    return replace(feedback, hint=command if more else "")


def find_exercises(file: Path, named: str | None = None) -> list[Exercise]:
    """Return the exercises whose names a file defines, of the lesson that it imports, if any.

    Raises `Refusal` where there is none, or where a name is that of exercises of two lessons.
    """
    defined, imported = _read_names(file)
    lesson, _, name = (named or "").rpartition(".")
    candidates = [
        each
        for each in exercises_of([module_of(lesson)] if lesson else imported or LESSONS)
        if each.name in defined and name in ("", each.name)
    ]
    if not candidates:
        wanted = f"the exercise {named}" if named else "an exercise of the course"
        raise Refusal(f"{file} has nothing that is called like {wanted}")
    for each in candidates:
        others = [other.lesson for other in candidates if other.name == each.name]
        if len(others) > 1:
            full = (f"{find_lesson(other)}.{each.name}" for other in others)
            options = " or ".join(f"--exercise {name}" for name in full)
            raise Refusal(f"two lessons ask for {each.name}: add {options}")
    return candidates


def exercises_of(lessons: tuple[str, ...] | list[str]) -> Iterator[Exercise]:
    """Yield the exercises of some lessons, which are named as their modules."""
    for lesson in lessons:
        yield from import_module(f"traced.lessons.{lesson}").EXERCISES


def module_of(lesson: str) -> str:
    """Return the module of a lesson, however it is named; raises `Refusal` if there is none.

    >>> module_of("02_tracing"), module_of("02"), module_of("tracing")
    ('tracing', 'tracing', 'tracing')
    """
    return find_lesson(lesson).partition("_")[2]


def _read_names(file: Path) -> tuple[set[str], list[str]]:
    """Return the names that a file defines, and the lessons that it imports."""
    with _refused_syntax(file):
        body = ast.parse(file.read_bytes(), str(file)).body
    defined: set[str] = set()
    lessons: list[str] = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Assign):
            defined |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        elif isinstance(node, ast.ImportFrom) and node.module == "traced.lessons":
            lessons += [alias.name for alias in node.names if alias.name in LESSONS]
    return defined, lessons


@contextmanager
def _refused_syntax(file: Path) -> Iterator[None]:
    try:
        yield
    except SyntaxError as error:
        raise Refusal(f"{file}, line {error.lineno}: {error.msg}") from None
    except ValueError as error:
        raise Refusal(f"{file} is not Python: {error}") from None


def run_file(file: Path) -> ModuleType:
    """Run a file as a new module, from its text as it is now, and return the module.

    Raises `Refusal` with the line at which it ends with an error.
    """
    linecache.checkcache(str(file.resolve()))
    module = ModuleType(MODULE)
    module.__file__ = str(file.resolve())
    folder = str(file.resolve().parent)
    sys.modules[MODULE] = module
    if folder not in sys.path:
        sys.path.insert(0, folder)
    with _refused_syntax(file):
        code = compile(file.read_bytes(), module.__file__, "exec")
    try:
        exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        place = place_of_error(error)
        where = f", line {place.line}" if place else ""
        raise Refusal(f"{file}{where}: {type(error).__name__}: {first_sentence(error)}") from error
    return module
