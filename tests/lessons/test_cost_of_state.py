"""The exercises of 14_cost_of_state."""

import pytest

from tests.lessons import cost_of_state as answers
from tests.lessons.exercises import TestExercises
from traced.lessons import cost_of_state as ex

__all__ = ["TestExercises"]


pytestmark = pytest.mark.usefixtures("as_readers_have_it")


def test_a_loss_that_was_not_read_is_an_array_of_jax():
    finding = ex.train.check(answers.unread).finding
    assert dict(finding.saw)["got"] == "jax.Array"


def test_who_stops_at_a_nan_is_told_that_there_is_one():
    for stops in (answers.stops_at_nan, answers.raises_at_nan):
        finding = ex.train.check(stops).finding
        assert "number 3 and 4 are NaN" in dict(finding.saw)["given"]


def test_where_the_best_parameters_are_others_the_losses_are_shown():
    saw = dict(ex.train_all.check(answers.nothing_above_ten).finding.saw)
    assert saw["losses"].count(",") == 4


def test_whoever_updates_copies_is_told_of_the_update():
    assert "`nnx.update`" in ex.train_all.check(answers.updated_as_copies).finding.rule
