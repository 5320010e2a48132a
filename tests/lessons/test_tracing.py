"""The exercises of 02_tracing."""

import pytest

from tests.lessons import tracing as answers
from tests.lessons.exercises import TestExercises
from traced.lessons import tracing as ex

__all__ = ["TestExercises"]


@pytest.mark.parametrize("name", ["list_jitted", "list_jitted_on_one_line"])
def test_a_generator_in_the_answer_is_no_argument_of_it(name):
    finding = ex.total_energy.check(getattr(answers, name)).finding
    assert dict(finding.saw)["again"] == "batches has 9 entries, had 3"


def test_of_two_static_arguments_the_one_at_fault_is_told():
    finding = ex.head_mean.check(answers.all_static).finding
    assert dict(finding.saw)["again"] == "scale is 2.0, was 0.5"


def test_a_length_without_a_value_leads_to_this_lesson():
    feedback = ex.head_mean.check(answers.nothing_static)
    assert "02_tracing, “A static argument puts its value into the key”" in str(feedback)


def test_a_frozen_class_is_told_what_the_check_changed():
    finding = ex.Gain.check(answers.Frozen).finding
    assert dict(finding.saw)["the check ran"] == "g.gain = 3.0"
    assert "frozen" in finding.rule
    assert finding.read == "02_tracing, “A method has one argument more than it shows”"
