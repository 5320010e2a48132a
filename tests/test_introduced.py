"""Prove that no lesson uses a name or a term before the reader was told what it is."""

import execute
import pytest
from introductions import (
    FOLDER,
    bold,
    canonical,
    introduced,
    is_markdown,
    needs,
    notebook,
    said,
    uses,
)

LESSONS = [path.stem for path in execute.paths()]


def known(lesson: str) -> set[str]:
    """Return the names that a lesson or one that it needs introduces."""
    return {canonical(name) for each in {lesson, *needs(lesson)} for name in introduced(each).names}


def test_each_lesson_says_what_it_introduces() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.toml")) == LESSONS


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_needs_only_lessons_before_it(lesson: str) -> None:
    assert all(needed < lesson for needed in needs(lesson))


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_name_in_a_cell_was_introduced(lesson: str) -> None:
    assert sorted(uses(lesson).keys() - known(lesson)) == []


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_term_in_bold_was_introduced(lesson: str) -> None:
    terms = {term for each in {lesson, *needs(lesson)} for term in introduced(each).terms}
    assert sorted(bold(lesson) - terms) == []
    assert sorted(set(introduced(lesson).terms) - bold(lesson)) == []


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_name_is_introduced_once_and_used(lesson: str) -> None:
    names = [canonical(name) for name in introduced(lesson).names]
    before = {canonical(name) for each in needs(lesson) for name in introduced(each).names}
    assert len(set(names)) == len(names)
    assert sorted(before.intersection(names)) == []
    assert sorted(set(names) - uses(lesson).keys()) == []


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_name_is_said_where_it_is_first_used(lesson: str) -> None:
    late = [name for name in introduced(lesson).names if not is_said(lesson, name)]
    assert late == []


def is_said(lesson: str, name: str) -> bool:
    """Tell whether prose names what a cell uses, before that cell or right after it."""
    place = said(lesson).get(name.rpartition(".")[2])
    first = uses(lesson).get(canonical(name), 0)
    cells = notebook(lesson).cells
    after = (i for i, cell in enumerate(cells) if i > first and is_markdown(cell))
    return place is not None and place <= next(after, len(cells))
