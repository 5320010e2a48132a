"""Programs with a transform of NNX beside the same by hand."""

import pytest
from flax import nnx

from tests.drawing.twins import read
from traced.modules.by_hand import compare_by_hand
from traced.modules.paired_programs import PROGRAMS
from traced.show import show_by_hand


@pytest.mark.parametrize("transform", PROGRAMS)
def test_both_modes_return_and_change_what_the_program_by_hand_does(transform):
    seen = dict(compare_by_hand(transform).seen)
    by_hand = seen.pop("by hand")
    assert list(by_hand) == ["result", "block.calls"]
    if transform == "grad":  # in tree mode the count is differentiated too, and is an integer
        assert seen.pop("tree mode") == {"raises": "TypeError"}
    if transform == "custom_vjp":  # its backward function is given a pair in graph mode only
        assert seen.pop("tree mode") == {"raises": "TypeError"}
    if transform in ("vjp", "jvp"):  # they bring no structure back, and so refuse graph mode
        assert seen.pop("graph mode") == {"raises": "NotImplementedError"}
    assert all(facts == by_hand for facts in seen.values())


@pytest.mark.parametrize("transform", PROGRAMS)
def test_each_program_calls_the_transform_that_it_is_about(transform):
    pair = compare_by_hand(transform)
    assert sum(f"nnx.{transform}(" in line for line in pair.with_nnx) == 1
    assert not any(f"nnx.{transform}(" in line for line in pair.by_hand)
    called = {"remat": "checkpoint"}.get(transform, transform)
    assert any(f".{called}(" in line and "jax." in line for line in pair.by_hand)


def test_the_mode_is_as_it_was():
    before = nnx.set_graph_mode.current_value()
    compare_by_hand("grad")
    assert nnx.set_graph_mode.current_value() == before


def test_lines_that_differ_are_marked_and_stand_beside_the_one_that_is_most_alike():
    rows = read(show_by_hand("jit").html).rows
    assert ["", "    out = block(x)", "    out = block(x)"] in rows
    pair = ["≠", "out = nnx.jit(run)(block, x)", "out, state = jax.jit(run)(state, x)"]
    assert pair in rows
    assert ["≠", "", "nnx.update(block, state)"] in rows


def test_a_mode_that_refuses_is_told_in_the_drawing_and_in_its_twin():
    picture = show_by_hand("grad")
    assert ["result", "3.0", "3.0", "✗ raises TypeError"] in read(picture.html).rows
    assert "✗ raises TypeError" in picture.svg
    assert "✗ raises TypeError" in str(picture)


def test_what_has_no_programs_is_said():
    with pytest.raises(ValueError, match="no programs for 'hessian'; there are jit, grad"):
        show_by_hand("hessian")
