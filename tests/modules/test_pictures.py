"""NNX modules before and after a call, and split."""

import re

import jax.numpy as jnp
import optax
import pytest
from flax import nnx

from tests.drawing.twins import assert_twins, read
from tests.modules.counter import Counter
from traced.show import show_lost, show_module, show_split

X = jnp.ones((4, 2))


class Watching(Counter):
    def __call__(self, x):
        self.seen = nnx.Intermediate(x)
        return super().__call__(x)


class Tied(nnx.Module):
    def __init__(self, rngs):
        self.a = nnx.Linear(2, 2, rngs=rngs)
        self.b = self.a


def cells(picture):
    """Return the cells behind each label."""
    return {row[0]: row[1:] for row in read(picture.html).rows[1:]}


def texts(picture):
    """Return what is written in the drawing."""
    return re.findall(r"<text[^>]*>([^<]*)<", picture.svg)


def test_each_column_has_what_one_way_of_calling_leaves():
    found = cells(show_module(Watching(nnx.Rngs(0)), X))
    assert found[".count"] == ["Variable ~i32[] = 0", "= 1", "= 1", "= 1"]
    assert found[".calls"] == ["0", "1", "1", "✗ lost"]
    added = "added: Intermediate f32[4,2]"
    assert found[".seen"] == ["", added, added, "✗ lost"]
    assert found[".kernel"] == ["Param f32[2,3]", "", "", ""]


def test_a_mode_that_refuses_says_so_and_loses_nothing():
    def touch(model):
        model.a.bias[...] += 1

    picture = show_module(touch, Tied(nnx.Rngs(0)))
    assert str(picture).splitlines()[-1] == "✗ nnx.jit(f, graph=False) raises ValueError"
    assert cells(picture)[".bias"] == ["Param f32[2]", "changed", "changed", ""]
    assert cells(picture)[".b"][0] == "Linear (shared, see above)"


def test_a_change_of_what_is_tied_is_told_where_it_is_drawn_first():
    class Backwards(nnx.Module):
        def __init__(self):
            self.b = self.a = nnx.Variable(jnp.zeros(()))

    def touch(model):
        model.a[...] += 1

    found = cells(show_module(touch, Backwards()))
    assert found[".b"] == ["Variable f32[] = 0", "= 1", "= 1", ""]
    assert found[".a"][0] == "Variable f32[] = 0 (shared, see above)"


def test_what_was_tied_replaced_or_removed_is_told():
    def edit(model):
        model.linear = nnx.Linear(2, 3, rngs=nnx.Rngs(1))
        del model.count

    found = cells(show_module(edit, Watching(nnx.Rngs(0))))
    assert found[".linear"][1:] == ["another Linear", "another Linear", "✗ lost"]
    assert found[".count"][1:] == ["removed", "removed", "✗ lost"]

    def tie(model):
        model.b = model.a

    loose = Tied(nnx.Rngs(0))
    loose.b = nnx.Linear(2, 2, rngs=nnx.Rngs(1))
    assert cells(show_module(tie, loose))[".a"][1:] == ["one with model.b"] * 2 + ["✗ lost"]


def test_a_step_of_training_changes_model_and_optimizer():
    def train(model, optimizer, x):
        loss = nnx.grad(lambda model: (model(x) ** 2).mean())
        optimizer.update(model, loss(model))

    model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    found = cells(show_module(train, model, optimizer, X))
    assert found[".kernel"] == ["Param f32[2,3]", "changed", "changed", "changed"]
    assert found[".step"] == ["OptState u32[] = 0", "= 1", "= 1", "= 1"]


def test_each_part_of_a_module_goes_somewhere():
    found = cells(show_split(Watching(nnx.Rngs(0)), nnx.Param, ...))
    assert found[".kernel"] == ["Param f32[2,3]", "state 1: Param"]
    assert found[".count"] == ["Variable ~i32[] = 0", "state 2: ..."]
    assert found[".calls"] == ["0", "graphdef"]
    assert found["(9 static)"][1] == "graphdef"


