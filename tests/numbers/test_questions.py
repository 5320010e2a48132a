"""The derivatives of a function, and where NaN begins."""

import jax
import jax.numpy as jnp
import pytest

from traced import ask
from traced.questions import derives_its_values, stays_finite


@pytest.mark.parametrize(
    ("question", "f"),
    [
        (derives_its_values(jnp.ones(3)), lambda x: jnp.sum(jnp.tanh(x))),
        (stays_finite(2.0), jax.grad(jnp.sqrt)),
    ],
)
def test_a_sound_function_passes(question, f):
    assert ask(question, f).state == "passed"


@pytest.mark.parametrize(
    ("question", "f", "code"),
    [
        (derives_its_values(1.3), lambda x: jnp.round(x) + jnp.floor(3 * x), "derivatives/wrong"),
        (stays_finite(0.0), jax.grad(jnp.sqrt), "value/nan"),
        (stays_finite(0.0), lambda x: float("x"), "runs/raised"),
    ],
)
def test_an_unsound_one_gets_its_finding(question, f, code):
    assert ask(question, f).finding.code == code


@pytest.mark.parametrize("question", [derives_its_values, stays_finite])
def test_an_argument_without_values_is_named(question):
    feedback = ask(question(jax.ShapeDtypeStruct((3,), "float32")), lambda x: 2 * x)
    assert feedback.state == "not yet"
    assert "`x` must be an array, got a ShapeDtypeStruct" in str(feedback)
