"""A lesson is five things of one name."""

from pathlib import Path

from traced.lessons import LESSONS

ROOT = Path(__file__).parents[2]


def test_every_lesson_has_its_notebook_its_modules_and_its_answers():
    lessons = {path.stem[3:] for path in ROOT.glob("notebooks/[0-9]*.md")}
    for folder in ("traced/lessons", "traced/solutions"):
        assert {path.stem for path in (ROOT / folder).glob("[a-z]*.py")} == lessons
    here = {path.stem for path in Path(__file__).parent.glob("[a-z]*.py")}
    assert here == lessons | {f"test_{name}" for name in lessons} | {
        "conftest",
        "exercises",
        "test_files",
    }


def test_lessons_are_listed_in_the_order_of_their_notebooks():
    assert [path.stem[3:] for path in sorted(ROOT.glob("notebooks/[0-9]*.md"))] == [*LESSONS]
