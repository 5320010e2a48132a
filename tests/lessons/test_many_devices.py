"""The exercises of 15_many_devices."""

from tests.lessons import many_devices as answers
from tests.lessons.exercises import TestExercises
from traced.lessons import many_devices as ex

__all__ = ["TestExercises"]


def test_of_a_run_that_was_not_wanted_the_headline_speaks():
    feedback = ex.count_pieces.check(answers.arrays_are_run)
    assert "\n`f` was run, and not traced and compiled only\n" in str(feedback)
