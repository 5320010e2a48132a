"""A jitted function that remembers its calls."""

import jax
import jax.numpy as jnp
import pytest

from tests.show.twins import assert_twins
from traced import watch
from traced.show.watch import MOST


def test_each_call_is_traced_or_cached():
    f = watch(lambda x: x + 1)
    for x in (1.0, 2.0, jnp.ones(3), jnp.zeros(3)):
        f(x)
    assert [call.reason for call in f.calls] == [
        "first call", None, "shape: x is f32[3], was ~f32[]", None,
    ]  # fmt: skip
    assert f.traces == 2


def test_the_reason_is_the_difference_to_the_closest_earlier_trace():
    f = watch(jax.jit(lambda x, y: x))
    f(jnp.ones(3), jnp.ones(3))
    f(jnp.ones(4), jnp.ones(4))
    f(jnp.ones(4), jnp.ones(5))
    assert f.calls[-1].reason == "shape: y is f32[5], was f32[4]"


def test_results_and_errors_come_through():
    assert watch(lambda x: x + 1)(1.0) == 2.0
    with pytest.raises(ZeroDivisionError):
        watch(lambda x: 1 // 0)(1.0)


def test_it_can_stand_above_a_jitted_function():
    @watch
    @jax.jit(static_argnames="n")
    def head(x, n):
        """Take the first entries."""
        return x[:n]

    head(jnp.ones(3), n=2)
    head(jnp.ones(3), n=1)
    assert head.__doc__ == "Take the first entries."
    assert head.calls[-1].reason == "static value: n is 1, was 2"


def test_it_can_stand_above_a_method():
    class Scale:
        @watch
        @jax.jit(static_argnums=0)
        def __call__(self, x):
            return 2 * x

    assert Scale()(1.0) == 2.0
    assert Scale.__call__.traces == 1


def test_html_holds_what_the_text_holds_and_is_escaped():
    g = watch(jax.jit(lambda x, tag: x, static_argnames="tag"))
    g(1.0, tag="</style><script>")
    assert "<script>" in repr(g)
    assert "<script>" not in g._repr_html_()
    assert "&lt;script&gt;" in g._repr_html_()


def test_text_and_html_have_the_same_facts():
    f = watch(lambda x: x + 1)
    for x in (1.0, 2.0, 3, jnp.ones(3)):
        f(x)
    assert_twins(f._picture())


def test_many_cached_calls_that_read_the_same_are_one_row():
    f = watch(lambda x: x + 1)
    for _ in range(1000):
        f(1.0)
    assert [line.split() for line in repr(f).splitlines()[1:]] == [
        ["<lambda>(1.0)", "traced", "first", "call"],
        ["<lambda>(1.0)", "cached,", "999", "times"],
    ]


def test_a_long_timeline_is_cut_and_says_how_many_traces_it_leaves_out():
    f = watch(jax.jit(lambda n: n, static_argnums=0))
    for n in range(100):
        f(n)
    lines = repr(f).splitlines()
    assert len(lines) == MOST + 2
    assert lines[31].split() == ["…", "40", "rows", "left", "out", "40", "traced"]
    assert_twins(f._picture())
    assert (f.traces, len(f.calls)) == (100, 100)


def test_a_trace_has_a_full_dot_and_a_cached_call_a_hollow_one():
    f = watch(lambda x: x + 1)
    f(1.0), f(2.0)
    first, second = f._repr_html_().split("<tr>")[2:]
    assert "background:#c77700" in first
    assert "background:#c77700" not in second
    assert "border:2px solid #c77700" in second
