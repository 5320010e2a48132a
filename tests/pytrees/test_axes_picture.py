"""What `vmap` maps, as a picture."""

import re
from html import unescape

import jax.numpy as jnp
import optax

from tests.drawing.twins import assert_twins
from traced.show import show_axes

PARAMS, X = {"w": jnp.ones((3, 4)), "b": jnp.ones((8, 4))}, jnp.ones((8, 3))


def predict(params, x):
    return x @ params["w"] + params["b"]


def test_each_leaf_has_its_axis_outside_and_inside():
    picture = show_axes(predict, PARAMS, X, in_axes=({"w": None, "b": 0}, 0))
    assert [line.split() for line in str(picture).splitlines()[2:]] == [
        ["├─", "['b']", "f32[8,4]", "0,", "of", "size", "8", "f32[4]"],
        ["└─", "['w']", "f32[3,4]", "not", "mapped", "f32[3,4]"],
        ["x", "f32[8,3]", "0,", "of", "size", "8", "f32[3]"],
        ["result", "f32[8,4]", "0,", "of", "size", "8", "f32[4]"],
    ]


def test_an_update_of_optax_is_mapped_over_an_ensemble():
    momentum = optax.sgd(0.1, momentum=0.9)
    picture = show_axes(momentum.update, X, momentum.init(X))
    assert "✗" not in str(picture)
    assert str(picture).count("0, of size 8") == 4


def test_what_does_not_fit_is_marked_and_named_an_error():
    sizes = show_axes(predict, PARAMS, X)
    assert "✗ axis 0 has size 3, elsewhere 8" in str(sizes)
    missing = show_axes(predict, PARAMS, X, in_axes=({"w": None}, 0))
    assert "✗ missing in the prefix" in str(missing)
    count = show_axes(predict, PARAMS, X, in_axes=(0,))
    assert "✗ in_axes has 1 entry, for 2 arguments" in str(count)
    for picture in (sizes, missing, count):
        assert str(picture).splitlines()[-1] == "jax.vmap raises an error"


def test_text_and_html_have_the_same_facts():
    for in_axes in (({"w": None, "b": 0}, 0), 0, (0,), (({"</script>": 0}), 0)):
        picture = show_axes(predict, PARAMS, X, in_axes=in_axes)
        assert_twins(picture)
        assert "</script" not in picture.html
        assert picture == show_axes(predict, PARAMS, X, in_axes=in_axes)


def boxes(picture):
    """Return class, text and note of each box that has a note."""
    pattern = r'<g><rect[^>]*class="([^"]*)"/><text[^>]*>([^<]*)</text><text[^>]*>([^<]*)<'
    return [tuple(map(unescape, found)) for found in re.findall(pattern, picture.svg)]


def test_what_is_mapped_is_a_stack_of_sheets_of_which_one_goes_in():
    picture = show_axes(jnp.dot, X, jnp.ones(3), in_axes=(0, None))
    assert boxes(picture) == [
        ("teal", "a f32[8,3]", "8 along axis 0"),
        ("teal", "b f32[3]", "the same for every row"),
        ("teal", "result f32[8]", "8 along axis 0"),
    ]
    # Two sheets lie behind the first one of each stack, and there is the function's box.
    assert picture.svg.count('rx="2"') == 2 + 2 + 1
    assert picture.svg.count(">f32[3]<") == 2
    assert picture.svg.count(">f32[]<") == 1


def test_the_axis_of_the_result_is_told():
    picture = show_axes(jnp.sin, X, in_axes=1, out_axes=-1)
    assert [note for *_, note in boxes(picture)] == ["3 along axis 1", "3 along axis -1"]


def test_what_does_not_fit_is_red_and_the_function_is_not_reached():
    picture = show_axes(predict, PARAMS, X)
    (red,) = [found for found in boxes(picture) if found[0] == "red"]
    assert red[1:] == ("params['w'] f32[3,4]", "✗ axis 0 has size 3, elsewhere 8")
    assert "not reached" in picture.svg
    assert "jax.vmap raises an error" in picture.svg


def test_an_out_axis_that_does_not_fit_is_red():
    picture = show_axes(jnp.sin, X, out_axes=None)
    assert boxes(picture)[-1] == ("red", "result", "✗ None, but mapped inside")
    assert "not reached" not in picture.svg


def test_where_arguments_are_not_told_apart_there_is_a_table_only():
    assert show_axes(predict, PARAMS, X, in_axes=(0,)).svg is None


def test_of_many_leaves_a_few_are_drawn_and_alike_ones_as_one():
    many = {f"{i:02}": jnp.ones((5, i + 1)) for i in range(20)}
    assert show_axes(lambda t: t, many).svg.count("… 15 more") == 2
    assert "t[0] … [8] f32[3]" in show_axes(lambda t: t, [jnp.ones(3)] * 9).svg
