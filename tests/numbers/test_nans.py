"""The equation in which a NaN or an infinity first appears."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

from traced.numbers.nans import find_first_nan

X = jnp.array([1.0, 2.0, 0.0])


@jax.custom_vjp
def logarithm(x):
    return jnp.log(x)


logarithm.defvjp(lambda x: (logarithm(x), x), lambda x, ct: (ct / x,))

FINITE = {
    "no fault": (jnp.sin, 1.0),
    "a NaN that is discarded": (lambda x: jnp.where(x > 0, jnp.log(x), 0.0), X),
    "an infinity that is": (lambda x: jnp.exp(jnp.log(x)), X),
    "integers": (lambda n: n // 2, 3),
    "nothing": (lambda x: None, 1.0),
}


@pytest.mark.parametrize("name", FINITE)
def test_a_finite_result_has_no_first_nan(name):
    assert find_first_nan(*FINITE[name]) is None


MADE = {
    "an infinity, not the NaN made of it": (lambda x: jnp.exp(x) / jnp.exp(x), X * 90, "exp"),
    "a division": (lambda x: 1 / x, 0.0, "div"),
    "not the equation that hands it on": (lambda x: jnp.sum(2.0 * jnp.log(x)), X, "log"),
    "overflow of few bits": (lambda x: x * x, jnp.float16(300), "mul"),
    "few bits of fraction": (jnp.log, jnp.bfloat16(-1), "log"),
    "complex": (lambda x: 1 / x, 0j, "div"),
    "a gradient": (jax.grad(lambda x: jnp.sum(jnp.sqrt(x))), X, "div"),
    "of a norm": (jax.grad(jnp.linalg.norm), jnp.zeros(3), "div"),
    "of two branches": (jax.grad(lambda x: jnp.where(x > 0, jnp.sqrt(x), x)), 0.0, "div"),
    "two derivatives": (jax.hessian(jnp.sqrt), 0.0, "div"),
}


@pytest.mark.parametrize("name", MADE)
def test_it_is_found_where_it_is_made_from_what_is_finite(name):
    f, x, primitive = MADE[name]
    assert find_first_nan(f, x).primitive == primitive


def loop(x, body, **options):
    return lax.scan(lambda carry, y: (body(carry, y), None), 0.0, x, **options)[0]


NESTED = {
    "jit": (jax.jit(jnp.log), X, ()),
    "custom_vjp_call": (logarithm, X, ()),
    "remat2": (jax.checkpoint(jnp.log), X, ()),
    "cond": (lambda x: lax.cond(x[0] > 0, jnp.log, jnp.sin, x), X, ()),
    "scan": (lambda x: loop(x, lambda c, y: c + jnp.log(y)), X, (2,)),
    "scan of results": (lambda x: lax.map(jnp.log, x), X, (2,)),
    "scan that ends well": (lambda x: lax.map(jnp.log, x), X[::-1], (0,)),
    "scan in reverse": (lambda x: loop(x, lambda c, y: c + jnp.log(y), reverse=True), X, (2,)),
    "scan by fori_loop": (lambda x: lax.fori_loop(0, 5, lambda i, y: jnp.log(y), x), 3.0, (3,)),
}


@pytest.mark.parametrize("name", NESTED)
def test_it_is_found_inside_of_others_with_the_iteration(name):
    f, x, iterations = NESTED[name]
    found = find_first_nan(f, x)
    assert (found.primitive, found.within[0]) == ("log", name.split()[0])
    assert found.iterations == iterations


def test_loops_in_loops_have_an_iteration_each():
    def inner(_, y):
        return lax.fori_loop(0, 3, lambda i, z: jnp.log(z), y), None

    found = find_first_nan(lambda x: lax.scan(inner, 0.0, x)[0], jnp.array([1e9, 2.0]))
    assert (found.within, found.iterations) == (("scan", "scan"), (1, 2))


def test_an_overflow_is_found_in_an_earlier_iteration_than_the_nan_made_of_it():
    def body(carry, _):
        a, b = carry
        return (1e20 * a, b + a - a), None

    found = find_first_nan(lambda x: lax.scan(body, (x, x), None, length=5)[0][1], 1.0)
    assert (found.primitive, found.iterations) == ("mul", (1,))


def test_results_of_iterations_are_looked_at_besides_what_is_carried():
    def f(x):
        return lax.scan(lambda _, y: (jnp.log(y[0]), jnp.log(y[1])), 0.0, x)

    assert find_first_nan(f, jnp.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])).iterations == (0,)


def test_a_reversed_loop_is_run_in_reverse():
    def f(x):
        return lax.scan(lambda c, y: (c - y, jnp.log(c - y)), 7.0, x, reverse=True)[1]

    found = find_first_nan(f, jnp.array([1.0, 2.0, 4.0]))
    assert (found.primitive, found.iterations) == ("log", (0,))


def test_the_iterations_of_a_while_loop_are_counted():
    def f(x):
        return lax.while_loop(
            lambda c: c[0] < 6, lambda c: (c[0] + 1, c[1] / (3.0 - c[0])), (0.0, x)
        )

    found = find_first_nan(f, 1.0)
    assert (found.primitive, found.within, found.iterations) == ("div", ("while",), (3,))


def test_a_loop_of_a_batch_goes_on_without_the_entries_that_have_ended():
    def step(n, i, y):
        return i + 1.0, y / (n - 1.0) / (3.0 - i)

    def f(n):
        return lax.while_loop(lambda c: c[0] < n, lambda c: step(n, *c), (1.0, 1.0))[1]

    assert find_first_nan(jax.vmap(f), jnp.array([1.0, 5.0])).iterations == (2,)
    assert find_first_nan(jax.vmap(f), jnp.array([1.0, 2.0])) is None


def test_the_line_is_the_readers():
    def f(x):
        y = 2.0 * x
        return jnp.linalg.norm(jnp.log(y))

    assert find_first_nan(f, X).place.source == "return jnp.linalg.norm(jnp.log(y))"


def test_what_jax_traced_for_another_is_placed_at_the_readers_call():
    def f(x):
        return jnp.corrcoef(x)

    x = jnp.ones((2, 3))
    thread = threading.Thread(target=jnp.corrcoef, args=(x,))
    thread.start()
    thread.join()
    assert find_first_nan(f, x).place.source == "return jnp.corrcoef(x)"


def test_operands_are_shown_at_the_first_bad_entry():
    found = find_first_nan(lambda x, n: n / x, X, 2.0)
    assert found.operands == ("f32[] 2.", "f32[3] 0.0 at [2]")
    assert found.result == "f32[3] inf at [2]"


GIVEN = {
    "w['b'][0]": (lambda w: 2.0 * w["b"][0], {"a": 1.0, "b": [X / X]}),
    "x": (lambda x: x, jnp.inf),
    "": (lambda x: x + np.float32("nan"), np.float32(1)),
}


@pytest.mark.parametrize("argument", GIVEN)
def test_what_was_given_is_named_instead_of_an_equation(argument):
    found = find_first_nan(*GIVEN[argument])
    assert (found.primitive, found.argument, found.place) == ("", argument, None)


@pytest.mark.parametrize(
    ("f", "x"),
    [(lambda x: x - x, jnp.inf), (lambda x: jax.nn.softmax(jnp.where(x > 9, x, -jnp.inf)), X)],
)
def test_a_nan_made_of_infinities_that_were_given_is_found_where_it_is_made(f, x):
    assert find_first_nan(f, x).primitive == "sub"


def test_static_arguments_stay_static():
    f = jax.jit(lambda x, n: jnp.log(x - n), static_argnames="n")
    assert find_first_nan(f, X, n=2).operands == ("f32[3] -1.0 at [0]",)


def test_modules_are_taken():
    model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    model.bias[...] = jnp.full(2, 1e38)
    assert find_first_nan(lambda m, x: 100.0 * m(x), model, X).primitive == "mul"


def test_what_cannot_be_entered_is_one_equation():
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("i")
    f = jax.shard_map(jnp.log, mesh=mesh, in_specs=spec, out_specs=spec)
    found = find_first_nan(f, X)
    assert (found.primitive, found.iterations) == ("shard_map", ())


def test_a_ref_is_left_as_it_was():
    def f(ref):
        ref[0] = 0.0
        return jnp.log(ref[...])

    ref = jax.new_ref(jnp.ones(2))
    assert find_first_nan(f, ref).primitive == "log"
    assert ref[...].tolist() == [1.0, 1.0]


def test_what_has_written_to_a_ref_is_not_run_again():
    @jax.jit
    def inner(ref):
        y = jnp.sqrt(ref[0]) + jnp.log(ref[1])
        ref[...] = -ref[...]
        return y

    assert find_first_nan(lambda ref: 2.0 * inner(ref), jax.new_ref(X - 2.0)).primitive == "jit"


def test_jaxs_own_search_is_switched_off_meanwhile():
    with jax.debug_nans(True):
        assert find_first_nan(jnp.log, -1.0).primitive == "log"
        with pytest.raises(FloatingPointError):
            jnp.log(-1.0)


@given(
    st.lists(st.sampled_from(["sin", "exp", "log", "sqrt", "square"]), max_size=6), st.floats(-3, 9)
)
@settings(max_examples=30, deadline=None)
def test_a_chain_breaks_where_evaluating_it_by_hand_does(names, x):
    def f(y):
        for name in names:
            y = getattr(jnp, name)(y)
        return y

    values, y = [], jnp.float32(x)
    for name in names:
        y = getattr(jnp, name)(y)
        values.append(bool(jnp.isfinite(y)))
    found = find_first_nan(f, jnp.float32(x))
    assert (found is None) is (not values or values[-1])
    if found:
        assert found.primitive == names[values.index(False)]


def test_an_integer_of_a_function_that_is_not_jitted_may_be_a_size():
    found = find_first_nan(lambda x, k: lax.top_k(jnp.log(x), k)[0], jnp.array([-1.0, 2.0]), 2)
    assert found.primitive == "log"
