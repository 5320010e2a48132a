"""A loop that does not end is found, and its line; one that does is let run."""

import functools

import jax
import jax.numpy as jnp
import pytest
from flax import nnx
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax
from jax.lax import while_loop as loop

from traced.randomness.ledger import is_key
from traced.running.endless import find_first_endless_loop, names_loop


def on_a_mesh(f):
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.shard_map(f, mesh=mesh, in_specs=jax.P(), out_specs=jax.P(), check_vma=False)


def up_to(most):
    return lambda x: lax.while_loop(lambda c: c[0] < most, lambda c: (c[0] + 1, c[1] * 2.0), (0, x))


def stuck(x):
    return lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0], c[1]), (0, x))


def in_turns(x):
    return lax.while_loop(lambda c: c[0] < 3, lambda c: ((c[0] + 1) % 3, c[1]), (0, x))


def inner(x):
    def round(y):
        return lax.while_loop(lambda z: z > 0.0, lambda z: z, y)  # inner

    return lax.while_loop(lambda y: y < 9.0, round, x)


def outer(x):
    def round(c):
        return c[0] + lax.while_loop(lambda z: z < 100, lambda z: z + 1, 0), ~c[1]

    return lax.while_loop(lambda c: c[0] > -1.0, round, (x, True))  # outer


@jax.custom_jvp
def with_rule(x):
    return stuck(x)[1]


with_rule.defjvp(lambda primals, tangents: (with_rule(*primals), tangents[0]))


ENDLESS = {
    "stuck": stuck,
    "in turns": in_turns,
    "jitted": jax.jit(stuck),
    "in a jitted function": lambda x: jax.jit(lambda x: stuck(x)[1] + 1.0)(x),
    "vmap": lambda x: jax.vmap(stuck)(jnp.ones(3) * x),
    "vmap of a condition": lambda x: jax.vmap(
        lambda y: lax.while_loop(lambda z: z < 2.0, lambda z: z * y, 1.0)
    )(jnp.array([2.0, 1.0])),
    "scan": lambda x: lax.scan(lambda c, _: (stuck(c)[1], c), x, None, 3),
    "scan, backwards": lambda x: lax.scan(lambda c, y: (stuck(c)[1], y), x, jnp.ones(3), 3, True),
    "cond": jax.jit(lambda x: lax.cond(x > 0.0, stuck, lambda x: (0, x), x)),
    "switch": lambda x: lax.switch(1, [lambda x: (0, x), stuck], x),
    "checkpoint": lambda x: jax.checkpoint(stuck)(x),
    "derivative": lambda x: jax.jvp(lambda x: stuck(x)[1], (x,), (x,)),
    "custom derivative": jax.jit(with_rule),
    "condition": lambda x: lax.while_loop(lambda y: stuck(y)[1] < 3.0, lambda y: y + 1, x),
    "keys": lambda x: lax.while_loop(lambda k: x > 0, lambda k: k, jax.random.key(0)),
    "NaN": lambda x: lax.while_loop(lambda y: ~(y < 3.0), lambda y: y + 1, x * jnp.nan),
    "Python's condition": lambda x: stuck(x) if float(x) > 0 else x,
}


@pytest.mark.parametrize("case", ENDLESS)
def test_a_loop_that_comes_back_to_a_carry_never_ends(case):
    found = find_first_endless_loop(ENDLESS[case], 1.0)
    assert found.repeats
    assert found.rounds <= 7
    assert "while_loop" in found.place.source or "lambda z" in found.place.source


ENDING = {
    "none": lambda x: x,
    "no round": up_to(0),
    "some rounds": up_to(100),
    "jitted": jax.jit(up_to(20_000)),
    "vmap": lambda x: jax.vmap(
        lambda n: lax.while_loop(lambda c: c < n, lambda c: c + 1, 0), in_axes=0
    )(jnp.array([3, 30_000, 1])),
    "fori_loop": jax.jit(lambda x: lax.fori_loop(0, jnp.int32(x) + 20_000, lambda i, y: y + i, 0)),
    "nested": lambda x: lax.fori_loop(0, jnp.int32(x) + 9, lambda i, y: up_to(3000)(y)[1], x),
    "gradient": jax.grad(lambda x: lax.fori_loop(0, 9, lambda i, y: y * x, x)),
    "poisson": lambda x: jax.random.poisson(jax.random.key(0), x, (4,)),
    "shard_map": lambda x: on_a_mesh(lambda x: up_to(20_000)(x)[1])(x),
}


@pytest.mark.parametrize("case", ENDING)
def test_a_loop_that_ends_is_let_run(case):
    assert find_first_endless_loop(ENDING[case], 1.0) is None


@pytest.mark.parametrize(("f", "line"), [(inner, "# inner"), (outer, "# outer")])
def test_the_loop_that_does_not_end_is_told_from_those_that_do(f, line):
    assert line in find_first_endless_loop(f, 1.0, seconds=1.0).place.source


def test_what_comes_to_no_carry_again_is_left_in_time():
    def f(x):
        return lax.while_loop(lambda c: x > 0, lambda c: jax.random.split(c)[0], jax.random.key(0))

    found = find_first_endless_loop(f, 1.0, seconds=0.5)
    assert not found.repeats
    assert found.rounds >= 10_000


