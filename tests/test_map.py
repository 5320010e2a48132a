"""What the package says of each lesson is what its notebook and the sidebar say."""

import sys
from collections import Counter
from pathlib import Path

import pytest
import write_map

from traced import reveal, show_progress
from traced.course import journal
from traced.course.map import asked_at, call_at, lessons
from traced.lessons import LESSONS, progress


def test_the_stored_map_is_that_of_the_notebooks() -> None:
    stored = write_map.STORED.read_text("utf-8")
    assert stored == write_map.text(), "run `python docs/write_map.py`"


def test_the_map_has_the_lessons_that_have_exercises() -> None:
    assert tuple(lesson.name for lesson in lessons()) == LESSONS


def test_a_lesson_reveals_each_prediction_by_a_call_of_its_own() -> None:
    calls = Counter(
        (lesson.name, call) for lesson in lessons() for call in lesson.predictions.values()
    )
    assert [each for each, count in calls.items() if count > 1 or not each[1]] == []


@pytest.mark.parametrize("source", ["", "reveal(", "%%time\nreveal(1, 2)", "show(1, 2)"])
def test_what_reveals_nothing_has_no_call(source: str) -> None:
    assert call_at(source.splitlines(), 1) is None


def run(source: str, file: Path, **names: object) -> None:
    """Run a cell as the kernel does: from a file that shows its lines."""
    file.write_text(source)
    exec(compile(source, str(file), "exec"), {"reveal": reveal, **names})


@pytest.fixture
def first() -> tuple[str, str, str]:
    """Return a lesson, a cell and the call of its prediction."""
    (cell, call), *_ = lessons()[0].predictions.items()
    return lessons()[0].name, cell, call


@pytest.mark.parametrize("given", ["4001", "1"])
def test_a_prediction_is_noted_and_shown(
    tmp_path: Path, first: tuple[str, str, str], given: str
) -> None:
    lesson, cell, call = first
    run(f"prediction = ...\n{call}", tmp_path / "before.py", equations=4001)
    assert "0 of 1 predicted" in str(show_progress())
    run(f"prediction = {given}  # mine\n\n{call}", tmp_path / "cell.py", equations=4001)
    assert journal.predictions() == {(lesson, cell)}
    assert "1 of 1 predicted, 0 of 1 passed" in str(show_progress())
    assert "1 of 1 predicted, 0 of 1 passed" in (show_progress()._repr_html_() or "")


def test_what_no_lesson_asks_is_not_noted(tmp_path: Path) -> None:
    run("reveal(1, 2, 'of my own')", tmp_path / "cell.py")
    reveal(1, 2)
    assert journal.predictions() == set()


def test_of_two_lessons_with_the_same_call_the_imported_one_is_meant(tmp_path: Path) -> None:
    calls = Counter(call for lesson in lessons() for call in lesson.predictions.values())
    (call,) = [each for each, count in calls.items() if count == 2]
    asking = [lesson.name for lesson in lessons() if call in lesson.predictions.values()]
    facts = {"prediction": 1, "rounds": [1], "counts": 1}
    run(call, tmp_path / "unknown.py", **facts)
    assert journal.predictions() == set()
    for lesson in asking:
        module = __import__(f"traced.lessons.{lesson}", fromlist=["EXERCISES"])
        run(call, tmp_path / f"{lesson}.py", ex=module, **facts)
    assert {lesson for lesson, _ in journal.predictions()} == set(asking)


def test_the_html_and_the_text_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = show_progress()
    html = picture._repr_html_() or ""
    for card in progress.read_cards():
        assert f"{card.lesson.number} {card.lesson.topic}: " in str(picture)
        assert f"{card.lesson.number} {card.lesson.topic}</strong>" in html
        for said in (card.facts(), card.progress(), *card.states):
            assert said in str(picture)
            assert said in html
    assert all(len(line) <= 160 for line in str(picture).splitlines())


def test_a_caller_without_source_is_not_known() -> None:
    assert asked_at(sys._getframe()) is None
