"""A limit follows the work done: a busy machine and many cores change no verdict."""

import os
import time

import pytest

from traced.findings.feedback import Found
from traced.running import attempt as module
from traced.running import clocks
from traced.running.attempt import attempt
from traced.running.clocks import Meter, Reading


def spent_after(seconds, **rates):
    """Return what a meter that is read each second says, of clocks that go at these rates."""
    rates = {"wall": 1.0, "process": 0.0, "thread": 0.0, "queued": 0.0} | rates
    meter = Meter(Reading(0, 0, 0, rates["queued"] and 0))
    for second in range(1, seconds + 1):
        meter.read(Reading(**{name: rate and rate * second for name, rate in rates.items()}))
    return meter.spent


@pytest.mark.parametrize(
    ("rates", "spent"),
    [
        ({"process": 1.0, "thread": 1.0}, 40),  # alone on the machine
        ({"process": 64.0, "thread": 0.5, "queued": 1.0}, 20),  # with XLA's threads, on 64 cores
        ({"process": 0.125, "thread": 0.125, "queued": 0.875}, 5),  # a machine loaded eightfold
        ({"process": 0.05, "thread": 0.05, "queued": 0.95}, 2),  # twenty kernels for one core
        ({"process": 0.05, "thread": 0.05, "queued": None}, 2),  # the same where nobody tells
        ({}, 40),  # asleep
        ({"queued": None}, 40),  # asleep where nobody tells
        ({"process": 0.001, "queued": 0.001}, 40),  # asleep, while the kernel's heart beats
        ({"process": 1.0}, 40 / 3),  # XLA works, and the thread waits for it
    ],
)
def test_what_is_spent_is_work_or_waiting_and_no_queue(rates, spent):
    assert spent_after(40, **rates) == pytest.approx(spent, rel=0.1)


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.3)


def finding(call):
    with pytest.raises(Found) as caught:
        attempt(call)
    return caught.value.finding.code


def waits_for_input():
    end, _ = os.pipe()
    return os.read(end, 1)


def looks_again_and_again():
    while True:
        time.sleep(0.02)


@pytest.mark.parametrize("call", [lambda: time.sleep(60), looks_again_and_again, waits_for_input])
@pytest.mark.parametrize("told", [True, False])
def test_what_sleeps_or_waits_for_input_is_stopped(soon, monkeypatch, told, call):
    if not told:
        monkeypatch.setattr(clocks, "_queued", lambda: None)
    assert finding(call) == "runs/too-long"


def works(seconds):
    def call():
        start = time.thread_time()
        while time.thread_time() - start < seconds:
            pass
        return "done"

    return call


def test_what_waits_for_a_processor_is_not_stopped(soon, monkeypatch):
    def busy():
        worked = time.thread_time()
        return Reading(wall=8 * worked, process=worked, thread=worked, queued=7 * worked)

    monkeypatch.setattr(module.Reading, "now", busy)
    assert attempt(works(0.1)) == "done"
    assert finding(works(60)) == "runs/too-long"
