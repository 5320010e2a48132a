"""Ask of a program of an answer: its equations, how it grows, and what it holds in memory."""

import re
from collections.abc import Callable
from typing import Any

from traced.findings.feedback import Question, fault, require
from traced.programs.growth import grown, measure_growth
from traced.programs.jaxprs import Equation, find_equations
from traced.programs.memory import measure_program
from traced.pytrees.differences import name_arguments
from traced.running.attempt import attempt


def keeps_its_size(
    make: Callable[[int], tuple[Any, ...]], small: int = 4, large: int = 8
) -> Question:
    """Ask whether the jaxpr has as many equations for `make(large)` as for `make(small)`.

    >>> import jax.numpy as jnp
    >>> keeps_its_size(lambda n: (jnp.ones(n),))(sum)
    Traceback (most recent call last):
    traced.findings.feedback.Found: loops/unrolled
    """

    def question(answer: Any) -> None:
        require_bounded_growth(lambda n: (answer, *make(n)), small, large)

    return question


def require_bounded_growth(
    at: Callable[[int], tuple[Any, ...]],
    small: int,
    large: int,
    size: str = "{} entries",
    factor: int = 1,
) -> None:
    """Require a function that depends on a number to have few more equations for a larger one.

    `at(n)` returns the function for n and its arguments, and `size` says what n is. The larger one
    may have `factor` times the equations of the smaller one, and from there on they may grow as
    those of a tree of halves do, if `factor` is more than one. Parts of one size and a remainder,
    as `jax.lax.map` makes them of a batch, are no growth: the program has one of three sizes, for
    whole parts, for a remainder, or for both.

    >>> require_bounded_growth(lambda n: (lambda x: sum([x] * n), 1.0), 2, 3, size="n = {}")
    Traceback (most recent call last):
    traced.findings.feedback.Found: loops/unrolled
    >>> import jax
    >>> def negatives(xs):
    ...     return jax.lax.map(jax.lax.neg, xs, batch_size=5)
    >>> require_bounded_growth(lambda n: (negatives, jax.numpy.ones(n)), 4, 8)
    """
    first = attempt(_equations_of_each, at(small), at(large))
    equations = dict(zip((small, large), first, strict=True))

    def count(n: int) -> int:
        if n not in equations:
            (equations[n],) = attempt(_equations_of_each, at(n))
        return len(equations[n])

    if sizes := find_growth(count, small, large, factor):
        seen = {size.format(n): f"{count(n)} equations" for n in sizes}
        raise fault("loops/unrolled", grown(*map(equations.__getitem__, sizes)), **seen)


def find_growth(
    count: Callable[[int], int], small: int, large: int, factor: int
) -> tuple[int, int] | None:
    """Return two sizes between which a count grows by more than it may, or None.

    >>> find_growth(lambda n: 20 + 3 * n, 4, 8, factor=1)
    (4, 8)
    >>> find_growth(lambda n: 20 + 3 * (n // 16), 4, 64, factor=4)
    (512, 4096)
    >>> find_growth(lambda n: 20 + 3 * n.bit_length(), 4, 64, factor=4)
    >>> find_growth(lambda n: 20 + 3 * n.bit_count(), 1, 63, factor=1)
    (1, 63)
    """
    many = count(large)
    if many > factor * count(small):
        # A size whose bits are all ones has one more of them, where others end with a zero.
        twice = 2 * large + large % 2
        return (small, large) if many < count(twice) < count(2 * twice + large % 2) else None
    # What works on blocks in turn has few of them at first, beside parts that stay as they are.
    # Multiples have a remainder of a block where the first size has one, so that the two steps
    # are no growth from a remainder to a whole block, and on to both.
    longer, longest = 8 * large, 64 * large
    if count(longer) <= many:
        return None
    # A tree of halves has half as many levels more, at most, where the root has twice as many.
    allowed = 1.0 if factor == 1 else 1.5
    return (longer, longest) if count(longest) > allowed * count(longer) else None


def _equations_of_each(*calls: tuple[Any, ...]) -> list[list[Equation]]:
    return [find_equations(f, *args) for f, *args in calls]


def grows_linearly(make: Callable[[int], tuple[Any, ...]]) -> Question:
    """Ask whether the jaxpr grows with the arguments `make(size)` linearly, or not at all.

    That suits what is unrolled on purpose, as the layers of a model; where the jaxpr has to be of
    one size, ask `keeps_its_size`.

    >>> import jax.numpy as jnp
    >>> def sums(xs):
    ...     return [sum(xs[: i + 1]) for i in range(len(xs))]
    >>> grows_linearly(lambda n: ([jnp.float32(i) for i in range(n)],))(sums)
    Traceback (most recent call last):
    traced.findings.feedback.Found: loops/grows
    """

    def question(answer: Any) -> None:
        growth = attempt(measure_growth, answer, make)
        seen = {f"size_{size}": f"{count} equations" for size, count in growth.counts.items()}
        sound = growth.law in ("constant", "linear")
        require(sound, "loops/grows", growth.place, law=growth.law, **seen)

    return question


def equations_like(wanted: Callable[..., Any], *args: Any) -> Question:
    """Ask whether the answer traces to the same primitives as `wanted`, in the same order.

    >>> equations_like(lambda x: x * x, 2.0)(lambda x: x**2)
    Traceback (most recent call last):
    traced.findings.feedback.Found: tracing/other-equations
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


def donates(*args: Any, argument: str) -> Question:
    """Ask whether the answer donates all arrays in `argument`, and XLA writes outputs into them.

    >>> import jax
    >>> import jax.numpy as jnp
    >>> step = jax.jit(lambda w, g: w - g, donate_argnames="w")
    >>> donates(jnp.ones(3), jnp.ones(3), argument="w")(step)
    >>> donates(jnp.ones(3), jnp.ones(3), argument="g")(step)
    Traceback (most recent call last):
    traced.findings.feedback.Found: cost/not-donated
    """

    def question(answer: Any) -> None:
        donated = {
            each.argument: each.output for each in attempt(measure_program, answer, *args).donations
        }
        for name in _named(answer, args, argument):
            if name not in donated:
                raise fault("cost/not-donated", argument=name, donated="no")
            if not donated[name]:
                raise fault("cost/not-donated", argument=name, donated="yes", output="none fits")

    return question


def _named(answer: Any, args: tuple[Any, ...], argument: str) -> list[str]:
    names = list(name_arguments(answer, args, {}))
    found = [each for each in names if re.fullmatch(rf"{re.escape(argument)}([\[.].*)?", each)]
    if not found:
        raise ValueError(f"`argument` must be one of {', '.join(names)}, got {argument}")
    return found


def needs_at_most(most: int, *args: Any) -> Question:
    """Ask whether the program needs `most` bytes beside its arguments and its results, or fewer.

    The backend says so of the compiled program, which is not run. Nothing is asked of a backend
    that does not say.

    >>> import jax.numpy as jnp
    >>> def spread(x):
    ...     return jnp.sort(x[:, None] * x[None], axis=1)[:, 0]
    >>> needs_at_most(1000, jnp.ones(100))(spread)
    Traceback (most recent call last):
    traced.findings.feedback.Found: cost/memory
    """

    def question(answer: Any) -> None:
        needed = attempt(measure_program, answer, *args).temporary_bytes
        if needed is not None and needed > most:
            raise fault("cost/memory", temporary_bytes=needed, allowed=most)

    return question
