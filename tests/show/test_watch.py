"""A jitted function that remembers its calls."""

import jax
import jax.numpy as jnp
import pytest

from traced import watch


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
