"""Where a result differs from the wanted one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from traced import ask
from traced.findings.feedback import Found
from traced.questions import compare, returns

ONES = np.ones(2, "float32")
kept = []


def finding(wanted, got, **given):
    with pytest.raises(Found) as caught:
        compare(wanted, got, **given)
    return caught.value.finding


@pytest.mark.parametrize(
    ("wanted", "got", "code", "at"),
    [
        ({"w": ONES, "b": 1.0}, {"w": ONES}, "value/structure", "['b'] is missing"),
        ({"w": ONES}, {"w": ONES, "b": 1.0}, "value/structure", "['b'] is too much"),
        ({"w": (1.0, 2.0)}, {"w": [1.0, 2.0]}, "value/structure", "['w'] is list and not tuple"),
        ({"w": None}, {"w": 1.0}, "value/structure", "['w'] is ~f32[] and not None"),
        ({"w": ONES, "b": ONES}, {"w": jnp.ones(3), "b": ONES}, "value/shape", "['w']"),
        ((1.0, (2, 3)), (1.0, (2, 3.0)), "value/dtype", "[1][1]"),
        ([ONES, ONES], [ONES, jnp.zeros(2)], "value/differs", "[1]"),
        ([ONES], ["text"], "value/structure", "[0]"),
    ],
)
def test_a_difference_inside_a_tree_is_told_with_its_path(wanted, got, code, at):
    found = finding(wanted, got, given="x")
    assert found.code == code
    assert found.saw[:2] == (("given", "x"), ("at", at))


def test_of_long_arrays_that_look_alike_the_first_entry_that_differs_is_told():
    found = finding(jnp.zeros((9, 9)), jnp.zeros((9, 9)).at[4, 5].set(2.0))
    assert found.saw == (("entry", "[4, 5]"), ("wanted", "0"), ("got", "2"))


@pytest.mark.parametrize(
    ("wanted", "got", "code"),
    [
        (ONES, jnp.zeros(2), "value/differs"),
        (ONES, jnp.zeros(3), "value/shape"),
        (ONES, [ONES], "value/structure"),
        (ONES, {1: ONES, "a": ONES}, "value/structure"),
        (ONES, None, "value/nothing"),
    ],
)
def test_a_result_that_is_one_array_has_no_path(wanted, got, code):
    found = finding(wanted, got)
    assert found.code == code
    assert "at" not in dict(found.saw)


@pytest.mark.parametrize(
    ("wanted", "got", "same"),
    [
        (np.float32(4.5), 3.4e42, False),
        (jax.random.key(1), jax.random.key(1), True),
        (jax.random.key(1), jax.random.key(2), False),
    ],
)
def test_large_numbers_and_keys_are_compared(wanted, got, same):
    assert ask(returns(lambda: wanted, ()), lambda: got).state == ("passed" if same else "not yet")


@pytest.mark.parametrize(
    ("wanted", "got", "said"),
    [
        (np.int32(3), 3, "int"),
        (jnp.int32(3), np.int64(3), "int64"),
        (np.float32(0.5), 0.5, "float"),
        (np.float32(0.5), np.array(0.5), "float64"),
        (np.bool(True), True, "bool"),
        (3, np.float32(3), "f32[]"),
    ],
)
def test_a_number_without_the_dtype_that_is_asked_for_has_another(wanted, got, said):
    found = finding((ONES, wanted), (ONES, got))
    assert found.code == "value/dtype"
    assert dict(found.saw)["got"] == said


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        (np.int32(3), np.int32(3)),
        (np.float32(0.5), jnp.asarray(0.5)),
        (0.5, np.float32(0.5)),
        (0.5, np.float64(0.5)),
        (3, jnp.int32(3)),
        (np.float64(0.5), np.float32(0.5)),
        (np.array([0.5]), np.array([0.5])),
    ],
)
def test_a_number_of_the_dtype_or_in_place_of_a_python_number_is_right(wanted, got):
    compare(wanted, got)


def test_a_key_among_the_arguments_is_shown_by_its_numbers():
    found = ask(returns(lambda key: 1.0, (jax.random.key(3),)), lambda key: 2.0).finding
    assert found.saw[0] == ("given", "key [0 3]")


def test_equal_trees_have_no_difference():
    compare({"w": ONES, "b": (1.0, None)}, {"w": jnp.ones(2), "b": (1.0, None)})


def test_a_returned_tracer_is_told_with_the_line_that_made_it():
    note = jax.jit(lambda x: kept.append(2 * x))

    def leaks(x):
        note(x)
        return kept[-1]

    found = ask(returns(lambda x: 2 * x, (1.0,)), leaks).finding
    assert found.code == "tracing/leaked"
    assert [place.note for place in found.where] == ["made here"]
    assert found.saw == (("got", "a tracer ~f32[]"),)
