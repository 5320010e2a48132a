"""What a call changes, and what of it `nnx.jit` brings back, in both modes."""

import jax.numpy as jnp
import pytest
from flax import nnx

from tests.modules.counter import Counter
from traced.modules.modes import WAYS, compare_modes

X = jnp.ones((4, 2))


def kinds(f, *args):
    return [
        outcome.error or sorted({change.kind for change in outcome.changes})
        for outcome in compare_modes(f, *args)[1].values()
    ]


def test_the_ways_are_the_code_that_they_say():
    for name, way in WAYS.items():
        f = eval(name, {"nnx": nnx, "f": lambda model: model.count[...].shape})
        assert way(f)(Counter(nnx.Rngs(0))) == ()


def test_the_value_of_a_variable_comes_back_in_both_modes():
    def add(model):
        model.count[...] += 1

    assert kinds(add, Counter(nnx.Rngs(0))) == [["value"]] * 3


def test_a_static_attribute_comes_back_in_graph_mode_only():
    def count(model):
        model.calls += 1

    assert kinds(count, Counter(nnx.Rngs(0))) == [["static", "structure"]] * 2 + [[]]


def test_tree_mode_refuses_a_shared_variable():
    layer = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    assert kinds(lambda layers: None, nnx.List([layer, layer])) == [[], [], "ValueError"]


def test_what_jit_cannot_trace_is_an_error_of_both_modes():
    def branch(model):
        if model.count[...] == 0:
            model.calls = 7

    error = "TracerBoolConversionError"
    assert kinds(branch, Counter(nnx.Rngs(0))) == [["static", "structure"], error, error]


@pytest.mark.parametrize("form", ["module", "method", "function"])
def test_the_object_of_a_method_is_an_argument(form):
    model = Counter(nnx.Rngs(0))
    calls = {
        "module": (model, X),
        "method": (model.__call__, X),
        "function": (Counter.__call__, model, X),
    }
    before, outcomes = compare_modes(*calls[form])
    assert list(before.root.parts) == ["self"]
    assert [len(outcome.changes) for outcome in outcomes.values()] == [3, 3, 1]


def test_the_arguments_stay_as_they_are():
    model = Counter(nnx.Rngs(0))
    compare_modes(model, X)
    assert (model.calls, model.count[...]) == (0, 0)


def test_what_the_function_raises_comes_through():
    with pytest.raises(ZeroDivisionError):
        compare_modes(lambda model: 1 // 0, Counter(nnx.Rngs(0)))


@pytest.mark.parametrize(("args", "error"), [((3,), TypeError), ((abs, 1.0), ValueError)])
def test_what_is_no_module_or_no_function_is_refused(args, error):
    with pytest.raises(error):
        compare_modes(*args)
