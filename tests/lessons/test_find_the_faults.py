"""The exercises of 17_find_the_faults, and the script that they are parts of."""

import ast
import inspect
from importlib import import_module

import pytest

from tests.lessons.exercises import TestExercises
from tests.lessons.pages import notebooks
from traced.lessons import find_the_faults
from traced.lessons.find_the_faults.script import digits

__all__ = ["TestExercises"]

#: How many faults each part has.
FAULTS = {"prepare": 1, "loss": 3, "evaluate": 2, "time_step": 1, "train": 4}
PARTS = [each for each in find_the_faults.EXERCISES if each.name in FAULTS]
#: Words that would tell what is wrong.
CAUSES = (
    "in_axes",
    "in place",
    "used twice",
    "block_until_ready",
    "unrolled",
    "stale",
    "global",
    "dropout",
    "clamp",
    "broadcast",
    "not carried",
)


pytestmark = pytest.mark.usefixtures("as_readers_have_it")


def bodies(source):
    """Return the functions of a program by their names, without docstrings and the marked line."""
    functions = [each for each in ast.parse(source).body if isinstance(each, ast.FunctionDef)]
    for each in functions:
        said = each.body[:1] if ast.get_docstring(each) else []
        each.body = [part for part in each.body if part not in said and not is_mark(part)]
    return {each.name: ast.unparse(each) for each in functions}


def is_mark(statement):
    return isinstance(statement, ast.Raise) and ast.unparse(statement.exc) == "NotImplementedError"


def test_the_page_has_the_functions_of_the_script():
    text = notebooks()["find_the_faults"].read_text("utf-8")
    cells = [
        part.partition("\n")[2].partition("```")[0] for part in text.split("```{code-cell}")[1:]
    ]
    shown = {name: body for cell in cells for name, body in bodies(cell).items()}
    script = bodies(inspect.getsource(digits))
    assert {name: shown.get(name) for name in script} == script


@pytest.mark.parametrize("part", PARTS, ids=lambda each: each.name)
def test_a_part_as_it_was_found_shows_all_of_its_symptoms_and_no_place(part):
    finding = part.check(getattr(digits, part.name)).finding
    assert finding.code.startswith("symptom/")
    assert finding.where == ()
    assert dict(finding.saw)["gone"] == f"0 of {FAULTS[part.name]} symptoms"


def test_there_are_eleven_faults():
    assert sum(FAULTS.values()) == 11


@pytest.mark.parametrize("part", find_the_faults.EXERCISES, ids=lambda each: each.name)
def test_a_check_names_no_cause(part):
    module = import_module(f"traced.lessons.find_the_faults.{part.name}")
    said = inspect.getsource(module).partition("hints=(")[0].lower()
    assert [word for word in CAUSES if word in said] == []
