"""What devices send each other, and what is asked about it, on eight devices of one CPU."""

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AxisType

from traced.devices.collectives import find_collectives
from traced.devices.questions import communicates, compare_shardings, tell_pieces
from traced.findings.feedback import Found


@pytest.fixture
def rows():
    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
    return jax.device_put(jnp.ones((16, 4)), jax.NamedSharding(mesh, jax.P("data")))


def test_what_stays_on_its_device_is_not_sent(rows):
    assert find_collectives(jnp.sin, rows) == []
    assert find_collectives(lambda x: x.sum(axis=1), rows) == []


def test_a_sum_over_devices_is_an_all_reduce_of_the_result(rows):
    (found,) = find_collectives(lambda x: x.sum(axis=0), rows)
    assert (found.kind, found.types, found.bytes) == ("all-reduce", ("f32[4]",), 16)
    assert str(found) == "all-reduce f32[4]: 16 bytes"


def test_copies_for_all_are_an_all_gather_of_the_whole(rows):
    whole = jax.NamedSharding(rows.sharding.mesh, jax.P())
    (found,) = find_collectives(lambda x: jax.lax.with_sharding_constraint(x, whole), rows)
    assert (found.kind, found.bytes) == ("all-gather", rows.nbytes)


def test_a_collective_in_a_loop_is_there_once(rows):
    def loop(x):
        return jax.lax.fori_loop(0, 3, lambda i, total: total + (x + total).sum(), 0.0)

    assert [each.kind for each in find_collectives(loop, rows)] == ["all-reduce"]


def test_a_type_with_a_sharding_is_enough(rows):
    kind = jax.ShapeDtypeStruct(rows.shape, rows.dtype, sharding=rows.sharding)
    assert find_collectives(jnp.sum, kind) == find_collectives(jnp.sum, rows) != []


def test_shardings_are_compared_by_their_pieces(rows):
    mesh = jax.make_mesh((4, 2), ("a", "b"), axis_types=(AxisType.Auto, AxisType.Auto))
    compare_shardings([jax.NamedSharding(mesh, jax.P(("a", "b")))], [rows])
    with pytest.raises(Found, match="devices/split") as found:
        compare_shardings([jax.NamedSharding(mesh, jax.P("a"))], [rows])
    wanted, got = found.value.finding.saw[1:]
    assert wanted == ("wanted", "f32[16,4] in 4 pieces of [4,4], on 8 devices, the first on 0, 1")
    assert got == ("got", f"{tell_pieces(rows)}")


def test_more_than_is_allowed_is_found_with_what_it_is(rows):
    question = communicates(lambda found: not found, "nothing", rows)
    question(jnp.sin)
    with pytest.raises(Found, match="devices/communication") as found:
        question(jnp.sum)
    assert ("got", "all-reduce f32[]: 4 bytes") in found.value.finding.saw
