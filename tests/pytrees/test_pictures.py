"""Pytrees as JAX sees them, and prefixes laid over them."""

import jax.numpy as jnp
import optax
from flax import nnx

from tests.drawing.twins import assert_twins
from traced.show import show_prefix, show_tree

PARAMS = {"layers": [{"w": jnp.ones((3, 3)), "b": jnp.zeros(3)}] * 2, "mask": None}
ADAM = optax.adam(1e-3).init({"w": jnp.ones(3)})


def words(picture):
    return [" ".join(line.split()) for line in str(picture).splitlines()]


def test_a_tree_has_its_nodes_its_leaves_and_how_many_these_are():
    assert words(show_tree(ADAM, "state"))[1:] == [
        "state node tuple",
        "├─ [0] node ScaleByAdamState",
        "│ ├─ .count leaf i32[]",
        "│ ├─ .mu node dict",
        "│ │ └─ ['w'] leaf f32[3]",
        "│ └─ .nu node dict",
        "│ └─ ['w'] leaf f32[3]",
        "└─ [1] node EmptyState",
        "3 leaves",
    ]


def test_many_static_attributes_share_a_row():
    text = str(show_tree(nnx.Linear(2, 3, rngs=nnx.Rngs(0))))
    assert "(9 static)" in text
    assert "in_features=2, out_features=3" in text
    assert str(show_tree(nnx.RngStream(0, tag="noise"))).count("static") == 1


def test_what_is_no_array_says_so():
    assert words(show_tree([{1.0}, "text"]))[2:4] == [
        "├─ [0] leaf set (no array)",
        "└─ [1] leaf str (no array)",
    ]


def test_a_thousand_layers_are_one_row():
    text = str(show_tree([{"w": jnp.ones(3)}] * 1000))
    assert "[0] … [999]  (1000 alike)" in text
    assert text.splitlines()[-1] == "1000 leaves"
    assert len(text.splitlines()) == 5


def test_a_prefix_counts_for_all_that_is_below_it():
    assert words(show_prefix({"layers": 0, "mask": None}, PARAMS, "p"))[2:5] == [
        "├─ ['layers'] list 0",
        "│ ├─ [0] dict 0, from above",
        "│ │ ├─ ['b'] f32[3] 0, from above",
    ]


def test_what_does_not_fit_is_marked_and_nothing_else():
    wrong = show_prefix({"layers": (0, 0), "masks": 1}, PARAMS)
    assert [line for line in words(wrong) if "✗" in line] == [
        "├─ ['layers'] list ✗ tuple, where the tree has a list",
        "├─ ['mask'] None ✗ missing in the prefix",
        "└─ ['masks'] ✗ 1, where the tree has nothing",
    ]
    assert "✗" not in str(show_prefix(0, PARAMS))


def test_text_and_html_have_the_same_facts():
    for picture in (
        show_tree(PARAMS),
        show_tree(ADAM),
        show_tree(nnx.Linear(2, 3, rngs=nnx.Rngs(0))),
        show_prefix({"layers": (0, 0)}, PARAMS),
        show_prefix({"</style><script>": 0}, {"</style><script>": 1.0}),
    ):
        assert_twins(picture)
        assert "<script" not in picture.html


def test_two_calls_give_the_same_picture():
    assert show_tree(PARAMS) == show_tree(PARAMS)
    assert show_prefix(0, ADAM) == show_prefix(0, ADAM)
