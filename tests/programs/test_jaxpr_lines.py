"""The stable text of a jaxpr."""

import jax
import jax.numpy as jnp
import pytest

from traced import show_jaxpr


def plain(x, y):
    return x * y + y


def with_a_literal(x, y):
    return 2.0 * x - y


@pytest.mark.parametrize("f", [plain, with_a_literal])
def test_it_is_what_jax_prints_where_no_parameters_are_shown(f):
    args = jnp.ones((2, 3)), jnp.ones((2, 3))
    theirs = jax.jit(f).trace(*args).jaxpr.pretty_print(use_color=False)
    assert str(show_jaxpr(f, *args)) == theirs


def test_parameters_that_differ_between_releases_are_left_out():
    text = str(show_jaxpr(lambda x: jax.lax.scan(lambda c, y: (c + y, c), 0.0, x), jnp.ones(3)))
    assert "scan[length=3 reverse=False]" in text
    assert not any(name in text for name in ("ft_in", "num_carry", "unroll", "sharding"))


def test_nested_jaxprs_are_indented_below_their_equation():
    lines = str(show_jaxpr(lambda x: jnp.where(x > 0, x, 0.0), jnp.ones(3))).splitlines()
    outer = next(line for line in lines if "jit[name=_where]" in line)
    inner = lines[lines.index(outer) + 1]
    assert inner.startswith("      { lambda ;")


def test_a_long_run_is_cut_and_says_how_much():
    def f(x):
        for _ in range(1000):
            x = x * x
        return x

    lines = str(show_jaxpr(f, 1.0)).splitlines()
    assert len(lines) == 6
    assert lines[3].strip() == "... 997 more mul ..."


def test_names_go_on_after_z_as_in_jax():
    def f(x):
        for _ in range(30):
            x = jnp.sin(jnp.cos(x))
        return x

    args = (jnp.ones(3),)
    theirs = jax.jit(f).trace(*args).jaxpr.pretty_print(use_color=False)
    assert str(show_jaxpr(f, *args)) == theirs


def test_what_nothing_reads_is_named_by_an_underscore():
    def f(x):
        jnp.sin(x)
        return x

    assert "_:f32[] = sin a" in str(show_jaxpr(f, 1.0))


def test_captured_arrays_stand_before_the_arguments():
    captured = jnp.ones(3)
    assert str(show_jaxpr(lambda x: x * captured, 1.0)).startswith("{ lambda a:f32[3]; b:f32[].")


def test_a_literal_is_written_in_the_digits_of_its_dtype():
    def f(x):
        return jax.lax.while_loop(lambda s: s[1] < 3, lambda s: (s[0] * 0.1, s[1] + 1), (x, 0))

    text = str(show_jaxpr(f, 1.0))
    assert "lt e 3:i32[]" in text
    assert "mul g 0.1:f32[]" in text
