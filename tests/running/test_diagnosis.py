"""Which finding an error stands for, where, and what was seen."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from traced import ask
from traced.findings.feedback import Found
from traced.numbers.nans import find_first_nan
from traced.programs.jaxprs import find_equations
from traced.questions import changes_nothing, derives_its_values, stays_finite, uses_jit
from traced.running.attempt import attempt

kept = []


def finding(call):
    with pytest.raises(Found) as caught:
        attempt(call)
    return caught.value.finding


def widen(carry, x):
    return carry + x, None


def one(x):
    return {"a": x}


def other(x):
    return {"a": 1.5 * x}


CARRIES = {
    "scan": (lambda: lax.scan(widen, 0.0, jnp.ones((3, 2))), "carry is f32[]", "carry is f32[2]"),
    "a part": (
        lambda: lax.scan(lambda c, x: ((c[0], c[1] + x), x), (0.0, 0.0), jnp.ones((3, 2))),
        "c[1] is f32[]",
        "c[1] is f32[2]",
    ),
    "dtype": (
        lambda: lax.while_loop(lambda c: c < 3, lambda c: c.astype("float32"), jnp.uint32(1)),
        "c is u32[]",
        "c is f32[]",
    ),
    "fori_loop": (lambda: lax.fori_loop(0, 3, lambda i, c: (c, c), 1), "an array", "a tuple"),
    "structure": (
        lambda: lax.while_loop(lambda c: c[0] < 3, lambda c: [c[0]], (1,)),
        "c is a tuple",
        "c is a list",
    ),
}
BRANCHES = {
    "types": (
        lambda: lax.cond(True, one, other, 1),
        "true_fun['a']: i32[]",
        "false_fun['a']: f32[]",
    ),
    "structures": (
        lambda: lax.cond(True, lambda x: (x, x), lambda x: x, 1),
        "true_fun: a tuple",
        "false_fun: an array",
    ),
    "nothing": (
        lambda: lax.cond(True, lambda x: x, lambda x: None, 1),
        "true_fun: an array",
        "false_fun: None",
    ),
    "switch": (
        lambda: lax.switch(1, [lambda x: x, lambda x: x, lambda x: jnp.ones(3)], jnp.float32(1)),
        "branch 0: f32[]",
        "branch 2: f32[3]",
    ),
}


@pytest.mark.parametrize("case", CARRIES)
def test_a_carry_is_told_as_it_goes_in_and_as_it_comes_out(case):
    call, into, out = CARRIES[case]
    found = finding(call)
    assert found.code == "loops/carry-mismatch"
    assert found.saw == (("carry in", into), ("carry out", out))
    assert len(found.where) == 1


@pytest.mark.parametrize("case", BRANCHES)
def test_branches_are_told_with_their_types(case):
    call, *sides = BRANCHES[case]
    found = finding(call)
    assert found.code == "branches/disagree"
    assert [": ".join(pair) for pair in found.saw] == sides


def test_branches_are_told_with_their_places():
    def choose():
        return lax.cond(True, one, other, 1)

    assert [(place.source, place.note) for place in finding(choose).where] == [
        ("return lax.cond(True, one, other, 1)", ""),
        ("def one(x):", "true_fun"),
        ("def other(x):", "false_fun"),
    ]


def test_branches_in_the_line_of_the_call_are_not_told_again():
    found = finding(lambda: lax.cond(True, lambda x: x, lambda x: (x, x), 1))
    assert [place.note for place in found.where] == [""]


@pytest.mark.parametrize(
    "loop",
    [
        lambda x: lax.while_loop(lambda c: c < 3, lambda c: c * 1.5, x),
        lambda x: lax.fori_loop(0, jnp.int32(x), lambda i, c: c * 1.5, x),
    ],
)
def test_reverse_mode_through_a_loop_of_unknown_length_is_named(loop):
    assert finding(lambda: jax.jit(jax.grad(loop))(1.0)).code == "loops/reverse-mode"


def test_a_leaked_tracer_is_told_where_it_was_made_and_where_it_is_used():
    @jax.jit
    def note(x):
        kept.append(3 * x)

    def use():
        note(1.0)
        return kept[-1] + 1

    assert [(place.source, place.note) for place in finding(use).where] == [
        ("kept.append(3 * x)", "made here"),
        ("return kept[-1] + 1", "used here"),
    ]


def test_of_a_leak_without_a_line_the_use_is_told():
    def use():
        jax.vmap(lambda x: kept.append(2 * x))(jnp.ones(3))
        return kept[-1] + 1

    assert [place.note for place in finding(use).where] == ["used here"]


BATCH = {"x": jnp.ones((4, 2)), "mask": jnp.ones(2)}
ONES = jnp.ones(3)
AXES = {
    "too few entries": (
        lambda: jax.vmap(lambda a, b: a, in_axes=(0,))(ONES, ONES),
        ["entries of `in_axes`: 1", "arguments: 2"],
    ),
    "a missing key": (
        lambda: jax.vmap(lambda w, row: row, in_axes=(None, {"x": 0}))(BATCH, BATCH),
        ["in_axes[1] and its argument differ in the key: mask"],
    ),
    "lengths that differ": (
        lambda: jax.vmap(lambda row, b: b, in_axes=(0, None))(BATCH, ONES),
        ["mapped: axis 0 of row['mask'], f32[2]", "mapped: axis 0 of row['x'], f32[4,2]"],
    ),
}


@pytest.mark.parametrize("case", AXES)
def test_axes_that_do_not_fit_are_told_with_the_arguments(case):
    call, saw = AXES[case]
    found = finding(call)
    assert found.code == "trees/prefix"
    assert [": ".join(pair) for pair in found.saw] == saw


MESH = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Explicit,))
SPEC = jax.sharding.PartitionSpec("i")
OF_LIBRARIES = {
    "tracing/value-needed": (math.sqrt, (2.0,)),
    "tracing/numpy-on-tracer": (np.sin, (jnp.ones(3),)),
    "runs/raised": (
        jax.shard_map(jnp.sin, mesh=MESH, in_specs=SPEC, out_specs=SPEC),
        (jnp.ones(4),),
    ),
}


@pytest.mark.parametrize("code", OF_LIBRARIES)
def test_what_jax_raises_of_a_function_of_a_library_is_no_fault_of_a_probe(code):
    f, args = OF_LIBRARIES[code]
    for probe in (find_equations, find_first_nan):
        with pytest.raises(Found) as caught:
            attempt(probe, f, *args)
        assert caught.value.finding.code == code


@pytest.mark.parametrize(
    "question", [stays_finite(1.0), derives_its_values(1.0), uses_jit(1.0), changes_nothing(1.0)]
)
def test_what_cannot_be_called_is_told_as_that(question):
    feedback = ask(question, 3)
    assert feedback.state == "not yet"
    assert "`f` must be a callable, got int" in str(feedback)
