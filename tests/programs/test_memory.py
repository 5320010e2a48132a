"""What XLA says of a compiled program: bytes and donated buffers."""

import warnings

import jax
import jax.numpy as jnp
import pytest
from flax import nnx
from jax import lax

from traced.programs.memory import Donation, measure_program

X, Y = jnp.ones(4), jnp.ones((2, 2))


def donations(f, *args, **options):
    found = measure_program(f, *args, **options).donations
    return {each.argument: each.output for each in found}


def test_bytes_of_a_product():
    program = measure_program(jnp.matmul, jnp.ones((64, 32)), jnp.ones((32, 16)))
    assert program.argument_bytes == 4 * (64 * 32 + 32 * 16)
    assert (program.output_bytes, program.aliased_bytes) == (4 * 64 * 16, 0)


def test_what_a_gradient_keeps_of_each_step_is_temporary():
    def loss(x):
        return jnp.sum(lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=50)[0])

    value, gradient = (measure_program(f, jnp.ones(100)) for f in (loss, jax.grad(loss)))
    assert value.temporary_bytes < 4 * 100 * 50 <= gradient.temporary_bytes


DONATED = {
    "used": (lambda x: x + 1, (X,), {"x": "result"}),
    "of no use": (lambda x: jnp.sum(x), (X,), {"x": ""}),
    "not read": (lambda x, y: 2 * x, (X, Y), {"x": "result", "y": ""}),
    "returned as it is": (lambda x: x, (X,), {"x": "result"}),
    "in another shape": (lambda x: 2 * x.reshape(2, 2), (X,), {"x": "result"}),
    "a tree": (
        lambda p: {"b": 2 * p["b"], "a's": p["a's"] + 1},
        ({"a's": X, "b": Y},),
        {"""p["a's"]""": """result["a's"]""", "p['b']": "result['b']"},
    ),
    "more than ten": (
        lambda xs: [2 * x for x in xs],
        ([jnp.ones(i + 1) for i in range(12)],),
        {f"xs[{i}]": f"result[{i}]" for i in range(12)},
    ),
}


@pytest.mark.parametrize("name", DONATED)
def test_a_donated_argument_is_told_with_the_output_in_its_place(name):
    f, args, expected = DONATED[name]
    assert donations(f, *args, donate_argnums=tuple(range(len(args)))) == expected


def test_what_was_not_donated_is_not_told():
    assert donations(lambda x, y: (x + 1, y + 1), X, Y, donate_argnums=(1,)) == {"y": "result[1]"}


def test_a_module_is_donated_by_its_variables():
    model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    found = donations(lambda m: jax.tree.map(lambda w: 2 * w, m), model, donate_argnums=(0,))
    assert found["m.kernel.value"] == "result.kernel.value"


def test_a_jitted_function_is_measured_with_its_own_donations():
    f = jax.jit(lambda n, x, y: (n * x, y), static_argnums=0, donate_argnames=("x", "y"))
    assert donations(f, 2, X, Y) == {"x": "result[0]", "y": "result[1]"}


def test_which_of_the_arguments_was_of_no_use_is_not_guessed():
    f = jax.jit(lambda n, m, x: (jnp.sum(x), m), static_argnums=0, donate_argnums=(1, 2))
    assert measure_program(f, 2, 3, X).donations == (
        Donation("m", "result[1]"),
        Donation("", ""),
    )


def test_jaxs_warning_is_told_as_data_and_warnings_are_left_alone():
    before = warnings.filters[:]
    with warnings.catch_warnings(record=True) as caught:
        measure_program(lambda x: jnp.sum(x), X, donate_argnums=(0,))
    assert (caught, warnings.filters) == ([], before)


def test_the_arguments_are_not_consumed():
    x = jnp.ones(4)
    measure_program(lambda x: x + 1, x, donate_argnums=(0,))
    assert not x.is_deleted()


def test_shapes_will_do_for_arguments():
    wide = jax.ShapeDtypeStruct((1000, 1000), "float32")
    assert measure_program(jnp.sin, wide).argument_bytes == 4 * 10**6


def test_a_ref_that_is_written_to_is_no_donation():
    def count(ref, x):
        ref[...] = ref[...] + 1
        return x.sum(), ref[...] * 2

    program = measure_program(count, jax.new_ref(X), Y)
    assert program.argument_bytes == 4 * (4 + 4)
    assert program.donations == ()


def test_one_that_returns_nothing_but_writes_is_measured():
    def write(ref):
        ref[...] = ref[...] + 1

    assert measure_program(write, jax.new_ref(X)).donations == ()
