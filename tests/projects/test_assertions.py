"""The assertions on functions of one's own: what passes, what fails, and what is refused."""

import functools

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from traced.testing import (
    assert_changes_nothing,
    assert_keys_used_once,
    assert_same_equations,
    assert_traces_at_most,
)


def said(caught):
    return str(caught.value).splitlines()


def call_within(n, f, *args):
    """Call `f` with each of `args` in a block of at most `n` traces."""
    with assert_traces_at_most(n):
        for each in args:
            f(each)


def test_a_block_names_the_function_that_is_traced_again():
    with pytest.raises(AssertionError) as caught:
        call_within(1, jax.jit(lambda x: 2 * x), 1.0, 2)
    assert said(caught)[0] == "<lambda>: JAX traced again for a new dtype  [tracing/new-dtype]"
    assert "seen: again: dtype: x is i32[], was f32[]" in said(caught)


def test_a_block_counts_each_function_by_itself():
    with assert_traces_at_most(1):
        jax.jit(lambda x: x)(1.0)
        jax.jit(lambda x: -x)(1.0)


def test_a_block_lets_its_own_error_through():
    def divide(x):
        return jax.jit(lambda x: x)(x) / {}[x]

    with pytest.raises(KeyError):
        call_within(0, divide, 1.0)


def test_a_block_inside_a_block_counts_for_both():
    limit, double = assert_traces_at_most(1), jax.jit(lambda x: 2 * x)

    @limit
    def outer():
        double(1.0)
        with limit:
            double(1)

    with pytest.raises(AssertionError, match="tracing/new-dtype"):
        outer()


def test_no_trace_at_all_is_a_limit_too():
    double = jax.jit(lambda x: 2 * x)
    double(1.0)
    call_within(0, double, 2.0)
    with pytest.raises(AssertionError, match="traces: 1, where 0 would do"):
        call_within(0, double, 2)


def test_above_jit_all_calls_count():
    @assert_traces_at_most(2)
    @functools.partial(jax.jit, static_argnames="n")
    def power(x, n):
        return x**n

    assert power(2.0, n=1) == 2.0
    assert power(2.0, n=2) == power(2.0, n=2) == 4.0
    with pytest.raises(AssertionError) as caught:
        power(2.0, n=3)
    assert said(caught)[0] == (
        "power: JAX traced again for a new static value  [tracing/static-value]"
    )
    assert "seen: again: static value: n is 3, was 2" in said(caught)
    assert any("def power(x, n):   (traced again)" in line for line in said(caught))
    assert any("power(2.0, n=3)   (called here)" in line for line in said(caught))
    assert power(2.0, n=1) == 2.0


def test_above_the_jit_of_flax_the_line_is_the_readers():
    @assert_traces_at_most(1)
    @nnx.jit
    def apply(model, x):
        return model(x)

    model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    apply(model, jnp.ones((1, 2)))
    with pytest.raises(AssertionError) as caught:
        apply(model, jnp.ones((4, 2)))
    assert any("def apply(model, x):   (traced again)" in line for line in said(caught))


def test_a_decorated_test_is_a_block_at_each_call():
    @assert_traces_at_most(1)
    def check(sizes):
        f = jax.jit(lambda x: x)
        for size in sizes:
            f(jnp.ones(size))

    check([1, 1])
    check([2, 2])
    with pytest.raises(AssertionError, match="tracing/new-shape"):
        check([1, 2])


def test_below_jit_it_says_where_it_belongs():
    @jax.jit
    @assert_traces_at_most(1)
    def double(x):
        return 2 * x

    with pytest.raises(TypeError, match=r"put it above, as in `assert_traces_at_most\(1\)\(jax\."):
        double(1.0)


@pytest.mark.parametrize("n", [-1, 1.5, True, "1", None])
def test_a_limit_is_a_number(n):
    with pytest.raises(TypeError, match="`n` must be a number of traces, such as 1, got"):
        assert_traces_at_most(n)


def test_without_brackets_it_says_how_it_is_written():
    with pytest.raises(TypeError, match=r"got sorted: write `@assert_traces_at_most\(1\)`"):
        assert_traces_at_most(sorted)


@pytest.mark.parametrize(
    "call",
    [
        lambda: assert_traces_at_most(1)(3),
        lambda: assert_keys_used_once(3),
        lambda: assert_changes_nothing(3),
        lambda: assert_same_equations(3, abs, 1.0),
    ],
)
def test_what_cannot_be_called_is_refused(call):
    with pytest.raises(TypeError, match="`f` must be a callable, got int"):
        call()


def test_keyword_arguments_are_passed_on():
    def draw(key, *, again):
        first = jax.random.normal(key)
        return first + jax.random.normal(key) if again else first

    assert_keys_used_once(draw, jax.random.key(0), again=False)
    with pytest.raises(AssertionError, match="keys/reused"):
        assert_keys_used_once(draw, jax.random.key(0), again=True)


def test_the_error_of_a_function_is_its_own():
    def divide(x):
        return x / 0

    with pytest.raises(ZeroDivisionError):
        assert_changes_nothing(divide, 1)


def test_what_a_function_changed_is_put_back():
    kept = []
    with pytest.raises(AssertionError, match="effects/write"):
        assert_changes_nothing(lambda x: kept.append(x), 1)
    assert kept == []


def test_a_leak_is_told_as_one():
    kept = []
    with pytest.raises(AssertionError, match="tracing/leaked"):
        assert_changes_nothing(jax.jit(lambda x: kept.append(x)), 1.0)


@pytest.mark.parametrize(
    ("f", "g"),
    [
        (lambda x: x.sum(axis=0), lambda x: x.sum(axis=1)),
        (lambda x: x * 2, lambda x: x * 3),
        (lambda x: x - x.T, lambda x: x.T - x),
        (lambda x: x, lambda x: x + 1),
        (lambda x: x + 1, lambda x: x),
        (lambda x: (x, -x), lambda x: (-x, x)),
        (lambda x: [x := -x for _ in range(9)][-1], lambda x: [x := -x for _ in range(8)][-1]),
        (
            lambda x: [abs(x[i % 2]) for i in range(9)],
            lambda x: [abs(x[i % 2]) for i in [0, 1, 0, 0, 0, 1, 0, 1, 0]],
        ),
    ],
)
def test_different_equations_are_told(f, g):
    x = jnp.ones((2, 2))
    assert_same_equations(f, f, x)
    with pytest.raises(AssertionError, match="tracing/other-equations"):
        assert_same_equations(f, g, x)


def test_a_difference_inside_a_loop_is_found():
    def loop(factor):
        return lambda x: jax.lax.fori_loop(0, 3, lambda i, y: y * factor, x)

    assert_same_equations(loop(2.0), loop(2.0), 1.0)
    with pytest.raises(AssertionError) as caught:
        assert_same_equations(loop(2.0), loop(3.0), 1.0)
    assert "mul" in said(caught)[-3]
