"""The equations of an answer: how many more a longer input may have, and where the loops are."""

from collections.abc import Callable
from typing import Any

from traced.findings.feedback import Question
from traced.programs.jaxprs import find_equations
from traced.programs.questions import require_bounded_growth
from traced.python.places import Place

#: The primitives whose steps wait for each other.
LOOPS = ("scan", "while")


def grows_no_more_than(
    factor: int, make: Callable[[int], tuple[Any, ...]], small: int, large: int
) -> Question:
    """Ask whether the jaxpr grows by a small factor at most, where the input grows by far more.

    What works in pairs grows with the logarithm, and a rest of rows may have a copy of the body.
    """

    def question(answer: Any) -> None:
        require_bounded_growth(lambda n: (answer, *make(n)), small, large, factor=factor)

    return question


def place_of_first(primitives: tuple[str, ...], answer: Any, *args: Any) -> Place | None:
    """Return the line of the first of these primitives in the trace of the answer, or None."""
    loops = (each for each in find_equations(answer, *args) if each.primitive in primitives)
    return next((each.place for each in loops), None)
