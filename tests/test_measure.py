"""Prove that a sweep is recorded, goes on where it was left, and is shown as it is recorded."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import measure
import pytest
import write_measured

from traced.modules.step_ways import WAYS
from traced.modules.sweeps import MEASURED, Cell, Sweep, read_sweep

ROOT = Path(__file__).parents[1]
TINY = measure.Plan(widths=(4,), modules=(1,), rounds=3, seconds=0.001, least_calls=1)


@pytest.fixture
def quick_ways(monkeypatch):
    """Compile nothing: each way is a function that returns a number."""
    names = [*WAYS, measure.BASE]
    monkeypatch.setattr(measure, "make_ways", lambda *size: {name: lambda: 1.0 for name in names})


def ignore(label, done):
    """Show no progress."""


def run(folder, *arguments):
    command = [sys.executable, "docs/measure.py", "--folder", str(folder), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("path", sorted(MEASURED.glob("*.json")), ids=lambda path: path.stem)
def test_a_record_of_the_repository_says_what_it_was_made_with(path):
    sweep = read_sweep(path.stem)
    assert path.stem == measure.name_of(sweep)
    assert {"jax", "flax", "python"} <= set(sweep.versions)
    assert {"processor", "cores", "device"} <= set(sweep.machine)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", sweep.date)
    measured = [cell for cell in sweep.cells if cell.rounds]
    assert measured
    for cell in measured:
        assert list(cell.seconds) == [*WAYS, measure.BASE]
        assert {len(seconds) for seconds in cell.seconds.values()} == {cell.rounds}


def test_the_repository_has_a_record():
    assert list(MEASURED.glob("*.json"))


@pytest.mark.seen_once
def test_the_page_shows_the_records():
    assert write_measured.PAGE.read_text("utf-8") == write_measured.page()


@pytest.mark.seen_once
def test_the_newest_release_comes_first_and_each_record_says_its_own(tmp_path, monkeypatch):
    text = sorted(MEASURED.glob("*.json"))[0].read_text("utf-8")
    jax = json.loads(text)["versions"]["jax"]
    for release in ("0.9.1", "0.10.2", "0.12.0.1"):
        record = text.replace(f'"jax": "{jax}"', f'"jax": "{release}"')
        (tmp_path / f"abacus-jax-{release}.json").write_text(record, "utf-8")
    monkeypatch.setattr(write_measured, "MEASURED", tmp_path)
    titles = re.findall("(?m)^## .*$", write_measured.page())
    assert [title.split("JAX ")[1] for title in titles] == ["0.12.0.1", "0.10.2", "0.9.1"]


def test_the_page_has_the_median_and_how_far_it_scatters(monkeypatch):
    seconds = {name: [2.0, 2.0, 9.0] for name in WAYS} | {"plain JAX": [1.0, 2.0, 3.0]}
    machine = {"device": "abacus", "processor": "beads", "cores": 2, "system": "wood"}
    plan = {"batch": 1, "rounds": 3, "widths": [8], "modules": [2]}
    sweep = Sweep(machine, {"jax": "0.1"}, "2026-01-01", plan, [Cell(8, 2, True, 1, seconds)])
    monkeypatch.setattr(write_measured, "sweeps", lambda: {"abacus": sweep})
    page = write_measured.page()
    assert "## abacus, JAX 0.1" in page
    assert "2 cores of beads, wood; measured on 2026-01-01 with jax 0.1" in page
    assert "### 2 layers, each loss waited for" in page
    assert page.count(">2 (1–3)<") == len(WAYS)
    assert "by width: 1000000 µs at 8." in page
    assert "no loss waited for\n" not in page


@pytest.mark.seen_once
def test_a_quick_sweep_measures_every_way_and_shows_the_medians(tmp_path):
    result = run(tmp_path, "--quick")
    assert result.returncode == 0, result.stderr
    (path,) = tmp_path.glob("*.json")
    sweep = read_sweep(path.stem, tmp_path)
    sizes = [(cell.width, cell.modules, cell.waiting) for cell in sweep.cells]
    assert len(set(sizes)) == len(sizes) == 8
    assert all(list(cell.seconds) == [*WAYS, measure.BASE] for cell in sweep.cells)
    assert {cell.rounds for cell in sweep.cells} == {2}
    for way in WAYS:
        assert way in result.stdout


def test_a_sweep_goes_on_where_it_was_left(tmp_path, quick_ways):
    sweep, path = measure.begin(TINY, tmp_path, again=False), tmp_path / "record.json"

    def interrupt(label, done):
        if sum(cell.rounds for cell in sweep.cells) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure.measure(sweep, TINY, path, interrupt)
    left = read_sweep("record", tmp_path)
    assert [cell.rounds for cell in left.cells] == [2, 0]
    measure.measure(left, TINY, path, ignore)
    whole = read_sweep("record", tmp_path)
    assert [cell.rounds for cell in whole.cells] == [3, 3]
    assert whole.cells[0].seconds["nnx.jit"][:2] == left.cells[0].seconds["nnx.jit"][:2]


def test_a_complete_record_is_not_measured_again(tmp_path, quick_ways):
    sweep, path = measure.begin(TINY, tmp_path, again=False), tmp_path / "record.json"
    measure.measure(sweep, TINY, path, ignore)
    before = path.read_bytes()
    measure.measure(read_sweep("record", tmp_path), TINY, path, ignore)
    assert path.read_bytes() == before


@pytest.mark.parametrize("what", ["machine", "versions", "plan"])
def test_a_record_of_something_else_is_kept_unless_it_may_be_replaced(tmp_path, what):
    sweep = measure.begin(TINY, tmp_path, again=False)
    path = tmp_path / f"{measure.name_of(sweep)}.json"
    getattr(sweep, what)["cores"] = 1000
    sweep.write(path)
    with pytest.raises(SystemExit, match=rf"has another {what[:6]}.*ARGS=--again replaces it"):
        measure.begin(TINY, tmp_path, again=False)
    assert measure.begin(TINY, tmp_path, again=True).cells == []


def test_what_does_not_fit_into_memory_is_left_out():
    assert (2048, 2) in list(measure.FULL.grid(2e9))
    assert (2048, 32) not in list(measure.FULL.grid(2e9))
    assert list(measure.FULL.grid(1)) == []


def test_ctrl_c_ends_it_in_one_line_and_the_record_is_sound(tmp_path):
    command = [sys.executable, "docs/measure.py", "--folder", str(tmp_path)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        deadline = time.monotonic() + 240
        while not list(tmp_path.glob("*.json")) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        try:
            output = process.communicate(timeout=60)[0]
        finally:
            process.kill()
    assert process.returncode == 0, output
    assert "Traceback" not in output
    # A long name of a processor breaks the line.
    assert "the same command goes on from there" in " ".join(output.split())
    (path,) = tmp_path.glob("*.json")
    assert json.loads(path.read_text())["cells"][0]["seconds"]


def press_and_raise_another():
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    raise ValueError("Cache keys should be comparable using __eq__.")


def press_and_go_on():
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("press", [press_and_raise_another, press_and_go_on])
def test_ctrl_c_is_known_where_jax_makes_another_error_of_it_or_none(
    press, tmp_path, monkeypatch, capsys
):
    ticks = []

    def one_round(sweep, plan, path, tick):
        press()
        tick("width 8", 1)
        ticks.append("a second round began")

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(measure, "measure", one_round)
    assert measure.main(["--folder", str(tmp_path)]) == 0
    assert "the same command goes on from there" in " ".join(capsys.readouterr().out.split())
    assert signal.getsignal(signal.SIGINT) is before
    assert ticks == []


def test_an_error_without_ctrl_c_is_raised(tmp_path, monkeypatch):
    def fails(*_):
        raise ValueError("too wide")

    monkeypatch.setattr(measure, "measure", fails)
    with pytest.raises(ValueError, match="too wide"):
        measure.main(["--folder", str(tmp_path)])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--fast"], "unrecognized arguments: --fast"),
        (["8"], "unrecognized arguments: 8"),
        (["--folder"], "argument --folder: expected one argument"),
    ],
)
def test_bad_arguments_are_named(arguments, complaint, capsys):
    with pytest.raises(SystemExit) as ended:
        measure.main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("usage: make measure ARGS=")
    assert complaint in said


@pytest.mark.skipif(shutil.which("make") is None, reason="this machine has no make")
@pytest.mark.parametrize(("given", "seen"), [({}, "unset"), ({"JAX_PLATFORMS": "cpu"}, "cpu")])
def test_make_measure_takes_any_device_unless_one_is_named(tmp_path, given, seen):
    for name in ("Makefile", "pyproject.toml", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / ".venv/here/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "${JAX_PLATFORMS-unset}" "$@"\n')
    python.chmod(0o755)
    (tmp_path / ".venv/here/.stamp").write_text(f"{tmp_path.resolve()}\n")
    names = ("JAX_PLATFORMS", "MAKEFLAGS", "MAKELEVEL", "ARGS")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    command = ["make", "VENV=.venv/here", "measure", "ARGS=--quick"]
    result = subprocess.run(
        command, cwd=tmp_path, env=kept | given, capture_output=True, text=True, check=True
    )
    assert result.stdout == f"{seen} docs/measure.py --quick\n"
