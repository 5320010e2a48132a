"""Write Newton's steps as a loop that ends early, has a bound, and can be differentiated."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault, require
from traced.lessons.loops.equations import place_of_first
from traced.lessons.loops.solutions.newton import newton as solution
from traced.numbers.nans import find_first_nan
from traced.programs.questions import require_bounded_growth
from traced.questions import compare
from traced.running.attempt import attempt

#: What is passed: the text of f, f, its derivative, where to begin, and how many steps at most.
_CASES: tuple[tuple[str, Any, Any, float, int], ...] = (
    ("x**3 - 2", lambda x: x**3 - 2.0, lambda x: 3 * x**2, 1.0, 20),
    ("x**3 - 8", lambda x: x**3 - 8.0, lambda x: 3 * x**2, 3.0, 50),
    # Halved at each step, so a step too many or too few is seen.
    ("x**2", lambda x: x**2, lambda x: 2 * x, 1e9, 60),
    ("x**2", lambda x: x**2, lambda x: 2 * x, 3.0, 2),
    # So flat that a slope which is taken for zero, or moved away from it, is seen.
    ("(x - 1000) / 1e6", lambda x: (x - 1000.0) * 1e-6, lambda x: 1e-6, 0.0, 9),
    # There is no root, so only the bound ends this.
    ("x**2 + 1", lambda x: x**2 + 1.0, lambda x: 2 * x, 0.75, 3),
    ("x**2 - 2", lambda x: x**2 - 2.0, lambda x: 2 * x, 5.0, 0),
)

#: For the last x of the steps for x**2 - a that begin at a: a, the bound, the derivative by a.
_SLOPES = ((2.0, 20, 0.5 / 2**0.5), (9.0, 2, 0.26))


def _last_x(
    f: Callable[[float], float], slope: Callable[[float], float], x: float, most: int
) -> Any:
    for _ in range(most):
        if abs(f(x)) <= 1e-4:
            break
        x = x - f(x) / slope(x)
    return x


def _stops_where_it_should(answer: Any) -> None:
    """Require the last `x` of each case, at a root or at the bound."""
    for text, f, slope, x, most in _CASES:
        given = f"f(x) = {text}, x = {x}, most = {most}"
        compare(_last_x(f, slope, x, most), attempt(answer, f, x, most), given=given)


def _stays_at_a_double_root(answer: Any) -> None:
    """Require `x` as it was, and a finite derivative, where `f` and its slope begin at zero."""
    given = "f(x) = (x - a)**2, x = 1, a = 1"

    def stay(a: Any) -> Any:
        return answer(lambda x: (x - a) ** 2, 1.0, 3)

    got = attempt(stay, jnp.float32(1))
    require(not np.isnan(got), "value/nan", given=given, wanted="1", got=got)
    compare(1.0, got, given=given)
    slope = _slope(stay, 1.0)
    if not np.isfinite(slope):
        first = attempt(find_first_nan, jax.grad(stay), 1.0)
        saw = {"given": given, "derivative with respect to a": slope}
        raise fault("derivatives/not-finite", first and first.place, **saw)


def _does_not_grow_with_its_bound(answer: Any) -> None:
    """Require as many equations for 64 steps at most as for 4."""

    def square_root(x: Any, most: int) -> Any:
        return answer(lambda x: x**2 - 2.0, x, most)

    require_bounded_growth(
        lambda most: (partial(square_root, most=most), 1.0), 4, 64, size="most = {}"
    )


def _derives_in_reverse(answer: Any) -> None:
    """Require the derivative of the steps by where they begin and by what `f` closes over.

    At a root it is that of the root, however it is computed, so the second case ends before one.
    """

    def last_x(a: Any, most: int) -> Any:
        return answer(lambda x: x**2 - a, a, most)

    for a, most, wanted in _SLOPES:
        slope = _slope(partial(last_x, most=most), a)
        close = bool(np.isclose(slope, wanted, rtol=1e-2))
        given = f"f(x) = x**2 - a, from x = a, a = {a}, most = {most}"
        seen = {"given": given, "wanted": f"{wanted:.3f}", "got": f"{slope:.3f}"}
        require(close, "derivatives/wrong", **seen)


def _slope(root: Callable[[Any], Any], a: float) -> Any:
    try:
        return attempt(jax.jit(jax.grad(root)), a)
    except Found as found:
        if found.finding.code != "loops/reverse-mode":
            raise
        # JAX raises on the way back, where no line of the answer is on the stack.
        place, saw = place_of_first(("while",), root, a), dict(found.finding.saw)
        raise fault("loops/reverse-mode", place, **saw) from None


newton = Exercise(
    name="newton",
    questions=(
        _stops_where_it_should,
        _does_not_grow_with_its_bound,
        _derives_in_reverse,
        _stays_at_a_double_root,
    ),
    hints=(
        "`settle_bounded` has the form: a loop of known length in which a finished value is kept. "
        "Here, the condition is about `f`, and `most` is known to the trace.",
        "`lax.cond` chooses between the next `x` and the old one, and derives only what it chose. "
        "With `jnp.where`, both sides have to be finite, so mind the slope that is divided by.",
        "The body looks at `f` where it stands. If that is still too large it returns Newton's "
        "step, else what it was given. A `scan` with a `length`, or `fori_loop`, repeats it.",
    ),
    verified="stops where it should, at a root or at the bound; one loop; reverse mode works, also "
    "from a double root",
    answer=solution,
)
