"""An answer whose trace holds larger arrays than a question allows is told which, and where."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from traced import ask
from traced.questions import captures_at_most

W, TABLE, SMALL = jnp.ones(100), jnp.arange(100.0), np.arange(3.0, dtype="float32")
inner = jax.jit(lambda x: x * TABLE)


@pytest.mark.parametrize(
    ("question", "f"),
    [
        (captures_at_most(100, W), lambda x: x * 2),
        (captures_at_most(100, W), lambda x: x[:3] * SMALL),
        (captures_at_most(100, W, TABLE), lambda x, table: x * table),
        (captures_at_most(400, W), lambda x: x * TABLE),
    ],
)
def test_a_trace_that_holds_no_more_passes(question, f):
    assert ask(question, f).state == "passed"


@pytest.mark.parametrize(
    ("question", "f", "seen"),
    [
        (captures_at_most(100, W), lambda x: x * TABLE, "TABLE f32[100]"),
        (captures_at_most(100, W), lambda x: 1 + inner(x), "TABLE f32[100]"),
        (captures_at_most(9, W), lambda x: x[:3] * SMALL, "SMALL f32[3]"),
    ],
)
def test_one_that_holds_more_gets_its_finding(question, f, seen):
    finding = ask(question, f).finding
    assert finding.code == "cost/captured-array"
    assert finding.saw[0][1] == seen


def test_a_captured_array_is_found_where_it_is_read():
    (place,) = ask(captures_at_most(100, W), lambda x: 1 + inner(x)).finding.where
    assert place.source == "inner = jax.jit(lambda x: x * TABLE)"
