"""The exercises of 09b_own_derivatives."""

import pytest

from tests.lessons import own_derivatives as answers
from tests.lessons.exercises import TestExercises
from traced.lessons import own_derivatives as ex

__all__ = ["TestExercises"]


@pytest.mark.parametrize(
    ("name", "headline"),
    [("as_one_scan", ""), ("each_step_again", "reverse mode keeps more than one carry")],
)
def test_what_the_steps_keep_is_told(name, headline):
    finding = ex.scan_in_blocks.check(getattr(answers, name)).finding
    assert finding.headline.startswith(headline)
    assert bool(finding.headline) == bool(headline)
