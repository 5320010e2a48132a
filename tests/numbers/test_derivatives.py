"""Derivatives by autodiff, compared with differences."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

from traced.numbers.derivatives import find_derivatives, find_wrong_derivatives

pytestmark = pytest.mark.usefixtures("compiled_once")

X = jnp.array([0.3, -1.2, 2.5, 0.7, -0.1])


def verdicts(f, *args, **options):
    return {each.verdict for each in find_derivatives(f, *args, **options)}


RIGHT = {
    "polynomial": (lambda x: x**3 - 2.0 * x, 1.5),
    "vector": (lambda x: jnp.sin(x) * jnp.sum(x), X),
    "softmax": (jax.nn.softmax, X),
    "scan": (lambda x: lax.scan(lambda c, _: (jnp.sin(c), c), x, None, length=5), X),
    "two arguments": (lambda a, b: a["w"] @ b, {"w": jnp.eye(2)}, jnp.ones(2)),
    "Python branch": (lambda x: 2 * x if x > 0 else 3 * x, 1.0),
    "key and integer": (lambda k, n, x: n * x * jax.random.normal(k), jax.random.key(0), 3, 2.0),
    "flat": (lambda x: 3.0, 1.0),
    "at a minimum": (lambda x: x**2 + 1.0, 0.0),
    "clipped away": (lambda x: jnp.clip(x, -1, 1), 5.0),
    "beside the border of its domain": (jnp.log, jnp.array([1e-6, 1.0, 100.0])),
    "fast": (lambda x: jnp.cos(1000 * x), 1.0),
    "far away": (jnp.cos, 1e6),
    "large": (lambda x: jnp.exp(20 * x), X),
    "masked": (lambda x: jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0), -1.0),
    "no entries": (lambda x, y: y * jnp.sum(x), jnp.ones((0, 2)), 2.0),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_derivative_agrees(name):
    assert verdicts(*RIGHT[name]) == {"agrees"}


def sine(factor):
    @jax.custom_jvp
    def f(x):
        return jnp.sin(x)

    f.defjvps(lambda tangent, _, x: factor * jnp.cos(x) * tangent)
    return f


@pytest.mark.parametrize("factor", [-1.0, 0.5, 0.97, 1.03, 2.0])
@pytest.mark.parametrize("x", [0.4, X])
def test_a_wrong_factor_differs_in_both_modes(factor, x):
    found = find_wrong_derivatives(sine(factor), x)
    assert {(each.verdict, each.mode) for each in found} == {
        ("differs", "reverse"),
        ("differs", "forward"),
    }


WRONG = {
    "differs": (lambda x: x * lax.stop_gradient(x), 3.0),
    "zero": (jnp.round, 3.2),
    "not finite": (lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0), -1.0),
}


@pytest.mark.parametrize("verdict", WRONG)
def test_a_fault_has_its_verdict(verdict):
    found = find_wrong_derivatives(*WRONG[verdict], modes=("reverse",))
    assert [(each.argument[0] in "ax", each.verdict) for each in found] == [(True, verdict)]


FLAT = [
    jnp.sign,
    lax.stop_gradient,
    lambda x: x.astype(int).astype(float),
    lambda x: jnp.argmax(x).astype(float),
    lambda x: jnp.sum(x > 0.0).astype(float),
]


@pytest.mark.parametrize("f", FLAT)
def test_steps_and_a_stopped_gradient_are_zero_though_the_function_varies(f):
    found = find_wrong_derivatives(f, X)
    assert [(each.direction, each.autodiff) for each in found] == [("any", 0.0)] * 2
    assert all(each.differences != 0 for each in found)


def test_a_short_slope_between_two_flat_parts_is_found():
    # At a value of exactly zero rounding moves nothing: not even an equal value counts as a rise.
    assert find_wrong_derivatives(lambda x: jnp.clip(500 * (x - 0.0617), 0.0, 1.0), 0.0) == []


def test_a_function_that_never_varies_is_no_fault():
    assert find_wrong_derivatives(lambda x, y: 2.0 * x, 1.0, 3.0) == []


@pytest.mark.parametrize("f", [jax.nn.relu, jnp.abs])
def test_a_kink_is_no_fault(f):
    assert verdicts(f, 0.0) == {"kink"}


def test_a_slope_outside_those_of_the_two_sides_of_a_kink_is_one():
    f = jax.custom_jvp(jnp.abs)
    f.defjvps(lambda tangent, _, x: 3.0 * tangent)
    assert verdicts(f, 0.0) == {"differs"}


@pytest.mark.parametrize(
    ("f", "x"), [(lambda x: x + 1e6, 1.0), (lambda x: x + 100.0, jnp.bfloat16(1.5))]
)
def test_what_rounding_hides_is_unresolved(f, x):
    assert verdicts(f, x) == {"unresolved"}


def test_a_kink_beside_the_point_is_no_fault():
    def f(x):
        return jnp.sin(x) + 0.02 * jax.nn.relu(x - 1.0)

    assert verdicts(f, 1.0002) <= {"agrees", "unresolved"}


def test_an_infinite_derivative_is_one():
    assert [each.autodiff for each in find_wrong_derivatives(jnp.cbrt, 0.0)] == [np.inf] * 2


def test_each_leaf_is_told_by_its_path():
    def loss(model, x):
        return jnp.sum(model["w"] * x) + jnp.sum(lax.stop_gradient(model["b"]))

    model = {"w": jnp.ones(2), "b": jnp.ones(2)}
    assert {each.argument for each in find_wrong_derivatives(loss, model, X[:2])} == {"model['b']"}


def test_a_module_is_an_argument_like_any_other():
    model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    found = find_derivatives(lambda m, x: m(x), model, jnp.ones((1, 2)), modes=("reverse",))
    assert {each.argument for each in found} == {"m.bias.value", "m.kernel.value", "x"}
    assert {each.verdict for each in found} == {"agrees"}


@jax.custom_vjp
def cube(x):
    return x**3


cube.defvjp(lambda x: (cube(x), x), lambda x, ct: (3 * x**2 * ct,))


@pytest.mark.parametrize(
    ("f", "mode"),
    [
        (cube, "reverse"),
        (lambda x: lax.while_loop(lambda c: c < 9.0, lambda c: c * 2, x), "forward"),
    ],
)
def test_a_mode_that_jax_refuses_is_left_out(f, mode):
    assert {each.mode for each in find_derivatives(f, 1.5)} == {mode}


def test_if_jax_refuses_all_modes_its_error_comes_through():
    with pytest.raises(TypeError, match="custom_vjp"):
        find_derivatives(cube, 1.5, modes=("forward",))


@pytest.mark.parametrize(
    ("f", "args", "error", "text"),
    [
        (lambda n: n, (3,), TypeError, "`f` must take floats"),
        (lambda x: x > 0, (1.0,), TypeError, "`f` must return floats"),
        (jnp.log, (0.0,), ValueError, "`f` must return finite floats"),
    ],
)
def test_what_cannot_be_compared_is_refused(f, args, error, text):
    with pytest.raises(error, match=text):
        find_derivatives(f, *args)


def test_arguments_and_warnings_are_left_alone():
    x = np.array([1.0, 2.0], "float32")
    before = np.geterr()
    find_derivatives(lambda x: jnp.exp(40 * x), x)
    assert (x.tolist(), np.geterr()) == ([1.0, 2.0], before)


@given(st.lists(st.floats(-3, 3, width=32), min_size=1, max_size=4), st.integers(1, 4))
@settings(max_examples=6, deadline=None)
def test_no_smooth_function_is_found_wrong(coefficients, n):
    def f(x):
        return sum(c * jnp.sin((i + 1) * x) for i, c in enumerate(coefficients))

    assert find_wrong_derivatives(f, jnp.linspace(-1.0, 2.0, n), modes=("reverse",)) == []


def test_what_is_written_to_a_ref_is_written_to_a_copy():
    def count(ref, x):
        ref[...] = ref[...] + 1.0
        return ref[...] * x

    ref = jax.new_ref(jnp.ones(2))
    assert find_wrong_derivatives(count, ref, jnp.array([2.0, 3.0])) == []
    assert ref[...].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("f", "x", "message"),
    [
        (lambda ref: ref[...], jax.new_ref(jnp.ones(2)), "`f` must take floats"),
        (lambda x: x.astype("int8"), jnp.ones(2), r"`f` must return floats, got i8\[2\]"),
        (lambda x: None, jnp.ones(2), "`f` must return floats, got None"),
    ],
)
def test_what_has_no_derivatives_is_told_with_its_type(f, x, message):
    with pytest.raises(TypeError, match=message):
        find_wrong_derivatives(f, x)
