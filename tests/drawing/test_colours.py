"""Colours that stand beside one another are told apart by those who see some of them alike."""

from itertools import combinations, pairwise
from typing import Any

import jax
import numpy as np
import pytest

from traced import explore
from traced.drawing import panes, plots
from traced.drawing.shapes import HUES

#: What is seen of red, green and blue by those who lack one kind of cones, after Machado, Oliveira
#: and Fernandes (2009), at full strength.
SEEN = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
#: CIELAB, where 2.3 is what one can notice of two areas that touch.
LEAST = 10


def lab(colour: str, sight: str) -> Any:
    """Return how light and of what colour something is seen to be."""
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(XYZ @ np.clip(SEEN[sight] @ linear, 1e-4, 1) / XYZ.sum(axis=1))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(a: str, b: str, sight: str) -> float:
    """Return how far two colours are apart."""
    return float(np.linalg.norm(lab(a, sight) - lab(b, sight)))


def alike(pairs: Any, sight: str) -> list[Any]:
    """List pairs of colours that are seen alike."""
    return [pair for pair in pairs if distance(*pair, sight) < LEAST]


@pytest.mark.parametrize("sight", SEEN)
def test_lines_of_a_program_that_follow_one_another_differ(sight: str) -> None:
    ring = (*panes.COLOURS, panes.COLOURS[0])
    assert alike(pairwise(ring), sight) == []


@pytest.mark.parametrize("sight", SEEN)
def test_lines_of_a_plot_differ(sight: str) -> None:
    assert alike(combinations(plots.COLOURS, 2), sight) == []


@pytest.mark.parametrize("dark", [0, 2], ids=["light", "dark"])
@pytest.mark.parametrize("sight", SEEN)
def test_lines_of_a_drawing_differ(sight: str, dark: int) -> None:
    assert alike(combinations([hues[dark] for hues in HUES.values()], 2), sight) == []


def test_colours_that_some_see_alike_are_found() -> None:
    red, green = "#a05a2c", "#6a6f1e"
    assert distance(red, green, "all cones") > 2 * LEAST > 2 * distance(red, green, "deuteranopia")


def test_each_coloured_line_has_its_number_too() -> None:
    def f(x: jax.Array) -> jax.Array:
        y = x * 2
        z = y + 1
        return z - x

    shown = explore(f, 1.0).panes
    rows = [row for pane in shown for row in panes.flat_rows(pane.rows) if row.at]
    assert rows
    assert [row.text for row in rows if row.label and row.label not in row.at] == []
    assert all(row.label for row in rows if len(row.at) == 1)
