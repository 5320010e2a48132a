"""The lines that write to Variables, on copies too."""

import sys

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from traced.modules.writes import place_of_write, record_writes


class Counter(nnx.Module):
    def __init__(self):
        self.calls = nnx.Variable(jnp.array(0))
        self.total = nnx.Variable(jnp.zeros(2))


def count(counter):
    counter.calls[...] += 1  # counts


def places(f, *args):
    with record_writes() as writes:
        f(*args)
    return [write.place.source for write in writes]


@pytest.mark.parametrize("transform", [lambda f: f, nnx.jit, jax.jit])
def test_a_write_is_seen_as_it_is_and_inside_of_a_transform(transform):
    assert places(transform(count), Counter())[0] == "counter.calls[...] += 1  # counts"


def test_a_write_inside_of_a_library_is_told_by_the_line_that_calls_it():
    norm = nnx.BatchNorm(2, rngs=nnx.Rngs(0))
    assert set(places(lambda: norm(jnp.ones((3, 2))))) == {
        "assert set(places(lambda: norm(jnp.ones((3, 2))))) == {"
    }


def test_nothing_is_written_by_reading():
    assert places(lambda counter: counter.calls[...] + 1, Counter()) == []


def test_of_several_variables_the_one_asked_for_is_told():
    counter, other = Counter(), Counter()
    with record_writes() as writes:
        other.calls[...] = 1  # other
        counter.calls[...] = 1  # own
        counter.total[...] = 1.0  # total
    assert place_of_write(writes, counter.calls).source.endswith("# own")
    assert place_of_write(writes, Counter().total).source.endswith("# total")
    assert place_of_write(writes, Counter().calls) is None
    assert place_of_write(writes, nnx.Param(jnp.ones(2))) is None


def test_a_profile_that_was_on_is_on_again():
    before = sys.getprofile()
    with record_writes():
        assert sys.getprofile() is not before
    assert sys.getprofile() is before
