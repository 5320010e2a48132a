"""Branches and loops under `vmap`, drawn."""

import re

import jax.numpy as jnp
import pytest
from jax import lax

from tests.drawing.twins import assert_twins
from traced.show import show_batched

EVIL = "</style><script>alert(1)</script>"


def choose(x):
    return lax.cond(x > 0, jnp.sqrt, lambda x: x * 2, x)


def grow(x):
    return lax.while_loop(lambda x: x < 100, lambda x: x * 2, x)


def pick(i, x):
    return lax.switch(i, [lambda x, n=n: x + n for n in range(9)], x)


def tree(d):
    return lax.cond(d[EVIL].sum() > 0, lambda d: d, lambda d: {EVIL: 2 * d[EVIL]}, d)


def texts(picture):
    """Return what is written in the drawing."""
    return re.findall(r"<text[^>]*>([^<]*)<", picture.svg)


def test_what_is_thrown_away_is_dashed_and_counted():
    picture = show_batched(choose, jnp.array([-1.0, 1.0, 4.0]))
    assert texts(picture).count("✗ thrown away") == texts(picture).count("kept") == 3
    assert len(re.findall(r'<rect[^>]*class="red gone"', picture.svg)) == 3
    assert str(picture).splitlines() == [
        "example  x   predicate  if True: sqrt       if False: mul",
        "0        -1  False      ✗ thrown away: nan  -2, kept",
        "1        1   True       1, kept             ✗ thrown away: 2",
        "2        4   True       2, kept             ✗ thrown away: 8",
        "3 of 6 results are thrown away",
    ]


def test_one_answer_for_the_whole_batch_throws_nothing_away():
    x = jnp.arange(3.0)
    picture = show_batched(pick, 1, x, in_axes=(None, 0))
    assert "✗" not in picture.svg + str(picture)
    picture = show_batched(
        lambda x, on: lax.cond(on, jnp.sin, jnp.cos, x), x, True, in_axes=(0, None)
    )
    assert {"if True · run for all 3", "if False · not run"} <= {*texts(picture)}
    assert "one branch runs" in str(picture)
    assert "red" not in re.findall(r'class="(\w+)', picture.svg)


def test_a_round_is_a_block_that_is_dashed_when_its_example_is_done():
    picture = show_batched(grow, jnp.array([13, 1, 30]))
    assert len(re.findall(r'<rect[^>]*height="18"[^>]*class="amber"', picture.svg)) == 12
    assert len(re.findall(r'<rect[^>]*height="18"[^>]*class="red gone"', picture.svg)) == 9
    assert texts(picture)[-1] == "3 + 7 + 2 = 12 rounds needed, 21 run"


def test_many_rounds_are_drawn_to_scale():
    picture = show_batched(grow, jnp.array([1e-9, 1.0]))
    assert "37 rounds, to scale" in texts(picture)
    widths = re.findall(r'width="([\d.]+)" height="18"[^>]*class="amber"', picture.svg)
    assert float(widths[1]) / float(widths[0]) == pytest.approx(7 / 37, rel=1e-3)


def test_of_many_examples_some_are_left_out():
    picture = show_batched(choose, jnp.arange(100.0))
    assert "… 91 more examples …" in texts(picture)
    assert picture.svg.count("<g><rect") < 40


def test_of_many_branches_the_selected_ones_are_drawn():
    picture = show_batched(pick, jnp.array([0, 8]), 1.0, in_axes=(0, None))
    assert {"branch 0", "branch 8", "8 others"} <= {*texts(picture)}
    assert "16 of 18 results" in str(picture)


def test_several_are_said_and_none_too():
    assert "1 more" in str(show_batched(lambda x: choose(x) + grow(x + 1), jnp.arange(2.0)))
    assert "no cond, switch or while_loop" in str(show_batched(jnp.sin, jnp.arange(2.0)))


@pytest.mark.parametrize("f", [choose, grow])
def test_text_and_html_have_the_same_facts(f):
    picture = show_batched(f, jnp.arange(5.0) + 0.5)
    assert_twins(picture)
    assert picture == show_batched(f, jnp.arange(5.0) + 0.5)


def test_a_name_in_a_tree_stays_text():
    picture = show_batched(tree, {EVIL: jnp.ones((2, 3))})
    assert_twins(picture)
    assert "<script" not in picture.html + picture.svg
