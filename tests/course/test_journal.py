"""Progress is kept, whatever happens to the file."""

import json
import subprocess
import sys

import pytest

from traced import reset_progress, show_progress
from traced.course.journal import note, states
from traced.lessons.start_here import mean_square
from traced.lessons.start_here.solutions.mean_square import mean_square as solution


def stub(x):
    raise NotImplementedError


def test_a_check_is_noted_and_shown():
    mean_square.check(solution)
    assert states() == {("start_here", "mean_square"): "passed"}
    (row,) = [line for line in str(show_progress()).splitlines() if "mean_square" in line]
    assert row.split() == ["start_here", "mean_square", "passed"]


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
def test_where_nothing_can_be_written_nothing_is_raised(tmp_path, monkeypatch, obstacle):
    place = tmp_path / "blocked"
    place.mkdir() if obstacle.startswith("a folder") else place.write_text("in the way")
    target = place if obstacle.startswith("a folder") else place / "journal.jsonl"
    monkeypatch.setenv("TRACED_JOURNAL", str(target))
    assert mean_square.check(solution).state == "passed"
    reset_progress()
    assert "not attempted" in str(show_progress())


def test_two_notebooks_at_once_lose_nothing(own_journal):
    code = (
        "from traced.course.journal import note\n"
        "for i in range(200): note('t', '{}' + str(i), 'passed')"
    )
    runs = [subprocess.Popen([sys.executable, "-c", code.format(name)]) for name in "ab"]
    assert [run.wait() for run in runs] == [0, 0]
    assert len(states()) == 400
    assert all(json.loads(line) for line in own_journal.read_text().split("\n") if line)
