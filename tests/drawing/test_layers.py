"""Where the boxes of a graph go."""

import random
from itertools import pairwise

import pytest

from traced.drawing.layers import Layers


def arranged(rows, edges, width=40.0):
    layers = Layers([width] * len(rows), list(rows), edges)
    layers.arrange()
    return layers


def overlaps(layers):
    """Return the pairs of neighbours in a row that do not lie side by side."""
    found = []
    for row in layers.order:
        row = sorted(row, key=lambda each: layers.x[each])
        for left, right in pairwise(row):
            apart = (layers.widths[left] + layers.widths[right]) / 2
            if layers.x[right] - layers.x[left] < apart - 1e-6:
                found.append((left, right))
    return found


def test_a_chain_is_straight():
    assert len(set(arranged([0, 1, 2, 3], [(0, 1), (1, 2), (2, 3)]).x)) == 1


def test_two_operands_are_in_their_order_and_swapped_ones_too():
    for edges in ([(0, 2), (1, 2)], [(1, 2), (0, 2)]):
        x = arranged([0, 0, 1], edges).x
        (first, _), (last, _) = edges
        assert x[first] < x[2] < x[last]


def test_what_comes_in_lower_does_not_bend_the_chain():
    x = arranged([0, 1, 2, 1], [(0, 1), (1, 2), (3, 2)], 60).x
    assert abs(x[0] - x[1]) < 5


def test_an_edge_has_a_place_in_each_row_that_it_passes():
    layers = arranged([0, 1, 2, 3], [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert len(layers.way(0, 3)) == 2
    assert not overlaps(layers)


def test_others_are_pushed_out_of_a_group():
    layers = arranged([0, 1, 1, 1, 2], [(0, 1), (0, 2), (0, 3), (1, 4), (3, 4)])
    layers.make_room([1, 3, 4], 10, 10)
    left, right = layers.span([1, 3, 4])
    assert not left < layers.x[2] < right
    assert not layers.make_room([1, 3, 4], 10, 10)


@pytest.mark.parametrize("seed", range(20))
def test_no_two_boxes_overlap_in_any_graph(seed):
    draw = random.Random(seed)
    rows = sorted(draw.randrange(6) for _ in range(20))
    pairs = [(i, j) for i in range(20) for j in range(20) if rows[i] < rows[j]]
    layers = arranged(rows, draw.sample(pairs, 25))
    layers.straighten()
    assert not overlaps(layers)


def test_an_empty_graph_has_no_boxes():
    assert arranged([], []).x == []