def test_a_deep_model_is_short():
    layers = nnx.List([nnx.Linear(2, 2, rngs=nnx.Rngs(0)) for _ in range(100)])
    for picture in (show_split(layers), show_module(lambda layers: None, layers)):
        assert "[0] … [99]  (100 alike)" in str(picture)
        assert len(str(picture).splitlines()) < 10


def test_text_and_html_have_the_same_facts():
    class Named(nnx.Module):
        def __init__(self):
            self.note = "</style><script>"

    def rename(model):
        model.note += "!"

    for make in (
        lambda: show_module(Watching(nnx.Rngs(0)), X),
        lambda: show_module(lambda model: None, Tied(nnx.Rngs(0))),
        lambda: show_module(rename, Named()),
        lambda: show_split(Named()),
        lambda: show_split(Tied(nnx.Rngs(0)), nnx.Param, ...),
    ):
        picture = make()
        assert_twins(picture)
        assert "<script>" not in picture.html
        assert picture == make()


def test_what_a_mode_loses_is_dashed_and_what_it_brings_back_has_a_tick():
    picture = show_module(Watching(nnx.Rngs(0)), X)
    assert texts(picture).count("✗ lost") == 2
    assert len(re.findall(r'<rect[^>]*class="red gone"', picture.svg)) == 2
    assert texts(picture).count("✓ = 1") == 2
    assert {"✓ added", "graph=True", "graph=False"} <= {*texts(picture)}
    assert "✗" not in "".join(texts(show_module(lambda model: None, nnx.Dict(calls=0))))


def test_a_mode_that_refuses_has_a_red_head():
    def touch(model):
        model.a.bias[...] += 1

    picture = show_module(touch, Tied(nnx.Rngs(0)))
    assert "graph=False · ✗ ValueError" in texts(picture)
    assert len(re.findall(r'<rect[^>]*class="red"', picture.svg)) == 1


def test_each_part_has_a_line_to_the_box_where_it_goes():
    picture = show_split(Watching(nnx.Rngs(0)), nnx.Param, ...)
    assert {"state 1: Param", "state 2: ...", "graphdef", "nnx.merge gives"} <= {*texts(picture)}
    assert {"2 Variables", "1 Variable"} <= {*texts(picture)}
    assert len(re.findall(r'<path d="M[^"]*C[^"]*"', picture.svg)) == 7 + 3


def test_a_state_with_nothing_in_it_is_drawn_too():
    picture = show_split(nnx.Linear(2, 3, rngs=nnx.Rngs(0)), nnx.BatchStat, ...)
    boxes = [each for each in texts(picture) if each.startswith(("graphdef", "state"))]
    assert boxes == ["graphdef", "state 1: BatchStat", "state 2: ..."]
    assert "0 Variables" in texts(picture)


@pytest.mark.parametrize("count", [1, 100])
def test_a_wide_module_says_what_is_left_out(count):
    model = nnx.Dict({f"w{i}": nnx.Param(jnp.ones(i + 1)) for i in range(count)})
    picture = show_split(model)
    assert any("rows left out" in each for each in texts(picture)) == (count == 100)
    assert picture.svg.count("<g><rect") <= 40


def test_what_each_way_of_compiling_loses_is_marked():
    def edit(model):
        model.linear.kernel[...] *= 2
        model.calls += 1
        model.linear.kernel.set_metadata(note="edited")

    found = cells(show_lost(edit, Watching(nnx.Rngs(0))))
    ways = ["nnx.jit", "graph_updates=False", "graph=False", "jax.jit"]
    kept = {
        name: [way for way, cell in zip(ways, row[1:], strict=True) if cell == "kept"]
        for name, row in found.items()
    }
    assert kept == {
        "static: model.calls": ["nnx.jit"],
        "added: model.linear.kernel.note": ["graph_updates=False", "graph=False"],
        "value: model.linear.kernel": ["nnx.jit", "graph_updates=False", "graph=False"],
    }
