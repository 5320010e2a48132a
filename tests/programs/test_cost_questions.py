"""What a compiled program holds: donated buffers, captured arrays, intermediate ones."""

from functools import partial

import jax
import jax.numpy as jnp
import pytest

from traced import ask
from traced.questions import donates, needs_at_most

W = jnp.ones(100)
TREE = {"w": W, "b": jnp.ones(3)}
donated = partial(jax.jit, donate_argnames="w")


def spread(x):
    return jnp.sort(x[:, None] * x[None], axis=1)[:, 0]


@pytest.mark.parametrize(
    ("question", "f"),
    [
        (donates(W, W, argument="w"), donated(lambda w, g: w - g)),
        (donates(TREE, argument="w"), donated(lambda w: jax.tree.map(jnp.sin, w))),
        (needs_at_most(40_000, W), spread),
        (needs_at_most(1000, W), lambda x: (x[:, None] * x[None]).sum(axis=1)),
    ],
)
def test_a_program_that_holds_no_more_passes(question, f):
    assert ask(question, f).state == "passed"


@pytest.mark.parametrize(
    ("question", "f", "code", "seen"),
    [
        (donates(W, W, argument="g"), donated(lambda w, g: w - g), "cost/not-donated", "g"),
        (donates(W, argument="w"), donated(lambda w: w.sum()), "cost/not-donated", "w"),
        (
            donates(TREE, argument="w"),
            donated(lambda w: w | {"b": w["b"].sum()}),
            "cost/not-donated",
            "w['b']",
        ),
        (needs_at_most(1000, W), spread, "cost/memory", "40000"),
    ],
)
def test_one_that_holds_more_gets_its_finding(question, f, code, seen):
    finding = ask(question, f).finding
    assert finding.code == code
    assert finding.saw[0][1] == seen


def test_a_donation_of_no_use_is_told_from_none():
    finding = ask(donates(W, argument="w"), donated(lambda w: w.sum())).finding
    assert finding.saw[1:] == (("donated", "yes"), ("output", "none fits"))
    finding = ask(donates(W, argument="w"), lambda w: 2 * w).finding
    assert finding.saw[1:] == (("donated", "no"),)


def test_an_argument_that_is_none_is_named():
    with pytest.raises(ValueError, match="`argument` must be one of w, got v"):
        ask(donates(W, argument="v"), lambda w: w)
