"""Whether a function uses a random key twice."""

import jax
import pytest

from traced import ask
from traced.questions import spends_each_key_once

KEY = jax.random.key(0)


@pytest.mark.parametrize(
    "f",
    [
        lambda key: jax.random.normal(key, (3,)),
        lambda key: jax.vmap(jax.random.normal)(jax.random.split(key)),
    ],
)
def test_a_key_that_is_used_once_passes(f):
    assert ask(spends_each_key_once(KEY), f).state == "passed"


def test_a_reused_key_has_two_places():
    def draw(key):
        first = jax.random.normal(key)
        return first + jax.random.normal(key)

    finding = ask(spends_each_key_once(KEY), draw).finding
    assert finding.code == "keys/reused"
    assert [place.note for place in finding.where] == ["first use", "second use"]
    assert [place.source for place in finding.where] == [
        "first = jax.random.normal(key)",
        "return first + jax.random.normal(key)",
    ]
