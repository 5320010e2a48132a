"""Questions about what values do not show; their findings are the pages of the field guide."""

import jax
import jax.numpy as jnp
import pytest

from traced import ask
from traced.hygiene import changes_nothing, derives_its_values, spends_each_key_once, stays_finite

KEY = jax.random.key(0)
seen = []


@pytest.mark.parametrize(
    ("question", "f"),
    [
        (spends_each_key_once(KEY), lambda key: jax.random.normal(key, (3,))),
        (spends_each_key_once(KEY), lambda key: jax.vmap(jax.random.normal)(jax.random.split(key))),
        (changes_nothing(jnp.ones(2)), jax.jit(lambda x: x + 1)),
        (changes_nothing([1.0]), lambda xs: [*xs, 2.0]),
        (derives_its_values(jnp.ones(3)), lambda x: jnp.sum(jnp.tanh(x))),
        (stays_finite(2.0), jax.grad(jnp.sqrt)),
    ],
)
def test_a_sound_function_passes(question, f):
    assert ask(question, f).state == "passed"


@pytest.mark.parametrize(
    ("question", "f", "code"),
    [
        (
            spends_each_key_once(KEY),
            lambda key: jax.random.normal(key) + jax.random.uniform(key),
            "keys/reused",
        ),
        (changes_nothing(1.0), jax.jit(lambda x: seen.append(1)), "effects/write"),
        (changes_nothing(1.0), lambda x: print(x), "effects/write"),
        (derives_its_values(1.3), lambda x: jnp.round(x) + jnp.floor(3 * x), "derivatives/wrong"),
        (stays_finite(0.0), jax.grad(jnp.sqrt), "value/nan"),
        (stays_finite(0.0), lambda x: float("x"), "runs/raised"),
    ],
)
def test_an_unsound_one_gets_its_finding(question, f, code):
    feedback = ask(question, f)
    assert feedback.finding is not None, feedback
    assert feedback.finding.code == code


def test_a_reused_key_has_two_places():
    def draw(key):
        first = jax.random.normal(key)
        return first + jax.random.normal(key)

    finding = ask(spends_each_key_once(KEY), draw).finding
    assert [place.note for place in finding.where] == ["first use", "second use"]
    assert [place.source for place in finding.where] == [
        "first = jax.random.normal(key)",
        "return first + jax.random.normal(key)",
    ]


def test_what_was_asked_about_is_left_as_it_was():
    before = list(seen)
    ask(changes_nothing(1.0), lambda x: seen.append(1))
    assert seen == before