def test_a_scan_that_takes_too_long_is_left_in_time_at_its_line():
    def f(x):
        return lax.scan(lambda y, _: (jnp.sin(y), None), x, length=2_000_000_000)[0]

    for each in (f, jax.jit(f), lambda x: lax.map(f, x)):
        found = find_first_endless_loop(each, jnp.ones(2), seconds=0.5)
        assert found.length == 2_000_000_000
        assert 10_000 <= found.rounds < found.length
        assert "lax.scan" in found.place.source


def test_a_long_scan_keeps_its_results():
    results, columns = [], (jnp.arange(1_000_000) % 7, jnp.ones((1_000_000, 2)))

    def f(x):
        def step(carry, row):
            return carry * 0.5 + jnp.float32(row[0]), (carry, row[1] * x, jax.random.key(row[0]))

        results.append([lax.scan(step, x, columns, reverse=way) for way in (False, True)])

    f(1.5)
    assert find_first_endless_loop(f, 1.5) is None
    data = jax.tree.map(lambda x: jax.random.key_data(x) if is_key(x) else x, results)
    assert jax.tree.all(jax.tree.map(jnp.array_equal, *data))


def test_the_results_are_those_of_the_function():
    results = []

    def f(x):
        results.append([up_to(5)(x), jax.vmap(up_to(7))(jnp.ones(2) * x), jax.jit(up_to(3))(x)])

    f(1.5)
    find_first_endless_loop(f, 1.5)
    assert jax.tree.all(jax.tree.map(jnp.array_equal, *results))


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 30), st.integers(1, 12), st.integers(1, 4))
def test_a_cycle_of_any_length_is_found_and_a_sequence_is_not(start, cycle, step):
    def turns(x):
        return lax.while_loop(
            lambda n: n < start + cycle,
            lambda n: jnp.where(n == start + cycle - 1, start, n + 1),
            jnp.int32(x),
        )

    found = find_first_endless_loop(turns, 0)
    assert found.repeats
    assert found.rounds <= 3 * (start + 2 * cycle)
    assert (
        find_first_endless_loop(lambda: lax.while_loop(lambda n: n < 90, lambda n: n + step, 0))
        is None
    )


def test_an_error_is_raised_as_it_is():
    with pytest.raises(ZeroDivisionError):
        find_first_endless_loop(lambda: 1 / 0)


def adds_until(most, ref):
    def add(n):
        ref[...] += 1.0
        return n + 1

    return lax.while_loop(lambda n: n < most, add, 0)


@pytest.mark.parametrize("way", [lambda f: f, jax.jit, lambda f: lambda: jax.jit(jax.jit(f))()])
@pytest.mark.parametrize(("most", "ends"), [(20_000, True), (2**31 - 1, False)])
def test_a_loop_may_write_to_a_ref_which_then_has_its_value_again(way, most, ends):
    ref = jax.new_ref(5.0)
    # What ends has time to: a machine may be busy.
    found = find_first_endless_loop(
        way(lambda: adds_until(most, ref)), seconds=60.0 if ends else 0.5
    )
    assert (found is None) == ends
    assert ref[...] == 5.0


def test_a_loop_that_begins_again_finds_the_ref_as_it_was():
    ref, seen = jax.new_ref(5.0), []

    def f(ref):
        ref[...] *= 2.0
        adds_until(20_000, ref)
        seen.append(float(ref[...]))

    find_first_endless_loop(f, ref)
    assert seen == [20_010.0]


def test_code_that_freezes_a_ref_is_not_looked_at_any_further():
    ref = jax.new_ref(1.0)
    assert find_first_endless_loop(lambda: (jax.freeze(ref), stuck(1.0))) is None
    assert jax.freeze(ref) == 1.0


class Model:
    def __init__(self, step):
        self.step = step

    def __call__(self, x):
        return self.step(x)


class Stuck:
    @staticmethod
    @jax.jit
    def step(x):
        return stuck(x)


class Inherits(Stuck):
    pass


def calls_stuck(x):
    return stuck(x)


@pytest.mark.parametrize(
    ("f", "names"),
    [
        (stuck, True),
        (calls_stuck, True),
        (jax.jit(calls_stuck), True),
        (functools.partial(calls_stuck, 1.0), True),
        (lambda x: loop(lambda y: y < 0, lambda y: y, x), True),
        (lambda x: (lambda y: stuck(y))(x), True),
        (nnx.jit(calls_stuck), True),
        (jax.vmap(calls_stuck), True),
        (Inherits, True),
        (Inherits(), True),
        (Model(calls_stuck), True),
        (Model(calls_stuck).__call__, True),
        ({"step": [jax.jit(stuck)]}, True),
        (lambda x: x + 1, False),
        (Model(jnp.sin), False),
        (Model, False),
        (lambda x: lax.scan(lambda c, y: (c, y), 0, x), False),
        (lambda x: lax.scan(lambda c, y: (c, y), 0, length=2_000_000), True),
        (lambda x: lax.map(lambda i: i, jnp.arange(10**6)), True),
        (lambda x: x + 2_000_000, False),
        (3, False),
    ],
)
def test_what_names_a_loop_is_found_wherever_it_is_held(f, names):
    assert names_loop(f) == names
