"""What a function does besides returning a value."""

import jax
import jax.numpy as jnp
import pytest

from traced import ask
from traced.questions import changes_nothing

seen = []


@pytest.mark.parametrize(
    ("args", "f"),
    [((jnp.ones(2),), jax.jit(lambda x: x + 1)), (([1.0],), lambda xs: [*xs, 2.0])],
)
def test_a_function_that_only_returns_passes(args, f):
    assert ask(changes_nothing(*args), f).state == "passed"


@pytest.mark.parametrize(
    ("f", "saw"),
    [
        (jax.jit(lambda x: seen.append(1)), ("global write", "seen")),
        (lambda x: print(x), ("output", "stdout")),
    ],
)
def test_what_else_it_does_is_a_finding(f, saw):
    finding = ask(changes_nothing(1.0), f).finding
    assert (finding.code, finding.saw) == ("effects/write", (saw,))


def test_a_leak_has_the_line_that_made_the_tracer_and_the_line_that_kept_it():
    @jax.jit
    def leaks(x):
        twice = 2 * x
        seen.append(twice)
        return twice

    finding = ask(changes_nothing(1.0), leaks).finding
    assert finding.code == "tracing/leaked"
    assert finding.saw == (("leaked tracer", "global seen[0]"),)
    assert [(place.source, place.note) for place in finding.where] == [
        ("twice = 2 * x", "made here"),
        ("seen.append(twice)", "stored here"),
    ]


def test_what_was_asked_about_is_left_as_it_was():
    before = list(seen)
    ask(changes_nothing(1.0), lambda x: seen.append(1))
    assert seen == before
