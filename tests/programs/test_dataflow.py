"""How values flow through a function: what each is made from, and what becomes of it."""

import functools

import jax
import jax.numpy as jnp

from traced.programs.dataflow import find_dataflow

X = jnp.ones((4, 3))


def made(f, *args):
    """Return the brief text of each equation."""
    return [step.brief for step in find_dataflow(f, *args) if step.kind == "equation"]


def test_a_literal_stands_on_its_own_side():
    assert made(lambda x: 1 - x, 3.0) == ["1.0 sub"]
    assert made(lambda x: x - 1, 3.0) == ["sub 1.0"]
    assert made(lambda x: x.at[0].set(5.0), X[0]) == ["broadcast_in_dim 0", "scatter 5.0"]


def test_what_is_nested_is_told_by_its_name_or_how_often_it_runs():
    def f(x):
        y = jnp.where(x > 0, x, 1)
        return jax.lax.scan(lambda c, row: (c + row, None), jax.nn.relu(y[0]), y)[0]

    steps = made(f, X)
    assert "jit _where" in steps
    assert steps[-1] == "scan × 4"


def test_each_operand_leads_to_what_made_it():
    *_, square, result = find_dataflow(lambda x: jnp.sin(x) * jnp.sin(x), 3.0)
    assert (square.reads, result.reads) == ((1, 2), (3,))


def test_what_is_dropped_takes_with_it_what_only_it_needs():
    def f(x, y):
        jnp.add(jnp.sin(y), x)
        return x

    needed = {step.brief: step.is_needed for step in find_dataflow(f, 1.0, 2.0)}
    assert needed == {"x": True, "y": False, "sin": False, "add": False, "result": True}


def test_a_print_is_needed():
    def f(x):
        jax.debug.print("{}", x)
        return 1.0

    assert all(step.is_needed for step in find_dataflow(f, 1.0))


def test_what_only_calls_a_jitted_function_is_taken_apart():
    inner = jax.jit(lambda x: jnp.sin(x) * 2)
    assert made(lambda x: inner(x), 1.0) == ["sin", "mul 2.0"]
    assert made(lambda x: inner(2 * x), 1.0)[1].startswith("jit")


def test_a_donated_argument_is_told_with_the_result_in_its_memory():
    @functools.partial(jax.jit, donate_argnums=(0, 1), static_argnums=2)
    def step(w, unused, rate):
        return w - rate, jnp.sum(w)

    w, unused, *_, first, last = find_dataflow(step, X, jnp.ones(7), 0.5)
    assert (w.text, w.memory, first.memory) == ("w", "result[0]", "w")
    assert (unused.is_donated, unused.memory, last.memory) == (True, "", "")


def test_captured_arrays_and_constant_results_have_a_place():
    captured, x, total, first, last = find_dataflow(lambda x: (x @ X, 3), jnp.ones(4))
    assert (captured.kind, x.kind, total.brief) == ("captured", "argument", "dot_general")
    assert (first.reads, last.text, last.reads) == ((2,), "3:i32[]", ())


def test_a_name_is_no_leaf_where_static_arguments_hide_which_it_is():
    f = jax.jit(lambda x, n: x + n, static_argnums=1)
    assert find_dataflow(f, 1.0, 2)[0].text == "argument 1"
