"""Cutting a listing that is too long, with a line that says what is left out."""

import pytest

from traced.drawing.lines import MOST, MOST_OF_LEVEL, Line, cut, flat


def listing(count, inner=0):
    return [
        Line(str(i), 2, (i,), tuple(Line(f"{i}.{j}", 4, (j,)) for j in range(inner)))
        for i in range(count)
    ]


def shown(lines):
    return list(flat(lines))


def test_a_short_listing_is_left_alone():
    assert cut(listing(5, 3)) == tuple(listing(5, 3))


def test_what_is_left_out_is_counted_with_what_is_folded_in_it():
    lines = cut(listing(10, 1), 5)
    (note,) = [line for line in lines if "left out" in line.text]
    assert note.text == "… 12 more lines left out …"
    assert note.of == tuple(range(2, 8))
    assert note.depth == 2


def test_the_outer_level_is_shown_before_what_is_folded():
    lines = cut(listing(4, 10), 10)
    assert [line.text for line in lines] == ["0", "1", "2", "3"]
    assert any("left out" in line.text for line in lines[0].inner)


@pytest.mark.parametrize(("count", "inner"), [(10_000, 0), (100, 100), (10, 1000), (1000, 20)])
def test_however_long_it_is_the_result_is_bounded(count, inner):
    lines = cut(listing(count, inner))
    assert len(shown(lines)) <= MOST + MOST_OF_LEVEL
    said = sum(
        int(line.text.split()[1]) - 1 for line in shown(lines) if line.text.endswith("left out …")
    )
    assert len(shown(lines)) + said == count * (1 + inner)
