"""A jitted function that remembers its calls."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx

from tests.drawing.twins import assert_twins
from traced import watch
from traced.tracing.watch import MOST


def test_each_call_is_traced_or_cached():
    f = watch(lambda x: x + 1)
    for x in (1.0, 2.0, jnp.ones(3), jnp.zeros(3)):
        f(x)
    reasons = [call.reason for call in f.calls]
    assert reasons == ["first call", None, "shape: x is f32[3], was ~f32[]", None]
    assert f.traces == 2


def test_the_reason_is_the_difference_to_the_closest_earlier_trace():
    f = watch(jax.jit(lambda x, y: x))
    f(jnp.ones(3), jnp.ones(3))
    f(jnp.ones(4), jnp.ones(4))
    f(jnp.ones(4), jnp.ones(5))
    assert f.calls[-1].reason == "shape: y is f32[5], was f32[4]"


def test_an_array_of_float64_shares_a_trace_and_warns_of_nothing(recwarn):
    f = watch(lambda x: x + 1)
    f(jnp.ones(3))
    f(np.ones(3))
    assert f.traces == 1
    assert not list(recwarn)


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
    assert [" ".join(line.split()) for line in repr(f).splitlines()[1:]] == [
        "<lambda>(1.0) traced first call",
        "<lambda>(1.0) cached, 999 times",
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


class Doubled:
    calls = "an attribute of its own"

    def __call__(self, x):
        return 2 * x


def given_to_exec(source, name):
    names = {"jax": jax}
    exec(source, names)
    return names[name]


LAYER = nnx.Linear(3, 3, rngs=nnx.Rngs(0))
CALLABLES = {
    "logsumexp": jax.nn.logsumexp,
    "sin": jnp.sin,
    "init_fn": optax.adam(0.1).init,
    "jitted": jax.jit(jax.nn.logsumexp),
    "partial": partial(lambda a, x: a * x, 2.0),
    "partial of a library": partial(jax.nn.logsumexp, axis=0),
    "object": Doubled(),
    "module": LAYER,
    "method": LAYER.__call__,
    "built in": abs,
    "exec": given_to_exec("def f(x): return x + 1", "f"),
    "exec, jitted": given_to_exec("f = jax.jit(lambda x: x + 1)", "f"),
    "nnx.jit": nnx.jit(lambda x: LAYER(x)),
    "vmap": jax.vmap(jnp.sin),
}


@pytest.mark.parametrize("name", CALLABLES)
def test_traces_of_any_callable_are_counted(name):
    f = watch(CALLABLES[name])
    # What JAX jits itself, as sin, is one for all tests of a process: no other uses these shapes.
    for x in (jnp.ones((2053, 3)), jnp.zeros((2053, 3)), jnp.ones((2063, 3))):
        f(x)
    assert [call.outcome for call in f.calls] == ["traced", "cached", "traced"]
    assert f.calls[2].why.startswith("shape: ")
    assert f.calls[2].why.endswith(" is f32[2063,3], was f32[2053,3]")


def test_a_trace_that_was_there_before_is_not_counted():
    f = jax.jit(lambda x: x + 1)
    f.trace(1.0)
    seen = watch(f)
    seen(1.0), seen(2.0), seen(3)
    assert [call.outcome for call in seen.calls] == ["compiled", "cached", "traced"]


def test_a_call_that_is_compiled_again_is_not_traced():
    f = watch(lambda x: x + 1)
    x = jnp.ones(3)
    f(x), f(jax.device_put(x, jax.devices()[0])), f(x)
    assert [call.outcome for call in f.calls] == ["traced", "compiled again", "cached"]
    assert f.calls[1].why == "sharding: x is cpu:0, was cpu:0, uncommitted"


def test_without_jit_nothing_is_said_to_be_cached():
    f = watch(lambda x: x + 1)
    with jax.disable_jit():
        f(1.0)
    assert (f.calls[0].outcome, f.traces) == ("not jitted", 0)


def test_a_callback_that_calls_a_jitted_function_is_not_the_call():
    inner = jax.jit(lambda x: x * 2)
    f = watch(lambda x: jax.pure_callback(lambda v: np.asarray(inner(v)), x, x))
    f(jnp.ones(3))
    inner.clear_cache()
    f(jnp.ones(3))
    assert [call.outcome for call in f.calls] == ["traced", "cached"]


def test_a_function_inside_another_trace_is_counted_there():
    f = watch(lambda x: x + 1)
    jax.jit(lambda x: f(x) + f(x))(1.0)
    f(1.0)
    assert [call.outcome for call in f.calls] == ["traced", "cached", "compiled"]


def test_other_containers_are_told_as_jax_tells_them():
    f = watch(lambda xs: xs[0])
    f([1.0]), f((1.0,))
    assert f.calls[1].why == "structure: xs is tuple, was list"


def test_a_setting_and_a_cleared_cache_are_reasons():
    f = watch(lambda x: x @ x)
    x = jnp.ones((2, 2))
    f(x)
    with jax.default_matmul_precision("highest"):
        f(x)
    jax.clear_caches()
    f(x)
    setting, cleared = (call.why for call in f.calls[1:])
    assert setting == "configuration: jax_default_matmul_precision is 'highest', was None"
    assert cleared == "JAX has not kept the earlier trace"


def test_an_argument_that_the_call_writes_to_or_gives_away_is_told_as_it_was():
    def write(xs):
        xs.append(1.0)
        return xs[0]

    f, given = watch(write), watch(jax.jit(lambda x: x + 1, donate_argnums=0))
    f([jnp.ones(3)]), f([jnp.ones(3)])
    given(jnp.ones(3)), given(jnp.ones(3))
    for each in (f, given):
        assert [call.outcome for call in each.calls] == ["traced", "cached"]


def test_a_module_in_a_row_is_its_class_and_a_long_row_is_cut():
    f = watch(lambda module, x: module(x))
    f(LAYER, jnp.ones((2, 3)))
    assert f.calls[0].text == "<lambda>(Linear, f32[2,3])"
    f = watch(lambda tree: 0)
    f({f"layer {i}": jnp.ones((2, 2)) for i in range(100)})
    assert len(f.calls[0].text) == 300


def test_a_call_that_raises_has_its_row():
    f = watch(lambda x: x + 1)
    with pytest.raises(TypeError):
        f("text")
    assert [(call.outcome, call.why) for call in f.calls] == [("raised", "TypeError")]


def test_a_leaf_that_is_no_array_is_named_with_advice():
    apply = watch(lambda params, x: params["act"](params["w"] * x))
    with pytest.raises(TypeError, match=r"`params\['act'\]` must be an array .* close over"):
        apply({"w": jnp.ones(3), "act": jax.nn.relu}, 2.0)
    assert [call.outcome for call in apply.calls] == ["raised"]


def test_a_static_argument_is_the_business_of_the_jitted_function():
    apply = watch(jax.jit(lambda act, x: act(x), static_argnums=0))
    assert apply(jnp.negative, 2.0) == -2.0
    with pytest.raises(TypeError, match="abstract array"):
        apply(jnp.negative, "two")


def test_an_object_that_cannot_be_shown_is_a_static_value_all_the_same():
    class Settings:
        def __repr__(self):
            raise ValueError

    f = watch(jax.jit(lambda x, settings: x, static_argnums=1))
    f(1.0, Settings()), f(1.0, Settings())
    assert f.calls[1].why == "static value: settings is another Settings, was a Settings"
