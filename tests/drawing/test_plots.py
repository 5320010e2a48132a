"""Plots of measurements, and the numbers beside them."""

import re
import subprocess
import sys
from html import escape
from itertools import pairwise

import jax
import jax.numpy as jnp
import matplotlib.pyplot
import pytest

from tests.drawing.twins import read
from traced.programs.growth import measure_growth
from traced.show import plot_growth, plot_lines

TIMES = {"loop": {10: 0.0123456, 100: 0.1, 1000: 1.0}, "scan": {10: 0.01, 1000: 0.011}}


def test_the_text_has_the_numbers():
    assert str(plot_lines(TIMES, "steps", "seconds")).splitlines() == [
        "steps  loop    scan",
        "10     0.0123  0.01",
        "100    0.1",
        "1000   1       0.011",
    ]


def test_the_html_has_the_numbers_too():
    picture = plot_lines(TIMES, "steps", "seconds")
    rows = [" ".join(row).split() for row in read(picture.html).rows]
    assert rows == [line.split() for line in picture.text.splitlines()]


def test_the_law_of_a_growth_stands_beside_its_name():
    def unrolled(x):
        for _ in range(x.shape[0]):
            x = x * x
        return x

    made = {f: measure_growth(f, lambda n: (jnp.ones(n),)) for f in (unrolled, jax.nn.relu)}
    text = str(plot_growth(unrolled=made[unrolled], relu=made[jax.nn.relu]))
    assert text.splitlines()[0].split() == ["size", "unrolled", "(linear)", "relu", "(constant)"]


def test_lines_are_told_apart_without_their_colours():
    svg = plot_lines({str(i): {1: i, 2: i} for i in range(4)}, "x", "y").svg
    assert len(set(re.findall(r"stroke-dasharray: [\d., ]+", svg))) == 3
    assert all(sign in svg for sign in "●■▲◆")


def test_the_drawing_takes_the_ink_of_light_and_dark_and_has_a_name():
    picture = plot_lines(TIMES, "steps", "seconds", log=True)
    assert 'alt="seconds by steps: loop, scan"' in picture.html
    assert "prefers-color-scheme:dark" in picture.svg
    assert "fill: currentColor" in picture.svg
    assert "#000000" not in picture.svg
    assert "#010203" not in picture.svg


def test_names_that_end_beside_one_another_stand_above_one_another():
    svg = plot_lines({name: {1: 1.0, 2: 1.0} for name in "abcd"}, "x", "y").svg
    heights = re.findall(r'translate\([\d.]+ ([\d.]+)\)"[^>]*>[abcd]<', svg) or re.findall(
        r'y="([\d.]+)"[^>]*>[abcd]<', svg
    )
    places = sorted(map(float, heights))
    assert len(places) == 4
    assert min(b - a for a, b in pairwise(places)) > 9


def test_a_band_is_drawn_and_its_ends_are_among_the_numbers():
    bands = {"loop": {10: (0.01, 0.02), 1000: (0.5, 2.0)}}
    picture = plot_lines(TIMES, "steps", "seconds", bands=bands)
    assert "0.0123 (0.01–0.02)" in str(picture)
    assert picture.svg.count("fill-opacity") == 1
    with pytest.raises(ValueError, match="names of lines, and walk is none"):
        plot_lines(TIMES, "steps", "seconds", bands={"walk": {}})


def test_a_number_on_an_axis_keeps_its_digits():
    picture = plot_lines({"loss": {1: 0.034, 2: 0.186}}, "step", "loss")
    written = re.findall(r"<text[^>]*>([^<]*)<", picture.svg)
    ticks = [float(each) for each in written if re.fullmatch(r"0\.\d+", each)]
    assert len(ticks) == len(set(ticks)) > 3


def test_names_stay_text():
    evil = r"--></style><script>$\nope{$'\""  # no formula either
    picture = plot_lines({evil: {1: 2.0}}, evil, evil)
    assert "<script" not in picture.svg
    assert {"script"}.isdisjoint(read(picture.html).tags)
    assert escape(evil) in picture.svg


def test_many_numbers_are_cut_and_that_is_said():
    lines = str(plot_lines({"y": {i: i * i for i in range(100)}}, "x", "y")).splitlines()
    assert len(lines) == 14
    assert lines[7] == "… 88 left out"


def test_two_calls_give_the_same_drawing_whatever_the_style():
    first = plot_lines(TIMES, "steps", "seconds")
    with matplotlib.pyplot.style.context("dark_background"):
        assert plot_lines(TIMES, "steps", "seconds") == first


def test_a_clip_is_not_named_after_the_last_digit_of_its_place():
    bands = {"loop": {10: (0.0, 0.02), 100: (0.05, 0.2), 1000: (0.5, 2.0)}}
    svg = plot_lines(TIMES, "steps", "seconds", bands=bands).svg
    assert set(re.findall(r'<clipPath id="(.*?)"', svg)) == {"clip0"}
    assert set(re.findall(r"url\(#(.*?)\)", svg)) == {"clip0"}


def test_no_figure_stays_open():
    plot_lines(TIMES, "steps", "seconds")
    assert matplotlib.pyplot.get_fignums() == []


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        ({}, {}, "`lines` must hold one to 4 lines, got 0"),
        ({str(i): {1: 1} for i in range(5)}, {}, "`lines` must hold one to 4 lines, got 5"),
        ({"a": [1, 2]}, {}, "`lines` must hold mappings of x to y, got list"),
        ({"a": {}}, {}, "`lines` must not be empty, and a is"),
        ({"a": {1: 0.0}}, {"log": True}, "`lines` must be positive for `log`, and a is not"),
    ],
)
def test_what_cannot_be_plotted_is_refused_by_name(lines, options, message):
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        plot_lines(lines, "x", "y", **options)


def test_what_a_picture_needs_of_others_is_loaded_when_it_is_drawn():
    code = "import sys, traced.show; print({'flax', 'matplotlib'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
