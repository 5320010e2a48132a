"""Tell how the number of equations of a function grows with its input."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

from traced.drawing.picture import Picture
from traced.drawing.plots import plot_lines
from traced.programs.jaxprs import Equation, find_equations
from traced.python.loops import is_in_loop
from traced.python.places import Place, Spot, place_at

Law = Literal["constant", "linear", "quadratic", "other"]


@dataclass(frozen=True)
class Growth:
    """The number of equations for each size, nested ones included, and what law they follow.

    `law` holds exactly for all sizes that were tried, and says nothing of others. `place` is the
    line whose equations multiplied most from the first size to the last, if any did.
    """

    counts: Mapping[int, int]
    law: Law
    place: Place | None


def measure_growth(
    f: Callable[..., Any],
    make: Callable[[int], tuple[Any, ...]],
    sizes: Sequence[int] = (4, 6, 9, 13),
) -> Growth:
    """Return how many equations `f` has for the arguments `make(size)`, for each size.

    Laws are told apart by divided differences, for which at least four sizes have to differ. Even
    so, a loop that is unrolled at some sizes only, or a tree of halves, is `other`.

    >>> import jax.numpy as jnp
    >>> growth = measure_growth(lambda x: sum(2 * each for each in x), lambda n: (jnp.ones(n),))
    >>> growth.law
    'linear'
    >>> measure_growth(jnp.sum, lambda n: (jnp.ones(n),)).counts
    {4: 1, 6: 1, 9: 1, 13: 1}
    """
    if len(set(sizes)) < 4:
        raise ValueError(f"`sizes` must hold four different sizes or more, got {tuple(sizes)}")
    equations = {size: find_equations(f, *_arguments(make, size)) for size in sorted(set(sizes))}
    counts = {size: len(found) for size, found in equations.items()}
    few, *_, many = equations.values()
    return Growth(counts, _law(counts), grown(few, many))


def _arguments(make: Callable[[int], tuple[Any, ...]], size: int) -> tuple[Any, ...]:
    args = make(size)
    if not isinstance(args, tuple):
        raise TypeError(f"`make` must return a tuple of arguments, got {type(args).__name__}")
    return args


def _law(counts: Mapping[int, int]) -> Law:
    sizes = list(counts)
    row = [Fraction(count) for count in counts.values()]
    laws: tuple[Law, ...] = ("constant", "linear", "quadratic")
    # https://en.wikipedia.org/wiki/Divided_differences: those of order n are equal exactly for
    # polynomials of degree n, whatever the distances between the sizes are.
    for order, law in enumerate(laws, start=1):
        if len(set(row)) == 1:
            return law
        row = [
            (right - left) / (sizes[i + order] - sizes[i])
            for i, (left, right) in enumerate(pairwise(row))
        ]
    return "other"


def grown(few: list[Equation], many: list[Equation]) -> Place | None:
    """Return the line whose equations multiplied most from one jaxpr to another, or None.

    Where a loop of Python's calls a function, that is the line in the loop, and not the function's.
    """
    growth = Counter(map(_repeated_line, many))
    growth.subtract(map(_repeated_line, few))
    spot, more = max(growth.items(), key=lambda item: item[1], default=(None, 0))
    return place_at(*spot) if spot and more > 0 else None


def _repeated_line(equation: Equation) -> Spot | None:
    spots = equation.spots
    return next((spot for spot in spots if is_in_loop(*spot)), spots[0] if spots else None)


def plot_growth(**growths: Growth) -> Picture:
    """Return a plot of how the equations of functions grow, with the law of each.

    >>> import jax.numpy as jnp
    >>> plot_growth(sum=measure_growth(jnp.sum, lambda n: (jnp.ones(n),)))
    size  sum (constant)
    4     1
    6     1
    9     1
    13    1
    """
    lines = {f"{name} ({growth.law})": growth.counts for name, growth in growths.items()}
    return plot_lines(lines, "size", "equations")
