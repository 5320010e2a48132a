"""Plots of measurements, and the numbers beside them."""

import re
import subprocess
import sys

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
    html = plot_lines({str(i): {1: i, 2: i} for i in range(4)}, "x", "y").html
    assert len(set(re.findall(r"stroke-dasharray: [\d., ]+", html))) == 3


def test_the_drawing_takes_the_colour_of_the_text_and_has_a_name():
    html = plot_lines(TIMES, "steps", "seconds", log=True).html
    assert 'role="img" aria-label="seconds by steps: loop, scan"' in html
    assert "fill: currentColor" in html
    assert "#000000" not in html
    assert "#ffffff" not in html


def test_a_drawing_names_nothing_outside_and_nothing_in_another_one():
    first = plot_lines(TIMES, "steps", "seconds").html
    second = plot_lines({"loop": {1: 1.0, 2: 3.0}}, "steps", "seconds").html
    assert re.findall(r"https?:|<style|<script", first + second) == []
    names = [set(re.findall(r' id="([^"]+)"', html)) for html in (first, second)]
    assert names[0].isdisjoint(names[1])
    assert set(re.findall(r'href="#([^"]+)"', first)) <= names[0]


def test_names_stay_text():
    evil = r"--></style><script>$\nope{$"  # no formula either
    html = plot_lines({evil: {1: 2.0}}, evil, evil).html
    assert {"script", "style"}.isdisjoint(read(html).tags)
    assert evil not in html


def test_many_numbers_are_cut_and_that_is_said():
    lines = str(plot_lines({"y": {i: i * i for i in range(100)}}, "x", "y")).splitlines()
    assert len(lines) == 14
    assert lines[7] == "… 88 left out"


def test_two_calls_give_the_same_drawing_whatever_the_style():
    first = plot_lines(TIMES, "steps", "seconds")
    with matplotlib.pyplot.style.context("dark_background"):
        assert plot_lines(TIMES, "steps", "seconds") == first


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
