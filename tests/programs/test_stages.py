"""What each stage leaves of a function."""

import jax
import jax.numpy as jnp
import pytest

from traced.programs.stages import count_stages, show_hlo


def busywork(x):
    product = x
    for _ in range(100):
        product = product * x
    return -x


def test_dead_equations_are_dropped_before_xla():
    stages = count_stages(busywork, jnp.ones(3))
    assert stages.jaxpr == {"mul": 100, "neg": 1}
    assert stages.stablehlo == stages.hlo == {"negate": 1}


def test_a_chain_becomes_one_fusion():
    stages = count_stages(lambda x: (2 * x + 1) ** 2, jnp.ones(3))
    assert (stages.jaxpr.total(), stages.fusions) == (3, 1)


def test_static_arguments_reach_the_stages():
    f = jax.jit(lambda x, n: x[:n] * 2, static_argnames="n")
    assert "f32[2]" in str(show_hlo(f, jnp.ones(3), n=2))


def test_a_loop_stays_one_operation():
    def f(x):
        return jax.lax.fori_loop(0, 10, lambda i, y: y * x, x)

    assert count_stages(f, jnp.ones(3)).hlo["while"] == 1


@pytest.mark.parametrize("noise", ["metadata=", "%", "]{", "HloModule", "FileNames"])
def test_hlo_is_shown_without_noise(noise):
    args = jnp.ones((3, 2)), jnp.ones((4, 3))
    text = str(show_hlo(lambda w, x: jnp.sum(jnp.tanh(x @ w) + 1), *args))
    assert "dot(" in text
    assert noise not in text


def test_attributes_are_no_operations():
    gathered = count_stages(lambda x, i: x[i], jnp.ones((3, 2)), jnp.arange(2)).stablehlo
    drawn = count_stages(jax.random.bits, jax.random.key(0)).stablehlo
    assert gathered["gather"] == 1
    assert "mesh" not in drawn
