"""What is timed, in which order, and what the ratios say."""

import time

import jax
import pytest

from traced.programs.timings import Spread, Timings, measure_times, time_round


class Result:
    """Counts how often somebody waits for it."""

    def __init__(self):
        self.waited = 0

    def block_until_ready(self):
        self.waited += 1


def test_the_ways_take_turns_and_each_is_first_once():
    order = []
    ways = {name: lambda name=name: order.append(name) for name in "abc"}
    measure_times(ways, rounds=3, calls=2)
    assert "".join(order) == "abc" + "aabbcc" + "bbccaa" + "ccaabb"


@pytest.mark.parametrize(("wait", "waited"), [(False, 1), (True, 5)])
def test_the_clock_stops_when_the_last_result_is_there(wait, waited):
    result = Result()
    time_round({"a": lambda: result}, 0, calls=4, wait=wait)
    assert result.waited == waited


def test_a_first_call_is_not_counted():
    first = [0.3]

    def compiles_once():
        time.sleep(first.pop() if first else 0.001)

    timings = measure_times({"a": compiles_once}, rounds=2, calls=2)
    assert timings.best["a"] < 0.1


def test_the_time_is_that_of_one_call():
    seconds = time_round({"a": lambda: time.sleep(0.01)}, 0, calls=5, wait=False)["a"]
    assert 0.01 <= seconds < 0.05


def test_ratios_are_taken_within_a_round():
    # A machine that gets ten times slower in its second round.
    timings = Timings({"a": [2.0, 20.0, 4.0], "b": [1.0, 10.0, 1.0]})
    assert timings.ratios("b") == {"a": Spread(2.0, 2.0, 4.0), "b": Spread(1.0, 1.0, 1.0)}
    assert timings.best == {"a": 2.0, "b": 1.0}


def test_compiled_and_eager_work_can_be_timed():
    x = jax.numpy.ones(3)
    timings = measure_times({"jit": lambda: jax.jit(jax.numpy.sin)(x), "eager": lambda: x * x})
    assert all(seconds > 0 for rounds in timings.seconds.values() for seconds in rounds)


@pytest.mark.parametrize(
    ("ways", "numbers", "complaint"),
    [
        ({}, {}, "`ways` must not be empty"),
        ({"a": int}, {"rounds": 0}, "must be 1 or more, got 0 and 20"),
        ({"a": int}, {"calls": -1}, "must be 1 or more, got 5 and -1"),
    ],
)
def test_nothing_to_measure_is_an_error(ways, numbers, complaint):
    with pytest.raises(ValueError, match=complaint):
        measure_times(ways, **numbers)


def test_an_unknown_base_is_an_error():
    with pytest.raises(KeyError):
        Timings({"a": [1.0]}).ratios("b")
