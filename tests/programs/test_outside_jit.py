"""Work on arrays that is done outside the functions that a program gives to `jit`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from traced.programs.outside_jit import find_work_outside_jit, see_work

X = jnp.ones(3)


@jax.jit
def sine(x):
    return jnp.sin(x)


def bare_step(x):
    return 0.5 * x, jnp.sum(x)


step = jax.jit(bare_step)
compiled = step.lower(X).compile()
norm, log_of_sum = jax.jit(jnp.linalg.norm), jax.jit(jax.nn.logsumexp)


class Sine:
    @jax.jit
    def __call__(self, x):
        return jnp.sin(x)


jax.tree_util.register_static(Sine)


def scan(body):
    return lambda x: lax.scan(lambda x, _: body(x), x, length=3)[1]


FUNCTIONS = [
    (lambda x: sine(x[1:]), []),
    (lambda x: sine(x) + 1.0, ["add"]),
    (lambda x: sine(x[0]) + 1.0, []),
    (lambda x: jnp.stack([sine(x[0]), sine(x[1])]).sum(), []),
    (lambda x: sine(x).sum(), ["reduce_sum"]),
    (lambda x: sine(x) + x, ["add"]),
    (lambda x: sine(jnp.cos(x[1:])), ["cos"]),
    (lambda x: jnp.sin(x), ["sin"]),
    (lambda x: norm(x) ** 2, []),
    (lambda x: jnp.linalg.norm(x) ** 2, ["norm", "integer_pow"]),
    (lambda x: log_of_sum(x), []),
    (lambda x: jax.nn.relu(x), ["relu"]),
    (lambda x: jnp.roll(x, 1), []),
    (lambda x: jnp.pad(x, (0, 1)), []),
    (lambda x: Sine()(x), []),
    (scan(step), []),
    (scan(bare_step), ["mul", "reduce_sum"]),
    (lambda x: lax.fori_loop(0, 3, lambda i, x: step(x)[0], x), []),
    (lambda x: lax.fori_loop(0, 3, lambda i, x: 2 * step(x)[0], x), ["mul"]),
    (lambda x: lax.scan(lambda total, entry: (total + entry**2, None), 0.0, x)[0], ["integer_pow"]),
    (lambda x: lax.cond(True, sine, lambda x: x, x), []),
    (lambda x: jax.vmap(step)(x[None])[1][0] + 1.0, []),
    (lambda x: jax.grad(lambda x: step(x)[1])(x), []),
]


@pytest.mark.parametrize(("f", "work"), FUNCTIONS)
def test_work_outside_jit_is_told_from_moving(f, work):
    found = [each.operation for each in find_work_outside_jit(f, X)]
    assert found[: len(work)] == work
    assert bool(found) == bool(work)


@pytest.mark.parametrize(("f", "work"), FUNCTIONS)
def test_a_run_shows_the_same(f, work):
    assert bool(see_work(f, X).outside) == bool(work)


@pytest.mark.parametrize(
    ("f", "jitted", "work"),
    [
        (lambda x: float(step(x)[1]) + 1.0, True, []),
        (lambda x: float(step(0.5 * x)[1]), True, ["multiply"]),
        (lambda x: float(jnp.linalg.norm(x)), False, ["norm"]),
        (lambda x: norm(np.asarray(x) * 2), True, ["NumPy made what is passed"]),
        (lambda x: norm(np.asarray(x)), True, []),
        (lambda x: jnp.array([float(step(x)[1])]), True, []),
        (lambda x: jnp.zeros(2).at[0].set(float(step(x)[1])), True, []),
        (lambda x: np.sum(np.asarray(x)), False, []),
        (lambda x: compiled(x)[1] + 1.0, True, []),
        (lambda x: compiled(0.5 * x)[1], True, ["multiply"]),
        (lambda x: 2 * compiled(x)[0], True, ["multiply"]),
    ],
)
def test_what_asks_for_values_is_run(f, jitted, work):
    seen = see_work(f, X)
    assert (seen.jitted, [each.operation for each in seen.outside]) == (jitted, work)


@pytest.mark.parametrize(
    ("f", "computed"),
    [
        (lambda x: sine(np.asarray(x)), True),
        (jax.jit(jax.jit(lambda x: x + 1.0)), True),
        (lambda x: jax.jit(lambda y: y.reshape(3, 1))(np.asarray(x) * 2), False),
        (lambda x: jnp.sin(np.asarray(x)), False),
    ],
)
def test_a_jitted_function_that_moves_an_array_computes_nothing(f, computed):
    assert see_work(f, X).computed == computed


def test_work_has_the_line_that_did_it():
    def f(x):
        y = sine(x)
        return y + 1.0

    for (work,) in (find_work_outside_jit(f, X), see_work(f, X).outside):
        assert work.place.source == "return y + 1.0"
