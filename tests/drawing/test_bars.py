"""Bars: compared where their numbers were counted, and not where they were measured."""

import re

import pytest

from traced.drawing.bars import MOST, Strip, draw_strips, plot_bars

KEY = {"amber": "compile", "teal": "run"}


def drawn(*strips):
    return draw_strips(strips, "milliseconds", "calls", "the calls", KEY).svg


def test_what_was_measured_has_no_number_in_its_text():
    picture = plot_bars({"jit": 0.012345, "eager": 1.5}, "seconds", measured=True)
    assert str(picture) == "seconds, from the least to the most: jit < eager"
    assert picture._repr_html_().startswith('<div class="traced measured">')
    assert ">0.0123<" in picture.svg
    assert "0.0123" not in picture._repr_html_().partition("<summary>")[2]


def test_the_order_of_what_is_close_is_not_told():
    sizes = {"loop": 900.0, "step": 6.0, "bulk": 2.0}
    text = str(plot_bars(sizes, "seconds", measured=True, apart=20))
    assert text == "seconds, from the least to the most: step, bulk < loop"
    assert str(plot_bars(sizes, "seconds", measured=True)).endswith("bulk < step < loop")


def test_what_was_counted_has_its_numbers_in_the_drawing_and_in_the_text():
    picture = plot_bars({"where": 3, "cond": 88}, "operations")
    assert str(picture).splitlines()[1:] == ["where  3", "cond   88"]
    assert ">88<" in picture.svg
    assert not picture.measured


def test_bars_are_to_scale():
    svg = plot_bars({"a": 1, "b": 4}, "rounds").svg
    widths = [float(part.split('"')[1]) for part in svg.split(" width=")[3:]]
    assert widths[1] == 4 * widths[0]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({}, "one to 12 numbers, got 0"),
        ({str(i): i for i in range(MOST + 1)}, "one to 12 numbers, got 13"),
        ({"a": -1}, "a is -1"),
        ({"a": float("nan")}, "a is nan"),
        ({"a": float("inf")}, "a is inf"),
    ],
)
def test_what_cannot_be_drawn_is_said(sizes, message):
    with pytest.raises(ValueError, match=message):
        plot_bars(sizes, "rounds")


def test_a_name_is_drawn_as_it_reads():
    assert "<script>" not in plot_bars({"<script>": 1}, "</svg>").svg
    assert "<b>" not in drawn(Strip("$x^$ <b>", (("teal", 1.0),), "</svg><b>"))


def test_what_was_measured_follows_light_and_dark():
    svg = drawn(Strip("f()", (("amber", 3.0), ("teal", 1.0))))
    assert "prefers-color-scheme:dark" in svg
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', svg)) == set()  # no colour of its own


def test_a_ruler_has_round_numbers():
    svg = drawn(Strip("f(1)", (("amber", 570.0), ("teal", 30.0))), Strip("f(2)", (("teal", 30.0),)))
    assert re.findall(r">([\d.]+)<", svg) == ["0", "200", "400", "600"]


@pytest.mark.parametrize("count", [1, 12])
def test_a_drawing_grows_with_its_strips(count):
    svg = drawn(*(Strip(f"f({i})", (("teal", 1.0),)) for i in range(count)))
    assert int(re.search(r'height="(\d+)"', svg)[1]) > 30 * count


def test_nothing_that_takes_no_time_fails():
    assert plot_bars({"a": 0, "b": 0}, "rounds").svg
    assert drawn(Strip("a", ()))
