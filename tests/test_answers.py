"""Hold together what the cells of the lessons say may be predicted, and what their runs printed."""

import json
import re
import sys
from ast import literal_eval
from math import isfinite
from pathlib import Path
from typing import Any

import pytest
from browser import needs_browser
from playwright.sync_api import Browser

from traced import reveal

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs/_extensions"))

from answers import (  # noqa: E402  # the site's extensions lie there
    ASKED,
    SUCH_AS,
    Form,
    plain,
    read_form,
)

SAYS = "no prediction yet; the run says: "


def read_predictions(notebook: Path) -> list[tuple[str, str]]:
    """List for each cell that asks for a prediction its comment and what its run printed."""
    found = []
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        if asked := ASKED.search("".join(cell["source"])):
            texts = [
                "".join(each.get("data", {}).get("text/plain", "")) for each in cell["outputs"]
            ]
            (said,) = [text.splitlines()[0] for text in texts if text.startswith(SAYS)]
            found.append((asked[1], said.removeprefix(SAYS)))
    return found


def fits(form: Form, outcome: str) -> bool:
    """Tell whether a form lets a reader give an outcome as the answer."""
    options, parts = [plain(option) for option in form.options], plain(outcome)
    if form.kind == "choose":
        return parts in options
    if form.kind == "some":
        return parts != [] and all([part] in options for part in parts)
    if form.kind == "each":
        of_them = all([part] in options for part in parts) if options else are_numbers(parts)
        return len(parts) == len(form.labels) and of_them
    return form.kind == "write" and parts != []


def describes(comment: str, outcome: str) -> bool:
    """Tell whether what a reader is told to write is built like the outcome."""
    try:
        said = literal_eval(outcome)
    except (ValueError, SyntaxError):  # a name is printed without quotes
        said = outcome
    if example := SUCH_AS.search(comment):
        shown = built(literal_eval(example[1] or example[2]))
        # Of several pairs, one may be the example.
        return shown in (built(said), built(said[0]) if "pairs" in comment else None)
    return built(said) == built(([0],) if "lists" in comment else 0)


def built(value: Any) -> Any:
    """Return how an answer is built: of a list, of what its entries are made, however many."""
    if isinstance(value, list | tuple):
        return frozenset(map(built, value))
    return "number" if type(value) in (int, float) else type(value).__name__


def are_numbers(parts: list[str]) -> bool:
    """Tell whether all parts of an answer are numbers."""
    try:
        return parts != [] and all(isfinite(float(part)) for part in parts)
    except ValueError:
        return False


@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_each_outcome_can_be_predicted_on_the_page(notebook: Path) -> None:
    asked = read_predictions(notebook)
    code = notebook.with_suffix(".md").read_text("utf-8")
    assert len(asked) == code.count("prediction = ...  # ") > 0
    wrong = [(comment, said) for comment, said in asked if not fits(read_form(comment), said)]
    assert wrong == []
    written = [each for each in asked if read_form(each[0]).kind == "write"]
    assert [each for each in written if not describes(*each)] == []


@pytest.mark.parametrize(
    ("comment", "outcome"),
    [
        ("1, 2 or 10", "3"),
        ("two of True or False", "(True, 3)"),
        ('some of "a" and "b"', "['c']"),
        ('some of "a" and "b"', "[]"),
        ("a width from 8 to 2048", "nan"),
    ],
)
def test_an_outcome_that_no_form_offers_is_seen(comment: str, outcome: str) -> None:
    assert not fits(read_form(comment), outcome)


@pytest.mark.parametrize(
    ("comment", "outcome"),
    [
        ("two shapes, such as ((8,), (8,))", "((8, 8), 8)"),
        ('names, such as ("a", "b")', "(1, 2)"),
        ("a thing from 8 to 2048", "[512]"),
    ],
)
def test_an_example_that_is_built_otherwise_is_seen(comment: str, outcome: str) -> None:
    assert not describes(comment, outcome)


#: What a reader writes, what the run says, and whether that is the same.
COMPARED: list[tuple[Any, Any, bool]] = [
    (4001, 4001, True),
    (9, 4001, False),
    (3, 3.0, True),
    (-2.0, -2, True),
    (0.5, 5, False),
    ("3", 3.0, True),
    ("nan", "nan", True),
    ("inf", "nan", False),
    ([1, 2], (1, 2), True),
    ((2, 1), (1, 2), False),
    ((1,), (1, 1), False),
    ((1, 2, 3), (1, 2), False),
    ([(2.0, 3.0), (2.0, 3.0)], [[2.0, 3.0], [2, 3]], True),
    ([(2.0, 2.0), (3.0, 3.0)], [[2.0, 3.0], [2.0, 3.0]], False),
    ((1, (3,)), (1, (3,)), True),
    ((True, False), [True, False], True),
    (("new shape", "new lambda"), ["new shape", "new lambda"], True),
    (("new shape",), ["new shape", "new lambda"], False),
    ((), [], True),
    ("error", "error", True),
]


@needs_browser
def test_the_page_its_script_and_the_course_compare_alike(browser: Browser) -> None:
    script = (ROOT / "docs/_static/answers.js").read_text("utf-8")
    found = re.search(r"const plain = .*?;\n", script, re.DOTALL)
    assert found
    texts = [str(each) for given, outcome, _ in COMPARED for each in (given, outcome)]
    page = browser.new_page()
    by_script = page.evaluate(f"texts => {{ {found[0]} return texts.map(plain); }}", texts)
    page.close()
    assert by_script == [plain(text) for text in texts]
    for given, outcome, same in COMPARED:
        assert (plain(str(given)) == plain(str(outcome))) is same, (given, outcome)
        assert (", right;" in str(reveal(given, outcome))) is same, (given, outcome)
