"""The graph of a function's equations."""

import functools
import re

import jax
import jax.numpy as jnp

from tests.drawing.twins import assert_twins
from traced.show import show_dataflow

X = jnp.ones((4, 3))


def plain(x):
    jnp.sin(x)
    return 2 * x + 1


def texts(picture):
    """Return what is written in the drawing."""
    return re.findall(r"<text[^>]*>([^<]*)<", picture.svg)


def test_each_step_has_a_box_and_a_row():
    picture = show_dataflow(plain, X)
    for word in ("x", "sin", "2.0 mul", "add 1.0", "result", "f32[4,3] · dropped"):
        assert word in texts(picture)
    assert str(picture).splitlines()[-1] == "3 equations, 1 dropped, 2 in 1 fusion"
    assert "sin a  " in str(picture)


def test_what_is_dropped_is_dashed_and_what_is_fused_is_framed():
    svg = show_dataflow(plain, X).svg
    assert len(re.findall(r'<rect[^>]*class="grey gone"', svg)) == 1
    assert len(re.findall(r'<rect[^>]*class="amber line"', svg)) == 1
    assert "one fusion" not in texts(show_dataflow(lambda x: x @ x.T, X))


def test_a_line_leads_from_a_donated_argument_to_the_result_in_its_memory():
    step = functools.partial(jax.jit, donate_argnums=0)(lambda w, g: w - g)
    picture = show_dataflow(step, X, X)
    assert {"f32[4,3] · donated", "f32[4,3] · memory of w"} <= {*texts(picture)}
    assert len(re.findall(r'<path[^>]*class="teal line"', picture.svg)) == 1
    assert "donated: its memory goes to result" in str(picture)


def test_a_donation_in_vain_is_a_fault():
    step = functools.partial(jax.jit, donate_argnums=0)(lambda x: jnp.sum(x))
    picture = show_dataflow(step, X)
    assert "f32[4,3] · ✗ donated in vain" in texts(picture)
    assert "✗ no result takes its memory" in str(picture)


def test_a_long_program_says_what_is_left_out():
    def long(x, *others):
        for i in range(100):
            x = jnp.sin(x) * i
        return x, *others

    picture = show_dataflow(long, 1.0, *range(10))
    assert picture.svg.count("<g><rect") < 40
    assert "… 177 equations left out …" in texts(picture)
    assert {"… 6 more arguments", "… 6 more results"} <= {*texts(picture)}


def test_text_and_html_have_the_same_facts():
    evil = {"</style><script>alert(1)</script>": X}
    for make in (
        lambda: show_dataflow(lambda tree: {"<script>": jax.tree.leaves(tree)[0] + 1}, evil),
        lambda: show_dataflow(lambda: 3.0),
        lambda: show_dataflow(lambda x: x, 1),
        lambda: show_dataflow(lambda tree: jnp.sin(tree["値"]), {"値": X}),
    ):
        picture = make()
        assert_twins(picture)
        assert "<script" not in picture.html + picture.svg
        assert picture == make()
