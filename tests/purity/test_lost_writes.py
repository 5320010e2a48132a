"""What is put into a list that `jit` has copied is found, and nothing else."""

import jax
import jax.numpy as jnp
import pytest

from traced.purity.lost_writes import find_lost_writes


@jax.jit
def appends(x, xs):
    xs.append(2 * x)
    return x


@jax.jit
def sets(x, table):
    table["x"] = 2 * x
    return x


@jax.jit
def returns_it(x, xs):
    xs.append(2 * x)
    return x, xs


@jax.jit
def returns_the_entry(x, xs):
    xs.append(y := 2 * x)
    return y


@jax.jit
def fails(x, xs):
    xs.append(x)
    raise ValueError


@jax.jit
def has_a_list_of_its_own(x):
    xs = []

    def inner(x, xs):
        xs.append(x)
        return x

    # `grad` hands on the very list.
    jax.grad(inner)(x, xs)
    return sum(xs) * 0 + x


def plain(x, xs):
    xs.append(x)
    return x


@pytest.mark.parametrize(
    ("f", "args", "lost", "source"),
    [
        (appends, ([],), "xs", "xs.append(2 * x)"),
        (sets, ({},), "table", 'table["x"] = 2 * x'),
        (
            lambda x, xs: jax.lax.scan(lambda c, _: (appends(c, xs), None), x, length=2),
            ([],),
            "xs",
            "xs.append(2 * x)",
        ),
    ],
)
def test_what_is_lost_is_found_with_its_line(f, args, lost, source):
    (found,) = find_lost_writes(f, 1.0, *args)
    assert (found.name, found.place.source, found.entries) == (lost, source, 1)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (returns_it, ([],)),
        (returns_the_entry, ([],)),
        (fails, ([],)),
        (has_a_list_of_its_own, ()),
        (plain, ([],)),
        (jnp.sin, ()),
    ],
)
def test_nothing_else_is_lost(f, args):
    assert find_lost_writes(f, 1.0, *args) == []


def test_a_trace_that_is_kept_is_made_again():
    appends(1.0, [])
    assert len(find_lost_writes(appends, 1.0, [])) == 1
