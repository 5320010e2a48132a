"""The exercises of 06_branches."""

import pytest

from tests.lessons import branches as answers
from tests.lessons.exercises import TestExercises
from traced.lessons import branches as ex

__all__ = ["TestExercises"]

CHOSEN = "06_branches, “The derivative is that of the branch that was chosen”"


@pytest.mark.parametrize(
    ("given", "names"),
    [(answers.clip_as_given, "enabled"), (answers.one_branch_mended, "g, limit")],
)
def test_of_two_conditions_the_one_that_python_meets_is_told(given, names):
    finding = ex.clip_norm.check(given).finding
    assert dict(finding.saw)["depends on"] == names


def test_the_line_of_a_choice_that_python_could_have_made_is_told():
    (place,) = ex.clip_norm.check(answers.flag_traced).finding.where
    assert "jnp.where" in place.source


def test_a_special_case_with_another_slope_is_told_why():
    finding = ex.mean_exp.check(answers.one_at_zero).finding
    assert "special case" in finding.rule
    assert finding.read == CHOSEN


@pytest.mark.parametrize("given", [answers.series_at_zero_alone, answers.exp_less_one])
def test_digits_that_cancel_close_to_zero_are_not_laid_to_where(given):
    finding = ex.mean_exp.check(given).finding
    assert "digits cancel" in finding.rule
    assert finding.read == CHOSEN


def test_the_line_of_the_quotient_of_zeros_is_told():
    finding = ex.clip_norm.check(answers.direction_times_length).finding
    (place,) = finding.where
    assert "g / length" in place.source
    assert dict(finding.saw)["operation"].startswith("div")
