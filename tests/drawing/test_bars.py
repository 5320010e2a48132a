"""Bars: drawn with their numbers where these were counted, an image where they were measured."""

import io

import matplotlib.image
import pytest

from traced.drawing.bars import MOST, Strip, plot_bars, strips_png


def test_what_was_measured_has_no_number_in_its_text():
    picture = plot_bars({"jit": 0.012345, "eager": 1.5}, "seconds", measured=True)
    assert str(picture) == "seconds, from the least to the most: jit < eager"
    assert picture._repr_html_() is None
    assert picture._repr_png_().startswith(b"\x89PNG")


def test_the_order_of_what_is_close_is_not_told():
    sizes = {"loop": 900.0, "step": 6.0, "bulk": 2.0}
    text = str(plot_bars(sizes, "seconds", measured=True, apart=20))
    assert text == "seconds, from the least to the most: step, bulk < loop"
    assert str(plot_bars(sizes, "seconds", measured=True)).endswith("bulk < step < loop")


def test_what_was_counted_has_its_numbers_in_the_drawing_and_in_the_text():
    picture = plot_bars({"where": 3, "cond": 88}, "operations")
    assert str(picture).splitlines()[1:] == ["where  3", "cond   88"]
    assert ">88<" in picture.svg
    assert picture._repr_png_() is None


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
    assert strips_png([Strip("$x^$ <b>", (("teal", 1.0),), "$y$")], "$z$")


@pytest.mark.parametrize("count", [1, 12])
def test_an_image_grows_with_its_strips(count):
    image = strips_png([Strip(f"f({i})", (("teal", 1.0),)) for i in range(count)], "seconds")
    height, width, _ = matplotlib.image.imread(io.BytesIO(image)).shape
    assert (width, height > 36 * count) == (770, True)


def test_nothing_that_takes_no_time_fails():
    assert plot_bars({"a": 0, "b": 0}, "rounds").svg
    assert strips_png([Strip("a", ())], "seconds")
