"""Answers in files are checked, pasted tracebacks explained, and bad input gets one clear line."""

import json
import os
import re
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import jax
import pytest
from click.testing import CliRunner, Result

from traced.command import lab
from traced.command.answers import check_file, find_exercises, run_file
from traced.command.commands import jax_traced
from traced.command.exercise_pages import read_page
from traced.course.exercise import source_of
from traced.lessons import LESSONS

EXERCISES = [
    pytest.param(each, id=f"{lesson}.{each.name}")
    for lesson in LESSONS
    for each in import_module(f"traced.lessons.{lesson}").EXERCISES
]
RIGHT = "import jax.numpy as jnp\n\ndef mean_square(x):\n    return jnp.mean(x**2)\n"
WRONG = "def mean_square(x):\n    return sum(x**2) / len(x)\n"
TRACEBACK = """Traceback (most recent call last):
  File "/home/somebody/train.py", line 12, in <module>
    y = jax.jit(lambda x: 1.0 if x > 0 else x)(2.0)
jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array
"""


pytestmark = pytest.mark.usefixtures("compiled_once", "usual_promotion")


@pytest.fixture
def usual_promotion():
    """Let JAX promote as it does for readers."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield


def run(*arguments: object, pasted: str | bytes = "") -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(jax_traced, list(map(str, arguments)), input=pasted)


def refusal(*arguments: object, pasted: str | bytes = "") -> str:
    """Return the one line with which the command refuses."""
    result = run(*arguments, pasted=pasted)
    assert result.exit_code == 1, result.output
    (line,) = result.stderr.splitlines()
    return line.removeprefix("jax-traced: ")


@pytest.fixture
def answer(tmp_path):
    """Return a function that writes a file of answers."""

    def write(text, name="answer.py"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_stub_of_each_exercise_is_a_file_that_runs(exercise, answer):
    path = answer(read_page(exercise).stub)
    *parts, found = find_exercises(path)
    assert found == exercise
    assert not parts or exercise.name == "run"  # of 17: a whole, made of what was asked before
    assert callable(getattr(run_file(path), exercise.name))


@pytest.mark.parametrize("name", ["start_here.mean_square", "tracing.read_back", "purity.sharpen"])
def test_a_solution_in_the_place_of_the_stub_passes(name, answer):
    lesson, _, exercise = name.partition(".")
    asked = getattr(import_module(f"traced.lessons.{lesson}"), exercise)
    path = answer(f"from traced.lessons import {lesson} as ex\n{source_of(asked.answer)}")
    assert [told.state for _, told in check_file(path)] == ["passed"]


def test_what_an_exercise_refers_to_is_shown_with_its_text():
    text = read_page(import_module("traced.lessons.tracing").read_back).text
    assert text.startswith("### Exercise 1")
    assert "reduce_max" in text


def test_a_right_answer_has_status_0_and_is_noted(answer, own_journal):
    result = run("check", answer(RIGHT))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.output.startswith("mean_square: passed\n")
    assert json.loads(own_journal.read_text())["state"] == "passed"
    assert "passed: mean_square" in run("progress").output


def test_the_journals_of_a_class_have_a_line_each(tmp_path):
    for name, states in {"anna": ["not yet", "passed"], "ben": ["not yet"], "cem": []}.items():
        lines = [{"lesson": "tracing", "exercise": "Gain", "state": state} for state in states]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    told = run("progress", *sorted(tmp_path.glob("*.jsonl"))).output.splitlines()
    assert told == ["anna: 1 passed", "ben: 0 passed, not yet: tracing.Gain", "cem: 0 passed"]
    assert "no such file" in refusal("progress", tmp_path / "dora.jsonl")


def test_solutions_can_be_hidden_from_a_class(monkeypatch):
    asked = import_module("traced.lessons.start_here").mean_square
    assert "def mean_square" in str(asked.solution())
    monkeypatch.setenv("TRACED_SOLUTIONS", "hidden")
    assert "def mean_square" not in str(asked.solution())


def test_a_wrong_answer_has_status_1_its_line_and_a_hint_that_works(answer):
    path = answer(WRONG)
    result = run("check", path)
    assert result.exit_code == 1
    assert "mean_square: not yet  [" in result.output
    assert "line 2:  return sum(x**2) / len(x)" in result.output
    # Where the command was given, it works again.
    assert f"hint:jax-tracedcheck{path}--hint1" in "".join(result.output.split())
    for level, said in (1, "--hint2"), (2, "--hint3"), (3, ""):
        told = run("check", path, "--hint", level).output
        assert f"hint {level} of 3: " in told
        assert re.findall("--hint[0-9]", "".join(told.split())) == [said] * bool(said)


def test_an_answer_that_passed_gets_no_hint(answer):
    assert "hint" not in run("check", answer(RIGHT), "--hint", "1").output


def test_what_stands_below_main_is_not_run_and_neighbours_are_found(answer):
    answer("FACTOR = 2\n", "neighbour.py")
    path = answer(f"import neighbour\n{RIGHT}\nif __name__ == '__main__':\n    1 / 0\n")
    assert run("check", path).exit_code == 0


TWICE = "def train_step(*arguments):\n    raise NotImplementedError\n"


def test_an_exercise_of_two_lessons_has_to_be_told_apart(answer):
    path = answer(TWICE)
    options = re.findall(r"--exercise (\S+)", refusal("check", path))
    assert options == ["08_pytrees.train_step", "13_nnx_transforms.train_step"]
    for option in (*options, "08.train_step", "pytrees.train_step"):
        assert "train_step: not attempted" in run("check", path, "--exercise", option).output
    path = answer(f"from traced.lessons import pytrees as ex\n{TWICE}")
    assert "train_step: not attempted" in run("check", path).output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def other(x):\n    return x\n", "has nothing that is called like an exercise"),
        ("def mean_square(x:\n", ", line 1: "),
        (f"{RIGHT}\nraise KeyError('a')\n", ", line 6: KeyError: 'a'"),
        (f"import sys\n{RIGHT}\nsys.exit(3)\n", ", line 7: SystemExit: 3"),
        (f"{RIGHT}\ndel mean_square\n", "defines no mean_square"),
        (b"\xff\xfe\x00", "is not text"),
        (b"def f():\0", "is not text"),
    ],
)
def test_a_file_without_an_exercise_gets_one_line(answer, text, said):
    assert said in refusal("check", answer(text))


def test_a_name_that_is_no_exercise_is_refused(answer):
    path = answer(RIGHT)
    assert "the exercise dropout" in refusal("check", path, "--exercise", "dropout")
    assert "no lesson is called nothing" in refusal("check", path, "--exercise", "nothing.dropout")
    assert "no such file" in refusal("check", path.with_name("none.py"))
    assert "is a directory" in refusal("check", path.parent)


@pytest.mark.parametrize("way", ["file", "pasted"])
def test_a_traceback_is_explained_and_its_page_lies_here(answer, way):
    path = answer(TRACEBACK, "error.txt")
    result = run("explain", "-", pasted=TRACEBACK) if way == "pasted" else run("explain", path)
    assert result.exit_code == 0
    assert "line 12:  y = jax.jit(lambda x: 1.0 if x > 0 else x)(2.0)" in result.output
    assert "read: field guide, TracerBoolConversionError" in result.output
    (page,) = re.findall(r"^page: (.*)$", result.output, re.MULTILINE)
    assert Path(page).exists()


@pytest.mark.parametrize(
    ("pasted", "said"),
    [
        (b"\xff\xfe\x00", "is not text"),
        ("ELF\0\0", "is not text"),
        ("all is well\n", "has no error of Python in it"),
        ("", "has no error of Python in it"),
    ],
)
def test_what_is_no_traceback_gets_one_line(answer, pasted, said):
    assert said in refusal("explain", "-", pasted=pasted)
    assert said in refusal("explain", answer(pasted))


def test_the_last_line_of_a_traceback_is_enough():
    last = TRACEBACK.splitlines()[-1]
    assert "field guide, TracerBoolConversionError" in run("explain", "-", pasted=last).output


def test_a_port_that_is_taken_gets_one_line_and_the_lessons_are_there(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refusal("learn", tmp_path / "copy", "--port", port)
    assert said.startswith(f"port {port} is taken: ")
    assert (tmp_path / "copy/notebooks/00_start_here.ipynb").exists()


def test_without_jupyterlab_it_says_where_the_lessons_are(tmp_path, monkeypatch):
    monkeypatch.setattr(lab, "find_spec", lambda name: None)
    assert run("learn", tmp_path / "copy").stdout == ""
    said = refusal("learn", tmp_path / "copy")
    assert said.startswith("JupyterLab is not installed")
    assert f"the lessons are in {tmp_path / 'copy'}" in said
    assert (tmp_path / "copy/notebooks/00_start_here.ipynb").exists()


def test_without_a_screen_no_browser_takes_over_the_terminal(tmp_path, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert "--no-browser" in lab.options(tmp_path, "notebooks/00_start_here.ipynb")
    monkeypatch.setenv("DISPLAY", ":0")
    told = lab.options(tmp_path, "notebooks/00_start_here.ipynb")
    assert "--no-browser" not in told
    assert "--LabApp.news_url=None" in told


def test_the_command_does_not_wait_for_jax_where_it_needs_none(tmp_path):
    """To import JAX takes seconds."""
    program = (
        "import sys; from traced.command.commands import jax_traced;"
        "jax_traced(['learn', sys.argv[1], '--no-lab'], standalone_mode=False);"
        "print('jax' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "copy"],
        capture_output=True,
        text=True,
        env={**os.environ},
        check=True,
    )
    assert result.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [("learn", 0), ("learn copy", 0), ("watch", 0), ("learn copy --no-lab", 130), ("check", 130)],
)
def test_ctrl_c_is_the_end_of_some_commands_and_an_interruption_of_others(arguments, status):
    program = "from traced.command.__main__ import leave; leave(2, None)"
    command = [sys.executable, "-c", program, *arguments.split()]
    assert subprocess.run(command).returncode == status


def test_an_answer_is_not_read_from_the_terminal():
    result = run("check", "-")
    assert (result.exit_code, result.output.count("\n")) == (1, 1)
    assert "check needs a file" in result.output
