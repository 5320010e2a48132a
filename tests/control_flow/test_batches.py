"""What `vmap` makes of branches and loops: what each example needs, and what runs for it."""

import jax
import jax.numpy as jnp
from jax import lax

from traced.control_flow.batches import record_batch
from traced.control_flow.steps import record_while_loop

X = jnp.array([-1.0, 2.0, 3.0])


def choose(x):
    return lax.cond(x > 0, jnp.sqrt, lambda x: x * 2, x)


def grow(x, by=2):
    return lax.while_loop(lambda x: x < 100, lambda x: x * by, x)


def test_both_branches_run_for_each_example():
    (cond,) = record_batch(choose, X).found
    assert cond.is_mapped
    assert cond.is_true_or_false
    assert cond.selected == [0, 1, 1]
    assert cond.branches == [("mul",), ("sqrt",)]
    assert [float(each) for each in cond.results[0]] == [-2, 4, 6]
    assert jnp.isnan(cond.results[1][0])
    assert cond.thrown_away == 3


def test_a_predicate_that_is_not_mapped_leaves_one_branch():
    def f(x, on):
        return lax.cond(on, jnp.sqrt, jnp.sin, x)

    (cond,) = record_batch(f, X, True, in_axes=(0, None)).found
    assert (cond.is_mapped, cond.selected, cond.thrown_away) == (False, [1] * 3, 0)
    assert cond.results[0] is None
    jaxpr = jax.make_jaxpr(lambda x: jax.vmap(f, (0, None))(x, X[0] > 0))(X)
    assert "cond[" in str(jaxpr)


def test_a_switch_has_as_many_branches_as_it_has():
    def f(i, x):
        return lax.switch(i, [jnp.sin, jnp.cos, jnp.sqrt], x)

    (cond,) = record_batch(f, jnp.array([5, 0, 1]), 1.0, in_axes=(0, None)).found
    assert (cond.selected, cond.is_true_or_false, cond.thrown_away) == ([2, 0, 1], False, 6)


def test_each_example_needs_as_many_rounds_as_it_does_alone():
    starts = [13, 1, 30, 500]
    batch = record_batch(grow, jnp.array(starts))
    (loop,) = batch.found
    alone = [record_while_loop(lambda x: x < 100, lambda x: x * 2, each).count for each in starts]
    assert loop.rounds == alone == [3, 7, 2, 0]
    assert loop.run == 28
    assert list(map(int, batch.results)) == [104, 128, 120, 500]


def test_a_condition_that_is_not_mapped_is_asked_once():
    def repeated(n, x):
        return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 2), (0, x))[1]

    (once,) = record_batch(repeated, 3, X, in_axes=(None, 0)).found
    (each,) = record_batch(repeated, jnp.array([3, 3, 3]), X).found
    assert once.rounds == each.rounds == [3, 3, 3]
    assert (once.is_mapped, each.is_mapped) == (False, True)


def test_what_the_body_mixes_in_makes_the_condition_mapped():
    (loop,) = record_batch(grow, 10, jnp.array([2, 20]), in_axes=(None, 0)).found
    assert (loop.is_mapped, loop.rounds) == (True, [4, 1])


def test_an_endless_loop_is_left():
    (loop,) = record_batch(lambda x: lax.while_loop(lambda x: x > 0, lambda x: x * 1, x), X).found
    assert (loop.ended, loop.rounds) == (False, [0, 10_000, 10_000])


def test_calls_are_entered_and_several_are_told_in_their_order():
    found = record_batch(lambda tree: jax.jit(choose)(tree["x"]) + grow(tree["x"] + 2), {"x": X})
    cond, loop = found.found
    assert cond.selected == [0, 1, 1]
    assert loop.rounds == [7, 5, 5]
    assert list(found.given) == ["tree['x']"]


def test_captured_arrays_are_known_and_python_runs_once():
    calls = []

    def f(x):
        calls.append(x)
        return lax.cond(x > 0, lambda x: x * X, lambda x: x + X, x)

    batch = record_batch(f, X)
    assert len(calls) == 1
    assert jnp.array_equal(jnp.array(batch.results), jax.vmap(f)(X))


def test_what_is_not_mapped_may_be_a_number_for_python_or_a_text():
    def f(x, count, mode):
        for _ in range(count):
            x = x + 1
        return choose(x) if mode == "choose" else x

    batch = record_batch(f, X, 2, "choose", in_axes=(0, None, None))
    assert batch.found[0].selected == [1, 1, 1]
    assert list(batch.given) == ["x"]


def test_an_effect_happens_once_for_each_example():
    noted = []

    def repair(x):
        jax.debug.callback(noted.append, x)
        return -x

    record_batch(lambda x: lax.cond(x < 0, repair, lambda x: x, x), X)
    jax.effects_barrier()
    assert sorted(map(float, noted)) == [-1, 2, 3]


def test_the_results_are_those_of_vmap():
    batch = record_batch(choose, X)
    assert jnp.array_equal(jnp.array(batch.results), jax.vmap(choose)(X), equal_nan=True)
