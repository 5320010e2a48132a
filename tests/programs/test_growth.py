"""How the number of equations grows with the input."""

import jax.numpy as jnp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

from traced.programs.growth import measure_growth


def vector(n):
    return (jnp.ones(n),)


def times(count):
    """Return a function that adds `count(n)` times, where n is the length of its argument."""

    def f(x):
        total = 0.0
        for _ in range(count(x.shape[0])):
            total = 1.0 + x[0]
        return total

    return f


LAWS = {
    "constant": lambda x: lax.scan(lambda c, y: (c + y, None), 0.0, x)[0],
    "linear": times(lambda n: 2 * n + 1),
    "quadratic": times(lambda n: n * (n - 1) // 2),
    "other": times(lambda n: n**3),
}


@pytest.mark.parametrize("law", LAWS)
def test_a_law_is_told_from_the_counts(law):
    assert measure_growth(LAWS[law], vector, (2, 3, 5, 6)).law == law


@given(st.lists(st.integers(0, 3), min_size=3, max_size=3))
@settings(max_examples=10, deadline=None)
def test_a_polynomial_is_told_by_its_degree(factors):
    f = times(lambda n: sum(factor * n**i for i, factor in enumerate(factors)))
    degree = max((i for i, factor in enumerate(factors) if factor), default=0)
    assert measure_growth(f, vector, (2, 3, 5, 6)).law == list(LAWS)[degree]


def test_the_line_that_multiplied_is_told():
    def f(x):
        y = jnp.sin(x)
        for _ in range(x.shape[0]):
            y = y * 2.0
        return y

    assert measure_growth(f, vector).place.source == "y = y * 2.0"


def test_what_does_not_grow_has_no_line():
    assert measure_growth(lambda x: 2.0 * x, vector).place is None


def test_sizes_are_counted_once_and_in_order():
    growth = measure_growth(times(lambda n: 0), vector, (5, 2, 3, 2, 4))
    assert list(growth.counts) == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("make", "sizes", "error", "text"),
    [
        (vector, (1, 2, 3, 3), ValueError, "`sizes` must hold four different sizes or more"),
        (jnp.ones, (1, 2, 3, 4), TypeError, "`make` must return a tuple of arguments"),
    ],
)
def test_what_gives_no_law_is_refused(make, sizes, error, text):
    with pytest.raises(error, match=text):
        measure_growth(jnp.sin, make, sizes)
