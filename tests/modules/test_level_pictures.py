"""NNX objects outside of a function under `jax.jit`, and what stands in their place inside."""

import re

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from tests.drawing.twins import assert_twins, read
from tests.modules.counter import Counter
from traced.modules.levels import find_levels
from traced.show import show_levels

X = jnp.ones((4, 2))


class Tied(nnx.Module):
    def __init__(self, rngs):
        self.a = Counter(rngs)
        self.b = self.a

    def __call__(self, x):
        self.b(x)
        return self.a(x)


def cells(picture):
    """Return the cells behind each label."""
    return {row[0]: row[1:] for row in read(picture.html).rows[1:]}


def texts(picture):
    """Return what is written in the drawing."""
    return re.findall(r"<text[^>]*>([^<]*)<", picture.svg)


def apply(model, x):
    return model(x)


def test_an_argument_is_a_copy_of_tracers_and_its_writes_are_lost():
    found = cells(show_levels(apply, Counter(nnx.Rngs(0)), X))
    assert found["model"] == ["Counter", "a copy", ""]
    assert found[".kernel"] == ["Param f32[2,3]", "tracer", ""]
    assert found[".count"] == ["Variable ~i32[] = 0", "tracer, written", "✗ lost"]


@pytest.mark.parametrize(
    "apply_and_return",
    [
        lambda model, x: (model(x), model),
        lambda model, x: (model(x), nnx.state(model)),
        lambda model, x: (model(x), {"kept": [model.count]}),
    ],
)
def test_what_is_returned_is_not_lost(apply_and_return):
    found = cells(show_levels(apply_and_return, Counter(nnx.Rngs(0)), X))
    assert found[".count"][1:] == ["tracer, written", "returned"]


def test_what_is_no_variable_is_returned_with_its_object():
    class Plain(nnx.Module):
        def __init__(self):
            self.mean, self.calls = jnp.zeros(3), 0

    def see(model, x):
        model.mean, model.calls = x, model.calls + 1
        return {"model": model, "state": nnx.state(model), "nothing": None}[kept]

    fates = {}
    for kept in ("model", "state", "nothing"):
        picture = show_levels(see, Plain(), jnp.ones(3))
        fates[kept] = cells(picture)[".mean"][2], "✗ model.calls is lost" in str(picture)
    assert fates == {
        "model": ("returned", False),
        "state": ("returned", True),
        "nothing": ("✗ lost", True),
    }


def test_what_is_returned_as_an_array_or_in_part_is_lost():
    def part(model, x):
        return model(x), model.linear, model.count[...]

    assert cells(show_levels(part, Counter(nnx.Rngs(0)), X))[".count"][2] == "✗ lost"


def test_what_is_captured_is_the_same_object_and_a_constant():
    factor = nnx.Variable(jnp.float32(3.0))
    found = cells(show_levels(lambda model, x: factor[...] * model(x), Counter(nnx.Rngs(0)), X))
    assert found["factor"] == ["Variable f32[] = 3", "a constant", ""]
    assert found["model"][1] == "a copy"


MODEL = nnx.Linear(2, 3, rngs=nnx.Rngs(0))


def of_a_global(x):
    return MODEL(x)


@pytest.mark.parametrize(
    ("f", "name"), [(of_a_global, "MODEL"), (MODEL, "self"), (MODEL.__call__, "self")]
)
def test_globals_and_what_a_method_is_bound_to_are_captured(f, name):
    found = cells(show_levels(f, X))
    assert found[name] == ["Linear", "the same object", ""]
    assert found[".kernel"] == ["Param f32[2,3]", "a constant", ""]


def test_an_argument_is_not_captured_too():
    assert list(cells(show_levels(lambda x, model: MODEL(x), X, MODEL)))[:1] == ["model"]
    assert "MODEL" not in cells(show_levels(lambda x, model: MODEL(x), X, MODEL))


def test_a_write_to_what_is_captured_is_refused():
    picture = show_levels(Counter(nnx.Rngs(0)), X)
    note = "✗ TraceContextError: what was made outside can only be read inside"
    assert str(picture).splitlines()[-1] == note
    assert note in texts(picture)


def test_what_is_tied_is_two_copies_and_the_second_one_loses_too():
    picture = show_levels(Tied.__call__, Tied(nnx.Rngs(0)), X)
    assert cells(picture)[".b"] == ["Counter (shared, see above)", "another copy", ""]
    assert "✗ self.b.count is lost" in str(picture)


def test_an_attribute_that_is_added_is_lost_too():
    def look(model, x):
        model.seen = nnx.Intermediate(x)

    assert "✗ model.seen is lost" in str(show_levels(look, Counter(nnx.Rngs(0)), X))


def test_nothing_outside_is_changed_and_nothing_computed():
    model = Counter(nnx.Rngs(0))
    before = jax.tree.map(lambda leaf: leaf, nnx.to_pure_dict(nnx.state(model)))
    ran = []
    show_levels(lambda model, x: jax.debug.callback(ran.append, model(x)), model, X)
    after = nnx.to_pure_dict(nnx.state(model))
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), before, after))
    assert ran == []


def test_what_the_function_raises_is_raised():
    def wrong(model, x):
        raise KeyError("wrong")

    with pytest.raises(KeyError):
        find_levels(wrong, Counter(nnx.Rngs(0)), X)
    with pytest.raises(ValueError, match="must hold an NNX object"):
        find_levels(lambda x: x, X)
    with pytest.raises(TypeError, match="`f` must be a callable, got int"):
        find_levels(3, X)


def test_text_and_html_have_the_same_facts():
    for make in (
        lambda: show_levels(apply, Counter(nnx.Rngs(0)), X),
        lambda: show_levels(Counter(nnx.Rngs(0)), X),
        lambda: show_levels(Tied.__call__, Tied(nnx.Rngs(0)), X),
    ):
        picture = make()
        assert_twins(picture)
        assert picture == make()


def test_arguments_have_arrows_what_is_captured_a_dashed_line_and_losses_are_red():
    factor = nnx.Variable(jnp.float32(3.0))
    picture = show_levels(lambda model, x: factor[...] * model(x), Counter(nnx.Rngs(0)), X)
    assert picture.svg.count("polygon") == 3
    assert len(re.findall(r'class="grey line gone"', picture.svg)) == 1
    assert len(re.findall(r'<rect[^>]*class="red gone"', picture.svg)) == 1
    assert {"outside", "inside jax.jit(f)", "✗ lost"} <= {*texts(picture)}
