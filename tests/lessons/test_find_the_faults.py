"""The exercises of 17_find_the_faults, and the script that they are parts of."""

import ast
import inspect

import pytest

from tests.lessons.exercises import TestExercises
from tests.lessons.pages import notebooks
from traced.lessons import find_the_faults
from traced.lessons.find_the_faults.script import digits

__all__ = ["TestExercises"]

PARTS = [each for each in find_the_faults.EXERCISES if hasattr(digits, each.name)]
#: How many faults each part has.
FAULTS = {"prepare": 1, "loss": 3, "evaluate": 2, "time_step": 1, "train": 4}


def bodies(source):
    """Return the functions of a program by their names, without docstrings and the marked line."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            skipped = (ast.Raise, ast.Expr)
            kept = [each for i, each in enumerate(node.body) if i > 1 or not isinstance(each, skipped)]
            node.body = kept
            found[node.name] = ast.unparse(node)
    return found


def test_the_page_has_the_functions_of_the_script():
    text = notebooks()["find_the_faults"].read_text("utf-8")
    cells = [part.partition("\n")[2].partition("```")[0] for part in text.split("```{code-cell}")[1:]]
    shown = {name: body for cell in cells for name, body in bodies(cell).items()}
    script = bodies(inspect.getsource(digits))
    assert {name: shown.get(name) for name in script} == script


@pytest.mark.parametrize("exercise", PARTS, ids=lambda each: each.name)
def test_a_part_as_it_was_found_shows_all_of_its_symptoms(exercise):
    if exercise.name == "run":
        return
    finding = exercise.check(getattr(digits, exercise.name)).finding
    assert finding.code.startswith("symptom/")
    assert finding.where == ()
    gone = dict(finding.saw)["gone"]
    # As long as each step is traced, one of them does not show.
    assert gone == f"0 of {FAULTS[exercise.name]} symptoms"


def test_there_are_eleven_faults():
    assert sum(FAULTS.values()) == 11
