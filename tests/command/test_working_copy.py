"""A copy of the lessons is kept up to date, and what a reader changed is never written over."""

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from traced.command import working_copy
from traced.command.commands import jax_traced
from traced.command.working_copy import RECORD, WorkingCopy

FIRST, SECOND = "notebooks/00_start_here.ipynb", "notebooks/01_arrays.ipynb"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a small course, which the command puts into copies."""
    folder = tmp_path / "course"
    for name in (FIRST, SECOND, "docs/guide/index.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"the first {name}")
    monkeypatch.setattr(working_copy, "course_file", lambda path: folder / path)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def copy(course: Path, tmp_path: Path) -> Path:
    """Return the folder of a copy."""
    assert run("learn", "copy", "--no-lab").exit_code == 0
    return tmp_path / "copy"


def run(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(jax_traced, arguments)


def refusal(*arguments: str) -> str:
    """Return the one line with which the command refuses."""
    result = run(*arguments)
    assert result.exit_code == 1, result.output
    (line,) = result.stderr.splitlines()
    assert line.startswith("jax-traced: ")
    return line.removeprefix("jax-traced: ")


def contents(folder: Path) -> dict[str, str]:
    """Return the files of a folder that a reader sees, with what is in them."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in files
        if path.name != RECORD
    }


def test_a_new_folder_gets_the_lessons_and_the_guide_and_says_what_to_open(course, tmp_path):
    result = run("learn", "copy", "--no-lab")
    assert contents(tmp_path / "copy") == contents(course)
    assert result.output.splitlines() == [
        "The lessons are in copy: what you do there is yours.",
        f"Open {Path('copy') / FIRST}",
    ]


def test_links_of_the_lessons_lead_somewhere_in_the_copy_and_twins_are_out_of_sight(tmp_path):
    WorkingCopy(tmp_path / "copy").bring_up_to_date()
    lessons = tmp_path / "copy/notebooks"
    assert len(list(lessons.iterdir())) > 15
    assert {path.suffix for path in lessons.iterdir()} == {".ipynb"}
    for lesson in lessons.iterdir():
        cells = json.loads(lesson.read_text("utf-8"))["cells"]
        text = "".join("".join(each["source"]) for each in cells if each["cell_type"] == "markdown")
        for link in re.findall(r"\]\(([\w./-]+\.(?:md|ipynb))[)#]", text):
            assert (lessons / link).exists(), (lesson.name, link)


def test_no_page_of_the_copy_shows_the_source_of_a_form():
    """JupyterLab's preview shows a directive as it is written."""
    pages = [path for path in working_copy.given_files().values() if path.suffix == ".md"]
    assert len(pages) > 100
    shown = "{raw}", "<form", "<input"
    assert [page for page in pages if any(part in page.read_text("utf-8") for part in shown)] == []


def test_what_is_missing_comes_back_and_the_rest_is_left_alone(copy):
    (copy / FIRST).unlink()
    before = (copy / SECOND).stat().st_mtime_ns
    assert f"new: {FIRST}" in run("learn", "copy", "--no-lab").output
    assert (copy / FIRST).read_text() == f"the first {FIRST}"
    assert (copy / SECOND).stat().st_mtime_ns == before


def test_after_an_update_what_was_changed_stays_and_the_new_is_beside_it(course, copy):
    (copy / SECOND).write_text("my answers")
    for name in (FIRST, SECOND):
        (course / name).write_text(f"the second {name}")
    said = run("learn", "copy", "--no-lab").output
    beside = SECOND.replace(".ipynb", ".new.ipynb")
    assert contents(copy)[FIRST] == f"the second {FIRST}"
    assert contents(copy)[SECOND] == "my answers"
    assert contents(copy)[beside] == f"the second {SECOND}"
    assert f"renewed: {FIRST}" in said
    assert f"{SECOND} is as you left it; the new one is beside it: {beside}" in said
    # It is said once, and what was saved last is what to open.
    assert run("learn", "copy", "--no-lab").output == f"Open {Path('copy') / SECOND}\n"


def test_a_new_one_that_was_changed_itself_is_not_written_over_by_the_next(course, copy):
    (copy / SECOND).write_text("my answers")
    (course / SECOND).write_text("the second")
    run("learn", "copy", "--no-lab")
    beside = copy / SECOND.replace(".ipynb", ".new.ipynb")
    (course / SECOND).write_text("the third")
    run("learn", "copy", "--no-lab")
    assert beside.read_text() == "the third"
    beside.write_text("my answers in the new one")
    (course / SECOND).write_text("the fourth")
    said = run("learn", "copy", "--no-lab").output
    assert beside.read_text() == "my answers in the new one"
    assert beside.with_name("01_arrays.new2.ipynb").read_text() == "the fourth"
    assert "01_arrays.new2.ipynb" in said
    assert (copy / SECOND).read_text() == "my answers"


