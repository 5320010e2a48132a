"""Beside each exercise stand answers of which one passes, as short as a phone has room for."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import execute_choices
import pytest
from choices import beside_exercise

STATIC = execute_choices.ROOT / "docs/_static"
NOTEBOOKS = execute_choices.lessons()


def stored() -> dict[str, dict[str, Any]]:
    """Return what is stored of each exercise, by its lesson and its name."""
    return {
        f"{path.stem}.{name}": shown
        for path in sorted(execute_choices.FOLDER.glob("*.json"))
        for name, shown in json.loads(path.read_text("utf-8")).items()
    }


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_exercise_of_a_page_has_its_answers(notebook: Path) -> None:
    file = execute_choices.FOLDER / f"{notebook.stem}.json"
    exercises = json.loads(file.read_text("utf-8"))
    assert list(exercises) == list(dict.fromkeys(execute_choices.read_page(notebook).exercises))


@pytest.mark.parametrize("name", stored())
def test_one_answer_passes_and_each_other_has_a_finding_of_its_own(name: str) -> None:
    answers = stored()[name]["answers"]
    assert 2 <= len(answers) <= 4
    assert [": passed" in each["said"] for each in answers] == [each["passes"] for each in answers]
    assert sum(each["passes"] for each in answers) == 1
    titles = [each["said"].partition("</strong>")[0] for each in answers]
    assert len(set(titles)) == len(answers)
    assert all(name.partition(".")[2] in each["source"] for each in answers)
    assert [each for each in answers if "#" in each["source"] or '"""' in each["source"]] == []


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_stub_is_no_answer(notebook: Path) -> None:
    given = execute_choices.read_page(notebook).given
    offered = json.loads((execute_choices.FOLDER / f"{notebook.stem}.json").read_text("utf-8"))
    assert [
        name
        for name, shown in offered.items()
        for answer in shown["answers"]
        if execute_choices.statements(answer["source"]) <= given[name]
    ] == []


def test_a_stub_is_known_without_what_is_to_be_removed() -> None:
    notebook = next(path for path in NOTEBOOKS if path.stem == "07_loops")
    given = execute_choices.read_page(notebook).given["smooth"]
    assert any("for value in signal" in each and "raise" not in each for each in given)


def test_the_right_answer_stands_at_every_place() -> None:
    answers = [[each["passes"] for each in shown["answers"]] for shown in stored().values()]
    places = Counter(each.index(True) for each in answers if len(each) == 4)
    assert sorted(places) == [0, 1, 2, 3]
    assert max(places.values()) <= sum(places.values()) / 2


def test_what_is_on_the_page_cannot_be_taken_for_html() -> None:
    answers = [
        {"source": "def f(x):\n    return x < 1", "passes": each, "said": ""}
        for each in (True, False)
    ]
    assert "x < 1" in beside_exercise("notebooks/00", "f", "", answers).astext()


CODE = '''\
def helped(x):
    return helper(x)  # not so


class Base:
    """A class that others go on with."""

    def __init__(self):
        self.x = 1


class Wrong(Base):
    def __call__(self, x):
        """Return it."""
        return x
'''


def test_comments_and_docstrings_do_not_give_an_answer_away() -> None:
    left = execute_choices.without_comments(CODE)
    assert "not so" not in left
    assert "others" not in left
    assert "Return" not in left
    compile(left, "left", "exec")


def test_a_class_has_what_it_inherits_from_another_answer() -> None:
    code = execute_choices.merged(execute_choices.without_comments(CODE), "Wrong")
    assert code is not None
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    assert "Base" not in namespace
    assert namespace["Wrong"]().x == 1
    assert namespace["Wrong"]()(2) == 2
    calling = CODE.replace("return x\n", "return super().__call__(x)\n")
    assert execute_choices.merged(calling, "Wrong") is None


def test_what_a_page_needs_to_answer_back_is_light() -> None:
    ours = ("answers", "choices", "keys", "kept", "panes", "progress", "review")
    assert sum((STATIC / f"{name}.js").stat().st_size for name in ours) < 30_000
