"""Whose numbers the result of each device follows from, on eight devices."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.drawing.twins import assert_twins
from traced.devices.exchange import find_exchange
from traced.show import show_exchange

ALL = tuple(range(8))
RING = [(i, (i + 1) % 8) for i in range(8)]


def split(x, *spec):
    mesh = jax.make_mesh((8,), ("data",))
    return jax.device_put(x, jax.NamedSharding(mesh, jax.P(*spec)))


@pytest.fixture
def x():
    return split(jnp.arange(8.0), "data")


@pytest.mark.parametrize(
    ("f", "sources"),
    [
        (lambda x: 2 * x, [(i,) for i in range(8)]),
        (lambda x: jnp.ones(3), [()] * 8),
        (lambda x: lax.psum(x, "data"), [ALL] * 8),
        (lambda x: lax.ppermute(x, "data", RING), [((i - 1) % 8,) for i in range(8)]),
        (
            lambda x: x + lax.ppermute(x, "data", RING[:2]),
            [(0,), (0, 1), (1, 2), *[(i,) for i in range(3, 8)]],
        ),
        (lambda x: lax.all_gather(x, "data")[3], [(3,)] * 8),
    ],
)
def test_a_source_is_a_device_whose_numbers_are_used(x, f, sources):
    assert list(find_exchange(f, x).sources) == sources


def test_before_and_after_are_those_of_each_device(x):
    found = find_exchange(lambda x: lax.psum(x, "data"), x)
    assert [each.tolist() for each in found.before] == [[i] for i in range(8)]
    assert [each.tolist() for each in found.after] == [[28.0]] * 8


def test_any_axis_of_the_array_may_be_cut():
    x = split(jnp.arange(32.0).reshape(2, 16), None, "data")
    found = find_exchange(jnp.sum, x)
    assert found.before[1].tolist() == [[2, 3], [18, 19]]
    assert found.after[1] == 42
    assert found.sources == tuple((i,) for i in range(8))


def test_a_result_that_is_nan_anyway_tells_nothing(x):
    assert find_exchange(lambda x: x * jnp.nan, x).sources == ((),) * 8


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: jnp.ones(8),
        lambda: np.ones(8),
        lambda: split(jnp.arange(8), "data"),
        lambda: split(jnp.ones(8)),
        lambda: jax.device_put(
            jnp.ones(8), jax.NamedSharding(jax.make_mesh((4, 2), ("a", "b")), jax.P("a"))
        ),
    ],
)
def test_other_arrays_are_refused(wrong):
    with pytest.raises(TypeError, match="`x` must be"):
        show_exchange(jnp.sin, wrong())


def test_the_picture_of_one_function_has_a_line_for_each_source(x):
    def mean(x):
        return lax.pmean(x, "data")

    picture = show_exchange(mean, x)
    assert "7       7.0     3.5    all 8" in str(picture)
    assert picture.svg.count('class="purple line"') == 56
    assert picture.svg.count('class="grey line"') == 8
    assert "mean: each device before and after" in picture.svg
    assert_twins(picture)


def test_several_functions_stand_side_by_side(x):
    talks = {
        "ring": lambda x: lax.ppermute(x, "data", RING),
        "own": lambda x: jnp.sqrt(x),
        "nothing": lambda x: jnp.arange(5.0),
    }
    picture = show_exchange(talks, x)
    lines = str(picture).splitlines()
    assert lines[0].split() == [
        "device",
        "before",
        "ring",
        "from",
        "own",
        "from",
        "nothing",
        "from",
    ]
    assert lines[3].split() == ["2", "2.0", "1.0", "1", "1.41", "itself", "0.0", "…", "4.0", "none"]
    assert picture.svg.count('class="purple line"') == 8
    assert_twins(picture)