def test_a_copy_that_was_interrupted_is_completed(copy):
    """The record is written first, so that what is there is known to be a copy."""
    (copy / FIRST).unlink()
    (copy / RECORD).write_text(json.dumps({"format": 1, "files": {}}))
    assert run("learn", "copy", "--no-lab").exit_code == 0
    assert sorted(contents(copy)) == ["docs/guide/index.md", FIRST, SECOND]


def test_reset_keeps_what_there_was_under_another_name(copy):
    (copy / SECOND).write_text("my answers")
    old = copy / "notebooks/01_arrays.old.ipynb"
    assert str(old.relative_to(copy.parent)) in run("reset", "01", "copy").output
    assert (copy / SECOND).read_text() == f"the first {SECOND}"
    (copy / SECOND).write_text("more answers")
    run("reset", "arrays", "copy")
    assert old.read_text() == "my answers"
    assert old.with_name("01_arrays.old2.ipynb").read_text() == "more answers"
    assert "yours is" not in run("reset", "01_arrays", "copy").output


def test_reset_of_all_gives_what_was_changed_anew(copy):
    (copy / SECOND).write_text("my answers")
    assert "01_arrays" in run("reset", "--all", "copy").output
    assert "00_start_here" not in run("reset", "--all", "copy").output
    assert contents(copy)["notebooks/01_arrays.old.ipynb"] == "my answers"


def test_without_a_folder_it_is_the_copy_one_stands_in(copy, monkeypatch):
    monkeypatch.chdir(copy)
    (copy / FIRST).unlink()
    run("learn", "--no-lab")
    assert (copy / FIRST).exists()
    assert not (copy / "jax-traced-lessons").exists()


def test_a_folder_with_other_things_in_it_is_refused(course, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.tex").write_text("years of work")
    assert refusal("learn", "mine", "--no-lab").startswith("mine has other things in it")
    assert contents(tmp_path / "mine") == {"thesis.tex": "years of work"}
    assert refusal("learn", "mine/thesis.tex", "--no-lab").endswith("not a directory")
    assert refusal("reset", "00", "mine").startswith("mine has no lessons")


@pytest.mark.parametrize("record", ["{", "[]", '{"format": 99, "files": {}}'])
def test_a_copy_of_another_format_is_refused_and_left_as_it_is(copy, record):
    (copy / RECORD).write_text(record)
    (copy / SECOND).write_text("my answers")
    before = contents(copy)
    for arguments in (("learn", "copy", "--no-lab"), ("reset", "01", "copy")):
        assert "damaged, or of a newer jax-traced: nothing was changed" in refusal(*arguments)
    assert contents(copy) == before


def test_a_lesson_that_is_not_there_is_refused_with_those_that_are(copy):
    said = refusal("reset", "99", "copy")
    assert said == "no lesson is called 99; there are 00_start_here, 01_arrays"


@pytest.mark.parametrize("reason", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_where_nothing_can_be_written_it_says_so(course, copy, monkeypatch, reason):
    """Nobody but the system tells root that a folder is read-only, hence the pretence."""
    (copy / SECOND).write_text("my answers")
    (course / SECOND).write_text("the second")
    before = contents(copy)

    def refuse(path: Path, data: bytes) -> int:
        raise OSError(reason, os.strerror(reason), str(path))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    for arguments in (("learn", "copy", "--no-lab"), ("reset", "01", "copy")):
        assert refusal(*arguments) == f"copy cannot be written: {os.strerror(reason).lower()}"
    assert contents(copy) == before


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such limits")
def test_when_the_disk_is_full_nothing_of_the_readers_is_lost(course, copy):
    """A limit on the size of files stops a write half way, as a full disk does."""
    (copy / SECOND).write_text("my answers")
    (course / SECOND).write_text("the second" * 100_000)
    program = (
        # Half of a module's bytecode would be taken for all of it by whoever runs next.
        "import resource, signal, sys; sys.dont_write_bytecode = True;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000));"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "from pathlib import Path; from traced.command import working_copy;"
        "working_copy.course_file = lambda path: Path('course') / path;"
        "from traced.command.commands import jax_traced; jax_traced()"
    )
    before = contents(copy)
    for arguments in (("learn", "copy", "--no-lab"), ("reset", "01", "copy")):
        result = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            capture_output=True,
            text=True,
            cwd=copy.parent,
        )
        assert result.returncode == 1
        assert result.stderr == "jax-traced: copy cannot be written: file too large\n"
        assert contents(copy) == before


def test_solutions_are_hidden_from_a_class(tmp_path, monkeypatch):
    """Their outputs are stored in the lessons, so that the copy is made without them."""
    monkeypatch.setenv("TRACED_SOLUTIONS", "hidden")
    copy = WorkingCopy(tmp_path / "copy")
    copy.bring_up_to_date()
    assert copy.changed() == []
    for lesson in copy.lessons().iterdir():
        cells = json.loads(lesson.read_text("utf-8"))["cells"]
        asked = [each for each in cells if "".join(each["source"]).endswith(".solution()")]
        assert asked
        assert [each for each in asked if each["outputs"]] == []
    monkeypatch.delenv("TRACED_SOLUTIONS")
    assert "02_tracing" in copy.changed()
