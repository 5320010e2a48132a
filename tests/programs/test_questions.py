"""How many equations a function leaves, and which."""

import jax
import jax.numpy as jnp
import pytest

from traced import ask
from traced.questions import equations_like, grows_linearly, keeps_its_size


def vector(n):
    return (jnp.ones(n),)


def layers(n):
    return ([jnp.ones(2)] * n,)


def unrolled(xs):
    total = 0.0
    for x in xs:
        total = total + x
    return total


def in_blocks(xs):
    return [jnp.sum(xs[start : start + 40]) for start in range(0, len(xs), 40)]


def restarted(xs):
    return [sum(xs[: i + 1]) for i in range(len(xs))]


def halving(xs):
    while len(xs) > 1:
        xs = [a + b for a, b in zip(xs[::2], xs[1::2], strict=False)]
    return xs


@pytest.mark.parametrize(
    ("question", "f"),
    [
        (keeps_its_size(vector), jnp.sum),
        (keeps_its_size(vector), lambda x: jax.lax.scan(lambda c, y: (c + y, None), 0.0, x)),
        (grows_linearly(layers), unrolled),
        (grows_linearly(vector), jnp.cumsum),
        (equations_like(lambda x: 2 * x, 1.0), lambda y: 2 * y),
    ],
)
def test_a_trace_of_the_right_size_passes(question, f):
    assert ask(question, f).state == "passed"


@pytest.mark.parametrize(
    ("question", "f", "code"),
    [
        (keeps_its_size(vector), unrolled, "loops/unrolled"),
        (keeps_its_size(vector), in_blocks, "loops/unrolled"),
        (grows_linearly(layers), restarted, "loops/grows"),
        (grows_linearly(layers), halving, "loops/grows"),
        (equations_like(lambda x: 2 * x, 1.0), lambda x: x + x, "tracing/other-equations"),
        (
            equations_like(lambda x: 2 * x, 1.0),
            lambda x: (x + 1, 2 * x)[1],
            "tracing/dead-equation",
        ),
    ],
)
def test_any_other_gets_its_finding(question, f, code):
    assert ask(question, f).finding.code == code


def test_the_law_and_the_line_are_told():
    finding = ask(grows_linearly(layers), restarted).finding
    assert finding.saw[0] == ("law", "quadratic")
    assert finding.where[0].source == "return [sum(xs[: i + 1]) for i in range(len(xs))]"
