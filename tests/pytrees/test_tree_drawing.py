"""Pytrees and prefixes as they are drawn."""

import re
from html import unescape

import jax
import jax.numpy as jnp
import pytest

from traced.pytrees.tree_drawing import MOST, hue_of
from traced.show import show_prefix, show_tree

PARAMS = {"layers": [{"w": jnp.ones((3, 3)), "b": jnp.zeros(3)}] * 2, "mask": None}


def boxes(picture):
    """Return the class and the first text of each box."""
    found = re.findall(r'<g><rect[^>]*class="([^"]*)"/><text[^>]*>([^<]*)<', picture.svg)
    return [(kind, unescape(text)) for kind, text in found]


def test_a_leaf_has_the_colour_of_its_dtype_and_what_is_no_leaf_is_dashed():
    tree = {"w": jnp.ones(3), "n": 1, "on": True, "key": jax.random.key(0), "x": "text", "y": None}
    assert boxes(show_tree(tree)) == [
        ("purple", "['key'] key<fry>[]"),
        ("blue", "['n'] ~i32[]"),
        ("amber", "['on'] bool[]"),
        ("teal", "['w'] f32[3]"),
        ("grey", "['x'] str"),
        ("grey gone", "['y'] None"),
        ("grey", "tree dict"),
    ]


@pytest.mark.parametrize("kind", ["f32[3]", "bf16[]", "c64[2]", "~f32[]", "f8_e4m3fn[1]"])
def test_all_kinds_of_floats_have_one_colour(kind):
    assert hue_of(kind) == "teal"


def test_what_jax_does_not_see_says_so():
    svg = show_tree(PARAMS).svg
    assert svg.count("no leaf") == 1
    assert "4 leaves" in svg


def test_a_thousand_layers_are_one_box():
    picture = show_tree([{"w": jnp.ones(3)}] * 1000)
    assert len(boxes(picture)) == 3
    assert {"1000 of the same kind", "1000 leaves"} <= set(
        re.findall(">([^<]+)</text", picture.svg)
    )


def test_a_large_tree_is_cut_and_says_so():
    grid = {str(i): {str(j): jnp.ones((i + 1, j + 1)) for j in range(9)} for i in range(9)}
    drawn = boxes(show_tree({"a": grid, "b": grid}))
    assert len(drawn) <= MOST
    assert {("grey gone", "… 4 more"), ("grey gone", "… 9 below")} < set(drawn)


def test_trees_that_differ_where_it_is_not_drawn_are_not_alike():
    def nested(i, depth):
        return {"x": nested(i, depth - 1)} if depth else jnp.ones(i)

    assert "of the same kind" not in show_tree([nested(i, 9) for i in range(5)]).svg
    assert "5 of the same kind" in show_tree([nested(1, 9) for i in range(5)]).svg


def test_a_bracket_has_the_entry_and_counts_what_it_covers():
    svg = show_prefix({"layers": 0, "mask": None}, PARAMS).svg
    assert "for all 4 leaves" in svg
    assert re.findall(r'class="mono word teal bold">([^<]*)<', svg) == ["0", "None"]
    assert "red " not in svg.partition("</style>")[2]


def test_what_does_not_fit_is_red_and_says_how():
    picture = show_prefix({"layers": (0, 0), "masks": 1}, PARAMS)
    assert [text for kind, text in boxes(picture) if kind.startswith("red")] == [
        "['layers'] list",
        "['mask'] None",
        "['masks']",
    ]
    assert re.findall(">(✗[^<]*)<", picture.svg) == [
        "✗ tuple, where the tree has a list",
        "✗ missing in the prefix",
        "✗ 1, where the tree has nothing",
    ]


def test_a_fault_among_many_parts_is_drawn():
    tree = {f"{i:02}": jnp.ones(i + 1) for i in range(40)}
    prefix = {name: 0 for name in tree if name != "33"}
    assert "✗ missing in the prefix" in show_prefix(prefix, tree).svg
