"""The calls of a watched function, to scale."""

import jax
import jax.numpy as jnp
import pytest

from traced import watch
from traced.internals import compilations
from traced.show import show_calls
from traced.tracing import pictures


@pytest.fixture
def scaled():
    return watch(lambda x, factor: jnp.tanh(x * factor) @ x)


def test_a_first_call_spends_its_time_on_tracing_and_compiling(scaled):
    x = jnp.ones((20, 20))
    scaled(x, 2.0), scaled(x, 3.0)
    first, second = (call.seconds for call in scaled.calls)
    assert first.trace > 0
    assert first.compile > first.run
    assert (second.trace, second.compile) == (0, 0)
    assert 0 < second.run < first.compile


def test_the_text_has_the_reasons_and_the_order_and_no_times(scaled):
    scaled(jnp.ones((2, 2)), 1.0), scaled(jnp.ones((3, 3)), 1.0)
    assert str(show_calls(scaled)) == str(scaled)
    assert show_calls(scaled)._repr_html_().startswith('<div class="traced measured">')


def test_each_part_of_a_call_has_its_hue(scaled):
    scaled(jnp.ones((2, 2)), 1.0), scaled(jnp.ones((2, 2)), 1.0)
    first, second = map(pictures._strip, scaled.calls)
    assert [hue for hue, _ in first.parts] == ["purple", "amber", "teal"]
    assert [hue for hue, _ in second.parts] == ["teal"]
    assert (first.note, second.note) == ("first call", "from the cache")


def test_of_many_calls_the_first_and_the_last_are_drawn(scaled, monkeypatch):
    drawn = []
    monkeypatch.setattr(pictures, "draw_strips", lambda strips, *_: drawn.extend(strips))
    for _ in range(40):
        scaled(jnp.ones((2, 2)), 1.0)
    show_calls(scaled)
    assert len(drawn) == 15
    assert drawn[7].name == "… 26 calls left out"
    assert drawn[0].note == "first call"


def test_calls_that_raised_or_were_in_another_trace_have_no_time(scaled):
    with pytest.raises(TypeError):
        scaled(jnp.ones((2, 3)), 1.0)
    jax.jit(lambda x: scaled(x, 1.0))(jnp.ones((2, 2)))
    assert [call.seconds for call in scaled.calls] == [None, None]
    assert not show_calls(scaled).measured
    assert str(show_calls(scaled)) == str(scaled)


def test_what_is_not_watched_is_refused():
    with pytest.raises(TypeError, match="under `watch`, got function"):
        show_calls(lambda x: x)


def test_where_jax_tells_no_times_the_calls_are_told_without(scaled, monkeypatch):
    monkeypatch.setattr(compilations, "_STAGES", {})
    monkeypatch.setattr(compilations._takes_time, "lives", None)
    scaled(jnp.ones((2, 2)), 1.0)
    assert [(call.outcome, call.seconds) for call in scaled.calls] == [("traced", None)]
