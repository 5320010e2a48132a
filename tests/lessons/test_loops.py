"""The exercises of 07_loops."""

import pytest

from tests.lessons import loops as answers
from tests.lessons.exercises import TestExercises
from traced.lessons import loops as ex

__all__ = ["TestExercises"]


pytestmark = pytest.mark.usefixtures("as_readers_have_it")


def test_a_derivative_that_does_not_know_what_is_closed_over_has_a_line():
    finding = ex.bounded_while.check(answers.derivative_of_its_own).finding
    (place,) = finding.where
    assert place.source == "return run(state)"
    assert "closes over" in finding.rule
