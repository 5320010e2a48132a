"""The terminal course shows an exercise, checks its file when it is saved, and moves on."""

import io
import os
import queue
import re
import signal
import subprocess
import sys
import threading

import jax
import pytest
from rich.console import Console

from traced.command.exercise_pages import read_page
from traced.command.terminal_course import EXERCISES, Saved, TerminalCourse
from traced.command.working_copy import WorkingCopy
from traced.course import journal
from traced.course.exercise import source_of
from traced.lessons import arrays, start_here

pytestmark = pytest.mark.usefixtures("compiled_once", "usual_promotion")
FIRST = "00_start_here_mean_square.py"
RIGHT = f"from traced.lessons import start_here as ex\n{source_of(start_here.mean_square.answer)}"
WRONG = "def mean_square(x):\n    return sum(x**2) / len(x)\n"


@pytest.fixture
def usual_promotion():
    """Let JAX promote as it does for readers."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the lessons."""
    copy = WorkingCopy(tmp_path / "copy")
    copy.bring_up_to_date()
    return copy


class Taken:
    """A course without a terminal, and what it says."""

    def __init__(self, copy):
        self.output = io.StringIO()
        self.course = TerminalCourse(copy, Console(file=self.output, width=80, highlight=False))
        self.course.begin()

    def said(self, *events):
        """Return what is said after some events."""
        self.output.seek(0)
        self.output.truncate()
        for event in events:
            self.course.react(event)
        return self.output.getvalue()

    def save(self, text):
        self.course.file.write_text(text)
        return self.said(Saved())


def test_a_course_shows_checks_and_moves_on(copy):
    taken = Taken(copy)
    shown = taken.output.getvalue()
    assert "00.1, in lesson 00_start_here (0 of " in shown
    assert "Its trace has as many equations for 8 entries as for 4." in " ".join(shown.split())
    assert f"Edit and save: {copy.folder / EXERCISES / FIRST}" in shown
    wrong = taken.save(WRONG)
    assert "mean_square: not yet" in wrong
    assert "hint: h\n" in wrong
    right = taken.save(RIGHT)
    assert "mean_square: passed" in right
    assert "01.1, in lesson 01_arrays (1 of " in right
    assert "Exercise 1 (repair): clip_boxes" in right
    assert taken.course.current is arrays.clip_boxes


def test_hints_come_one_after_another_and_the_solution_leaves_the_file_alone(copy):
    taken = Taken(copy)
    for level in (1, 2, 3, 3):
        assert f"hint {level} of 3: " in taken.said("h")
    before = taken.course.file.read_bytes()
    assert "def mean_square(x):" in taken.said("s")
    assert taken.course.file.read_bytes() == before


def test_the_list_says_where_one_is(copy):
    taken = Taken(copy)
    journal.note("arrays", "store", "passed")
    listed = taken.said("l")
    assert re.search(r"^00_start_here\n  00.1  mean_square: .*   \(this one\)$", listed, re.M)
    assert re.search(r"^01_arrays\n  01.1  clip_boxes: .*\n  01.2  store: passed$", listed, re.M)


def test_the_numbers_are_those_of_the_pages(copy):
    for number, each in Taken(copy).course.numbered.items():
        page = read_page(each)
        lesson, _, on_page = number.partition(".")
        (title,) = re.findall(r"\A### Exercise ?(\d*) \(", page.text)
        assert (page.lesson.partition("_")[0], title or "1") == (lesson, on_page)


@pytest.mark.parametrize("named", ["01.2", "1.2", "store", "arrays.store", "01_arrays.store"])
def test_a_number_or_a_name_goes_to_an_exercise(copy, named):
    taken = Taken(copy)
    assert "01.2, in lesson 01_arrays" in taken.said(named)
    assert taken.course.current is arrays.store
    assert "There is no command 'what'" in taken.said("what")


def test_it_goes_on_where_it_was(copy):
    taken = Taken(copy)
    taken.said("01.2")
    taken.course.file.write_text("x = [\n")
    again = Taken(copy)
    assert again.course.current is arrays.store
    assert "line 1: '[' was never closed" in again.output.getvalue()
    assert again.course.file.read_text() == "x = [\n"
    journal.note("arrays", "store", "passed")
    assert Taken(copy).course.current is arrays.counts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def other():\n    pass\n", "defines no mean_square"),
        ("raise KeyError('a')\n", "line 1: KeyError: 'a'"),
        ("import sys\nsys.exit()\n", "SystemExit"),
        ("raise KeyboardInterrupt\n", "The check was stopped."),
    ],
)
def test_whatever_a_file_does_the_course_goes_on(copy, text, said):
    taken = Taken(copy)
    assert said in taken.save(text)
    assert "mean_square: passed" in taken.save(RIGHT)


def test_a_file_that_is_gone_comes_back(copy):
    taken = Taken(copy)
    taken.course.file.unlink()
    assert "t puts the exercise there again" in taken.said(Saved())
    taken.said("t")
    assert "raise NotImplementedError" in taken.course.file.read_text()


def test_what_was_not_changed_is_not_checked_again(copy):
    taken = Taken(copy)
    assert taken.said(Saved()) == ""
    assert "mean_square: not attempted" in taken.said("")


def test_when_all_have_passed_it_ends(copy):
    taken = Taken(copy)
    for each in taken.course.exercises:
        journal.note(each.lesson, each.name, "passed")
    assert "exercises have passed." in taken.save(RIGHT)
    assert taken.course.current is None


def test_all_it_says_is_lines_of_80_columns(copy):
    taken = Taken(copy)
    text = taken.output.getvalue() + taken.save(WRONG) + taken.said("h", "l", "01.2")
    assert "\x1b" not in text
    assert "\r" not in text
    long = [line for line in text.splitlines() if len(line) > 80]
    assert [line for line in long if not line.startswith("Edit and save: ")] == []


class Watching:
    """The program as a reader runs it, with lines on its standard input."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "traced.command", "watch", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"NO_COLOR": "1", "COLUMNS": "80"},
        )
        self.lines, self.said = queue.SimpleQueue(), []
        self.reading = threading.Thread(target=self._read, daemon=True)
        self.reading.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def wait_for(self, text):
        """Wait until a line has a text, or for the end."""
        while (line := self.lines.get(timeout=200)) is not None:
            self.said.append(line)
            if text and text in line:
                return
        assert text is None, "".join(self.said)


@pytest.fixture
def watching(copy):
    """Run the course until it waits for the reader."""
    watching = Watching(copy.folder)
    with watching.process:
        watching.wait_for("(and Enter)")
        yield watching
        watching.process.kill()
        watching.reading.join(timeout=60)  # before the pipe that it reads is closed


def test_saving_the_file_has_it_checked(copy, watching):
    replacement = copy.folder / EXERCISES / "answer.py"
    replacement.write_text(RIGHT)
    replacement.replace(copy.folder / EXERCISES / FIRST)  # as editors do
    watching.wait_for("mean_square: passed")
    watching.wait_for("01.1, in lesson 01_arrays")


@pytest.mark.parametrize("ending", ["q\n", "", "Ctrl-C"])
def test_it_ends_quietly(watching, ending):
    if ending == "Ctrl-C":
        watching.process.send_signal(signal.SIGINT)
    else:
        watching.process.stdin.write(ending)
        watching.process.stdin.close()
    watching.wait_for(None)
    assert watching.process.wait(timeout=60) == 0
    assert not re.search("Traceback|Error|Fatal", "".join(watching.said))
