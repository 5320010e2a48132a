"""Ask of the jaxpr of an answer: whether it grows with the input, and which equations it has."""

from collections.abc import Callable, Sequence
from typing import Any

from traced.attempt import attempt
from traced.exercise import Question
from traced.feedback import fault, require
from traced.probes.growth import grown, measure_growth
from traced.probes.jaxprs import Equation, find_equations


def keeps_its_size(
    make: Callable[[int], tuple[Any, ...]], small: int = 4, large: int = 8
) -> Question:
    """Ask whether the jaxpr has as many equations for `make(large)` as for `make(small)`.

    >>> import jax.numpy as jnp
    >>> keeps_its_size(lambda n: (jnp.ones(n),))(sum)
    Traceback (most recent call last):
    traced.feedback.Found: loops/unrolled
    """

    def question(answer: Any) -> None:
        few, many = attempt(_equations_of_each, answer, make(small), make(large))
        seen = {
            f"{n}_entries": f"{len(eqns)} equations" for n, eqns in ((small, few), (large, many))
        }
        if len(many) > len(few):
            raise fault("loops/unrolled", grown(few, many), **seen)

    return question


def _equations_of_each(answer: Any, *cases: tuple[Any, ...]) -> list[list[Equation]]:
    return [find_equations(answer, *args) for args in cases]


def grows_linearly(
    make: Callable[[int], tuple[Any, ...]], sizes: Sequence[int] = (4, 6, 9, 13)
) -> Question:
    """Ask whether the jaxpr grows with the arguments `make(size)` linearly, or not at all.

    That suits what is unrolled on purpose, as the layers of a model; where the jaxpr has to be of
    one size, ask `keeps_its_size`.

    >>> import jax.numpy as jnp
    >>> def sums(xs):
    ...     return [sum(xs[: i + 1]) for i in range(len(xs))]
    >>> grows_linearly(lambda n: ([jnp.float32(i) for i in range(n)],))(sums)
    Traceback (most recent call last):
    traced.feedback.Found: loops/grows
    """

    def question(answer: Any) -> None:
        growth = attempt(measure_growth, answer, make, sizes)
        seen = {f"size_{size}": f"{count} equations" for size, count in growth.counts.items()}
        sound = growth.law in ("constant", "linear")
        require(sound, "loops/grows", growth.place, law=growth.law, **seen)

    return question


def equations_like(wanted: Callable[..., Any], *args: Any) -> Question:
    """Ask whether the answer traces to the same primitives as `wanted`, in the same order.

    >>> equations_like(lambda x: x * x, 2.0)(lambda x: x**2)
    Traceback (most recent call last):
    traced.feedback.Found: tracing/other-equations
    """

    def question(answer: Any) -> None:
        target, eqns = find_equations(wanted, *args), attempt(find_equations, answer, *args)
        names = [
            " ".join(each.primitive for each in side if not each.nests) for side in (target, eqns)
        ]
        dead = [each for each in eqns if each.dead]
        where = [each.place for each in dead[:1]]
        saw = {"target": names[0], "answer": names[1]}
        require(not dead, "tracing/dead-equation", *where, **saw)
        require(names[0] == names[1], "tracing/other-equations", **saw)

    return question
