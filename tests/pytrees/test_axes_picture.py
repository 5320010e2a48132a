"""What `vmap` maps, as a picture."""

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
    assert "✗ 0, of size 3, elsewhere 8" in str(sizes)
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
