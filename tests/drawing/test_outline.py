"""A table whose rows are a tree."""

import pytest

from tests.drawing.twins import assert_twins, read
from traced.drawing.outline import ALIKE, MOST, Branch, outline


def leaf(label, *cells):
    return Branch(label, (cells,))


def draw(*branches, notes=()):
    return outline(("name", "type"), branches, "a tree", notes)


def test_a_line_leads_from_each_row_to_the_one_it_belongs_to():
    inner = Branch("b", (("1",), ("2",)), (leaf("c", "3"),))
    assert str(draw(Branch("a", (("0",),), (inner, leaf("d", "4"))))).splitlines() == [
        "name     type",
        "a        0",
        "├─ b     1",
        "│  │     2",
        "│  └─ c  3",
        "└─ d     4",
    ]


def test_text_and_html_have_the_same_facts():
    inner = Branch("b", (("1",), ("2",)), (leaf("c", "3"),))
    assert_twins(draw(Branch("a", (("0",),), (inner, leaf("d", "✗ 4"))), notes=["one", "two"]))


def test_a_label_stands_beside_all_its_lines_and_says_its_whole_path():
    html = draw(Branch("b", (("1",), ("2",)), path="a.b")).html
    assert '<th scope="row" rowspan="2" aria-label="a.b"' in html


def test_many_neighbours_that_look_the_same_are_one_row():
    many = [leaf(f"[{i}]", "f32[]") for i in range(1000)]
    assert str(draw(*many)).splitlines()[1:] == ["[0] … [999]  (1000 alike)  f32[]"]
    assert len(str(draw(*many[: ALIKE - 1])).splitlines()) == ALIKE


def test_what_differs_below_is_not_alike():
    trees = [Branch(f"[{i}]", (("list",),), (leaf("w", str(i % 2)),)) for i in range(6)]
    assert "alike" not in str(draw(*trees))


def test_a_large_tree_is_cut_with_a_line_that_says_so():
    picture = draw(*(leaf(str(i), str(i)) for i in range(200)))
    *rows, note = str(picture).splitlines()
    assert (len(rows), note) == (MOST, f"… {201 - MOST} more rows left out")
    assert_twins(picture)


def test_a_cut_says_how_many_marked_rows_it_leaves_out():
    picture = draw(*(leaf(str(i), f"✗ {i}" if i > 150 else str(i)) for i in range(200)))
    assert str(picture).splitlines()[-1].endswith("left out, 49 of them marked ✗")


@pytest.mark.parametrize("place", ["label", "cell", "path", "note", "head", "caption"])
def test_what_comes_from_the_reader_stays_text(place):
    evil = "</style><script>alert(1)</script>\"'"
    given = {each: evil if each == place else each for each in ("label", "cell", "path")}
    branch = Branch(given["label"], ((given["cell"],),), path=given["path"])
    head = (evil if place == "head" else "head", "type")
    caption, notes = (evil if place == each else each for each in ("caption", "note"))
    picture = outline(head, [branch], caption, [notes])
    assert "script" not in read(picture.html).tags
    assert "<script" not in picture.html
    if place != "path" and place != "caption":
        assert evil in picture.text
