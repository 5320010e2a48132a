"""The exercises of 07_loops."""

import jax
import pytest

from tests.lessons import loops as answers
from tests.lessons.exercises import TestExercises
from traced.lessons import loops as ex

__all__ = ["TestExercises"]


@pytest.fixture(autouse=True)
def as_readers_have_it(strictness):
    """Promote dtypes and ranks as JAX does by default: an answer is no part of the package."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield


def test_a_derivative_that_does_not_know_what_is_closed_over_has_a_line():
    finding = ex.bounded_while.check(answers.derivative_of_its_own).finding
    (place,) = finding.where
    assert place.source == "return run(state)"
    assert "closes over" in finding.rule
