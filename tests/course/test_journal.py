"""Progress is kept, whatever happens to the file."""

import json
import re
import subprocess
import sys
import tempfile

import pytest

from traced import reset_progress, show_progress
from traced.course import journal
from traced.course.journal import note, states
from traced.lessons.start_here import mean_square
from traced.lessons.start_here.solutions.mean_square import mean_square as solution


def stub(x):
    raise NotImplementedError


def test_a_check_is_noted_and_shown():
    mean_square.check(solution)
    assert states() == {("start_here", "mean_square"): "passed"}
    assert "0 of 1 predicted, 1 of 1 passed\n   passed: mean_square\n" in str(show_progress())


@pytest.fixture
def new_run(monkeypatch):
    """Let the test begin like a Python that was started anew."""
    monkeypatch.setattr(journal, "_NOTED", [])


@pytest.mark.usefixtures("new_run")
def test_a_run_lists_what_it_checked_whatever_the_file_holds(own_journal):
    own_journal.write_text('{"lesson": "start_here", "exercise": "mean_square", "state": "passed"}')
    assert "mean_square" not in str(show_progress(this_run=True))
    mean_square.check(lambda x: x[0])
    mean_square.check(stub)
    _, *rows = str(show_progress(this_run=True)).splitlines()
    assert [row.split(maxsplit=2) for row in rows] == [["start_here", "mean_square", "not yet"]]
    assert "passed" in str(show_progress())
    reset_progress()
    assert states(this_run=True) == {}


def test_what_runs_beside_the_tests_leaves_the_journal_of_the_reader_alone(monkeypatch):
    monkeypatch.undo()
    assert journal.path().is_relative_to(tempfile.gettempdir())


def test_a_stub_is_not_noted():
    mean_square.check(stub)
    assert states() == {}


def test_what_has_passed_stays_passed():
    for state in ("not yet", "passed", "not yet"):
        note("tracing", "Gain", state)
    assert states() == {("tracing", "Gain"): "passed"}


def test_reset_begins_anew_and_keeps_the_old_file(own_journal):
    note("tracing", "Gain", "passed")
    reset_progress()
    assert states() == {}
    assert "Gain" in own_journal.with_name("journal.jsonl.old").read_text()
    reset_progress()


@pytest.mark.parametrize(
    "damage", [b"", b"\xff\xfe", b"{", b"[]", b"null", b'{"lesson": 1}', b"\x00" * 50]
)
def test_a_damaged_file_loses_only_the_damage(own_journal, damage):
    note("tracing", "Gain", "passed")
    with own_journal.open("ab") as journal:
        journal.write(damage)
    note("tracing", "read_back", "not yet")
    assert states() == {("tracing", "Gain"): "passed", ("tracing", "read_back"): "not yet"}


@pytest.mark.parametrize("obstacle", ["a file as the folder", "a folder as the file"])
def test_where_nothing_can_be_written_it_is_said_once(tmp_path, monkeypatch, capsys, obstacle):
    place = tmp_path / "blocked"
    place.mkdir() if obstacle.startswith("a folder") else place.write_text("in the way")
    target = place if obstacle.startswith("a folder") else place / "journal.jsonl"
    monkeypatch.setenv("TRACED_JOURNAL", str(target))
    assert mean_square.check(solution).state == "passed"
    reset_progress()
    assert "not attempted" in str(show_progress())
    mean_square.check(solution)
    (line,) = capsys.readouterr().err.splitlines()
    reason = "not a directory|file exists|is a directory"
    assert re.fullmatch(f"progress is not kept: {place}.* cannot be written: ({reason})", line)


def test_two_notebooks_at_once_lose_nothing(own_journal):
    code = (
        "from traced.course.journal import note\n"
        "for i in range(200): note('t', '{}' + str(i), 'passed')"
    )
    runs = [subprocess.Popen([sys.executable, "-c", code.format(name)]) for name in "ab"]
    assert [run.wait() for run in runs] == [0, 0]
    assert len(states()) == 400
    assert all(json.loads(line) for line in own_journal.read_text().split("\n") if line)
