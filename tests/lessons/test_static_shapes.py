"""The exercises of 05_static_shapes."""

import pytest

from tests.lessons import static_shapes as answers
from tests.lessons.exercises import TestExercises
from traced.lessons import static_shapes as ex

__all__ = ["TestExercises"]


READ = "05_static_shapes, “`size=` settles a length that values cannot”"


@pytest.mark.parametrize("name", ["fill_forgotten", "fill_of_minus_one_counted_back"])
def test_a_filling_that_was_counted_back_is_told(name):
    finding = ex.positions.check(getattr(answers, name)).finding
    assert "filling" in finding.rule
    assert finding.read == READ


@pytest.mark.parametrize("name", ["finite_ones", "above_a_rounding"])
def test_of_a_wrong_position_the_filling_is_not_blamed(name):
    assert ex.positions.check(getattr(answers, name)).finding.read != READ


@pytest.mark.parametrize("name", ["padding_in_the_maximum", "zeros_taken_for_padding"])
def test_of_a_lost_exponential_no_derivative_is_told(name):
    finding = ex.log_total.check(getattr(answers, name)).finding
    assert finding.read == "05_static_shapes, “Each new length is a compilation”"
