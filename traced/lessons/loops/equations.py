"""The equations of an answer: how many more a longer input may have, and where the loops are."""

from collections.abc import Callable
from typing import Any

from traced.findings.feedback import Question, fault
from traced.programs.jaxprs import Equation, find_equations
from traced.programs.questions import find_growth, require_bounded_growth
from traced.python.places import Place
from traced.running.attempt import attempt

#: The primitives whose steps wait for each other.
LOOPS = ("scan", "while")


def grows_no_more_than(
    factor: int, make: Callable[[int], tuple[Any, ...]], small: int, large: int
) -> Question:
    """Ask whether the jaxpr grows by a small factor at most, where the input grows by far more.

    What works in pairs grows with the logarithm, and a rest of rows may have a copy of the body.
    Neither may a loop have all its rounds laid out by `unroll`, which leaves the jaxpr as it is:
    to compile that takes as long as what Python unrolled.
    """

    def question(answer: Any) -> None:
        require_bounded_growth(lambda n: (answer, *make(n)), small, large, factor=factor)
        loops: dict[int, Equation | None] = {}

        def rounds(n: int) -> int:
            if n not in loops:
                eqns = attempt(find_equations, answer, *make(n))
                loops[n] = max(eqns, key=_rounds_laid_out, default=None)
            return _rounds_laid_out(loops[n])

        if sizes := find_growth(rounds, small, large, factor):
            loop = loops[sizes[1]]
            place = loop.place if loop else None
            saw = {f"{n} entries": f"a loop with {rounds(n)} rounds laid out" for n in sizes}
            raise fault("loops/unrolled", place, **saw).saying(rule=UNROLL, read=READ)

    return question


#: What is said of a loop that `unroll` leaves nothing of.
UNROLL = "`unroll` puts copies of the body into a round; as many as there are rounds leave no loop"
READ = "07_loops, “Steps that wait for nothing need no carry”"


def _rounds_laid_out(equation: Equation | None) -> int:
    """Return the rounds of a loop that `unroll` lays out, or 1 where there is no loop."""
    if equation is None:
        return 1
    length, unroll = (equation.eqn.params.get(name) or 1 for name in ("length", "unroll"))
    return int(min(length, unroll))


def place_of_first(primitives: tuple[str, ...], answer: Any, *args: Any) -> Place | None:
    """Return the line of the first of these primitives in the trace of the answer, or None."""
    loops = (each for each in find_equations(answer, *args) if each.primitive in primitives)
    return next((each.place for each in loops), None)
