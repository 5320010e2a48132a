"""A loop as a belt: what is drawn of its rounds."""

import re

import jax.numpy as jnp
import pytest

from traced.show import show_fori_loop, show_scan, show_while_loop


def texts(picture):
    """Return all texts of a drawing, in the order in which they are drawn."""
    return [each for each in re.findall(r"<text[^>]*>([^<]*)</text>", picture.svg) if each]


def add(total, x):
    return total + x, 2 * x


def test_the_numbers_of_the_run_are_drawn_and_what_happens_is_said():
    drawn = texts(show_scan(add, 0, jnp.array([4, 5])))
    assert {"x[0]", "4", "x[1]", "5", "y[0]", "8", "y[1]", "10", "9"} < set(drawn)
    assert drawn.count("add") == 2
    assert drawn[-2:] == [
        "one body in the trace, run twice",
        "the outputs are stacked into i32[2]",
    ]


def test_of_a_long_loop_the_ends_are_drawn_and_the_rounds_between_are_counted():
    drawn = texts(show_scan(add, 0, jnp.arange(100)))
    assert [each for each in drawn if "round" in each] == [
        "round 1",
        "round 2",
        "97 rounds",
        "round 100",
    ]


def test_where_texts_are_wide_fewer_rounds_are_drawn():
    drawn = texts(show_scan(lambda c, x: (c, c), jnp.ones(3) / 3, jnp.arange(4)))
    assert [each for each in drawn if "round" in each] == ["round 1", "2 rounds", "round 4"]


def places(picture, text):
    """Return how far to the right a text is drawn, each time."""
    return [
        float(x) for x in re.findall(rf'<text x="([^"]+)"[^>]*>{re.escape(text)}<', picture.svg)
    ]


@pytest.mark.parametrize("backward", [False, True])
def test_a_reversed_scan_runs_from_right_to_left(backward):
    picture = show_scan(add, 0, jnp.array([4, 5, 6]), reverse=backward)
    x = [places(picture, f"x[{i}]")[0] for i in range(3)]
    rounds = [places(picture, f"round {i}")[0] for i in (1, 2, 3)]
    assert x == sorted(x)
    assert rounds == x[:: -1 if backward else 1]
    assert ("right to left" in picture.svg) == backward


def test_the_condition_is_asked_once_more_than_the_body_runs():
    drawn = texts(show_while_loop(lambda n: n < 5, lambda n: 2 * n, 1))
    assert (drawn.count("True"), drawn.count("False")) == (3, 1)
    assert "the condition is asked before each round: 4 times" in drawn


def test_a_loop_that_does_not_end_says_so():
    picture = show_while_loop(lambda n: n >= 0, lambda n: n * 1, 0)
    assert "✗ not ended" in texts(picture)
    assert "False" not in texts(picture)


def test_a_loop_without_a_round_has_a_table_only():
    assert show_fori_loop(2, 1, lambda i, c: c, 0).svg is None
    assert show_scan(add, 0, jnp.arange(0)).svg is None
    assert show_while_loop(lambda n: n < 0, lambda n: n, 0).svg is None


def test_only_a_scan_stacks_what_the_body_gives_out():
    assert "stacked" not in show_fori_loop(0, 3, lambda i, c: c + i, 0).svg
    assert "stacked" not in show_scan(lambda c, x: (c, None), 0, jnp.arange(3)).svg
    assert "f32[3,2]" in show_scan(lambda c, x: (c, jnp.ones(2)), 0, jnp.arange(3)).svg


def test_a_body_is_called_by_its_name_if_it_has_one():
    assert "body" in texts(show_scan(lambda c, x: (c, x), 0, jnp.arange(3)))
    assert "add" in texts(show_scan(add, 0, jnp.arange(3)))
