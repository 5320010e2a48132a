"""Programs in several processes: what they print, and how they end. These do not need JAX."""

import re

import pytest

from tests.drawing.twins import assert_twins
from traced.devices.processes import run_processes
from traced.show import show_processes


def greet(address, count, process):
    import os
    from pathlib import Path

    host, port = address.split(":")
    print("[Gloo] Rank 0 is connected")
    print(f"{process} of {count} at {host}", int(port) > 0, os.environ["JAX_PLATFORMS"])
    Path("here.txt").write_text(str(process))


def fail(address, count, process):
    import os
    import signal

    print("one" * 40)
    if process == 0:
        raise ValueError("no rows. None at all.")
    os.kill(os.getpid(), signal.SIGKILL)


def sleep(address, count, process):
    import time

    print("going to sleep")
    time.sleep(600 * process)


def test_each_process_has_its_number_and_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HTTP_PROXY", "http://nowhere")
    runs = run_processes(greet, 3)
    assert [run.lines for run in runs] == [(f"{i} of 3 at localhost True cpu",) for i in range(3)]
    assert {run.ended for run in runs} == {"exit 0"}
    assert list(tmp_path.iterdir()) == []


def test_a_process_may_be_missing():
    assert [run.process for run in run_processes(greet, 3, missing=[1])] == [0, 2]


def test_an_error_and_a_signal_are_told(monkeypatch):
    # As in a kernel of Jupyter, where Python 3.13 colours its tracebacks.
    monkeypatch.setenv("FORCE_COLOR", "1")
    one, other = run_processes(fail)
    assert (one.ended, one.error) == ("exit 1", "ValueError: no rows.")
    assert (other.ended, other.error) == ("killed by SIGKILL", "")


def test_what_goes_on_for_too_long_is_killed():
    # The first has time enough to start, on a busy machine too.
    one, other = run_processes(sleep, seconds=20)
    assert (one.ended, other.ended) == ("exit 0", "still waits")
    assert other.lines == ("going to sleep",)


@pytest.mark.parametrize("program", [greet, fail])
def test_the_picture_has_a_frame_for_each_process(program):
    picture = show_processes(program)
    assert picture.svg.count('rx="8" stroke-width="1.3"') == 2
    assert picture.svg.count("red line") == (2 if program is fail else 0)
    assert ("✗ ValueError: no rows." in str(picture)) == (program is fail)
    assert_twins(picture)


def say_little(address, count, process):
    print("yes")


def say_much(address, count, process):
    print("rows " * 20)


def sizes_of(picture):
    return [
        int(size) for size in re.findall(r'<svg [^>]*?width="(\d+)" height="(\d+)"', picture.svg)[0]
    ]


@pytest.mark.parametrize("program", [say_little, say_much])
def test_the_picture_fits_a_phone(program):
    (alone, low), (both, high) = (sizes_of(show_processes(program, n)) for n in (1, 2))
    assert both < 430  # it shrinks to 0.85 of that
    # Short lines are side by side, long ones below each other.
    assert (alone < both, low < high) == ((True, False) if program is say_little else (False, True))


def connect(address, count, process):
    peers = "is connected to 7 peer ranks. Expected number of connected peer ranks is : 7"
    print(f"[Gloo] Rank [Gloo] Rank 0 {peers}\n7 {peers}\n7 rows\n peer ranks. 7 7")


def test_the_lines_that_connect_processes_are_left_out_whichever_thread_was_first():
    assert run_processes(connect, 1)[0].lines == ("7 rows",)
