"""What 07_loops asks."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.attempt import attempt
from traced.exercise import Exercise, Question
from traced.feedback import Found, fault, require
from traced.probes.growth import grown
from traced.probes.jaxprs import find_equations
from traced.probes.memory import measure_program
from traced.probes.places import Place
from traced.questions import compare, needs_at_most, returns
from traced.solutions import loops as solutions

#: The primitives whose steps wait for each other.
LOOPS = ("scan", "while")


def _random(*shape: int) -> Any:
    return jnp.asarray(np.random.default_rng(0).normal(size=shape), jnp.float32)


def _grows_no_more_than(
    factor: int, make: Callable[[int], tuple[Any, ...]], small: int, large: int
) -> Question:
    """Ask whether the jaxpr grows by a small factor at most, where the input grows by far more.

    What works in pairs grows with the logarithm, and a rest of rows may have a copy of the body.
    """

    def question(answer: Any) -> None:
        few, many = (attempt(find_equations, answer, *make(n)) for n in (small, large))
        sizes = zip((small, large), (few, many), strict=True)
        seen = {f"{n} entries": f"{len(eqns)} equations" for n, eqns in sizes}
        require(len(many) <= factor * len(few), "loops/unrolled", grown(few, many), **seen)

    return question


def _smoothed(signal: Any) -> Any:
    levels = [np.float32(signal[0])]
    for value in np.asarray(signal)[1:]:
        levels.append(np.float32(0.9 * levels[-1] + 0.1 * value))
    return np.stack(levels)


smooth = Exercise(
    name="smooth",
    questions=(
        returns(_smoothed, (jnp.array([3.0, 1.0, -2.0, 8.0]),), (_random(9),), (jnp.ones(1),)),
        _grows_no_more_than(4, lambda n: (jnp.ones(n),), 4, 64),
    ),
    hints=(
        "Two things live on from round to round in the loop as it stands. One of them is needed "
        "by the next round, the other is only collected.",
        "`lax.scan` carries what the next round needs and stacks what each round gives out. "
        "`savings_by_scan` has the same form.",
        "An inner function takes the level and one value, and returns the new level twice: "
        "to be carried, and to be stacked. The carry starts at the first value of the signal.",
    ),
    verified="right levels for three signals; the rounds are not laid out in the trace",
    answer=solutions.smooth,
)


def _means(rows: Any) -> Any:
    counts = np.arange(1, len(rows) + 1, dtype=np.float32)[:, None]
    return np.int32(len(rows)), np.cumsum(np.asarray(rows), axis=0) / counts


running_mean = Exercise(
    name="running_mean",
    questions=(
        returns(_means, (_random(4, 2),), (_random(1, 3),), (_random(6, 1),)),
        _grows_no_more_than(4, lambda n: (jnp.ones((n, 2)),), 4, 64),
    ),
    hints=(
        "Write down three types: of the carry that goes in, of the carry that comes out, and of "
        "what the body returns as a whole. Then compare.",
        "The body returns a pair, carry first. A type is kept by starting with the right one "
        "(`jnp.zeros_like`), or by not leaving it on the way.",
        "The count goes up by an integer; the mean starts as zeros of the shape of a row; the "
        "body gives back the pair it carries, and the mean once more as output.",
    ),
    verified="right counts and means for three shapes; the rounds are not laid out in the trace",
    answer=solutions.running_mean,
)


def _newton(
    f: Callable[[float], float], slope: Callable[[float], float], x: float, most: int
) -> Any:
    for _ in range(most):
        if abs(f(x)) <= 1e-4:
            break
        x = x - f(x) / slope(x)
    return np.float32(x)


def _newton_stops(answer: Any) -> None:
    cases: tuple[tuple[str, Any, Any, float, int], ...] = (
        ("x**3 - 2", lambda x: x**3 - 2.0, lambda x: 3 * x**2, 1.0, 20),
        # Halved at each step, so a step too many or too few is seen.
        ("x**2", lambda x: x**2, lambda x: 2 * x, 1.0, 30),
        ("x**2", lambda x: x**2, lambda x: 2 * x, 3.0, 2),
        # There is no root, so only the bound ends this.
        ("x**2 + 1", lambda x: x**2 + 1.0, lambda x: 2 * x, 0.75, 3),
        ("x**2 - 2", lambda x: x**2 - 2.0, lambda x: 2 * x, 5.0, 0),
    )
    for text, f, slope, x, most in cases:
        given = f"f(x) = {text}, x = {x}, most = {most}"
        compare(_newton(f, slope, x, most), attempt(answer, f, x, most), given=given)


def _newton_is_rolled(answer: Any) -> None:
    def square_root(x: Any, most: int) -> Any:
        return answer(lambda x: x**2 - 2.0, x, most)

    sizes = (4, 64)
    few, many = (attempt(find_equations, partial(square_root, most=most), 1.0) for most in sizes)
    seen = {
        f"most = {n}": f"{len(eqns)} equations" for n, eqns in zip(sizes, (few, many), strict=True)
    }
    require(len(many) <= len(few), "loops/unrolled", grown(few, many), **seen)


def _newton_derives(answer: Any) -> None:
    def root(a: Any) -> Any:
        return answer(lambda x: x**2 - a, 1.0, 20)

    for a in (2.0, 9.0):
        slope, wanted = _slope(root, a), 0.5 / a**0.5
        # Newton's steps end near the root, so their derivative is near that of the root.
        close = bool(np.isclose(slope, wanted, rtol=1e-2))
        seen = {"given": f"f(x) = x**2 - a, a = {a}", "wanted": f"{wanted:.3f}"}
        require(close, "derivatives/wrong", **seen, got=f"{slope:.3f}")


def _slope(root: Callable[[Any], Any], a: float) -> Any:
    try:
        return attempt(jax.jit(jax.grad(root)), a)
    except Found as found:
        if found.finding.code != "loops/reverse-mode":
            raise
        # JAX raises on the way back, where no line of the answer is on the stack.
        place, saw = _place_of(("while",), root, a), dict(found.finding.saw)
        raise fault("loops/reverse-mode", place, **saw) from None


newton = Exercise(
    name="newton",
    questions=(_newton_stops, _newton_is_rolled, _newton_derives),
    hints=(
        "`settle_bounded` has the form: a loop of known length in which a finished value is kept. "
        "Here, the condition is about `f`, and `most` is known to the trace.",
        "`jax.value_and_grad(f)` gives both numbers that a step needs. `jnp.where` or `lax.cond` "
        "chooses between the next `x` and the old one.",
        "The body looks at `f` where it stands. If that is still too large it returns Newton's "
        "step, else what it was given. A `scan` with a `length`, or `fori_loop`, repeats it.",
    ),
    verified="stops where it should, at a root or at the bound; one loop; reverse mode works",
    answer=solutions.newton,
)

_ROWS = _random(128, 32)
_PAIRS = 4 * 128 * 32 * 32  # bytes


def _gaps(rows: Any) -> Any:
    rows = np.asarray(rows)
    return np.median(np.abs(rows[:, :, None] - rows[:, None, :]), axis=(1, 2))


def _forgets_its_steps(answer: Any) -> None:
    def total(rows: Any) -> Any:
        return jnp.sum(answer(rows))

    needed = attempt(measure_program, jax.grad(total), _ROWS).temporary_bytes
    if needed is not None:
        seen = {"bytes_for_the_gradient": needed, "bytes_of_all_pairs": _PAIRS}
        require(needed <= _PAIRS, "loops/residuals", _place_of(LOOPS, answer, _ROWS), **seen)


def _place_of(primitives: tuple[str, ...], answer: Any, *args: Any) -> Place | None:
    loops = (each for each in find_equations(answer, *args) if each.primitive in primitives)
    return next((each.place for each in loops), None)


median_gaps = Exercise(
    name="median_gaps",
    questions=(
        returns(_gaps, (_random(8, 5),), (_random(16, 4),)),
        _grows_no_more_than(2, lambda n: (jnp.ones((n, 4)),), 48, 192),
        needs_at_most(_PAIRS // 2, _ROWS),
        _forgets_its_steps,
    ),
    hints=(
        "Write it for one row first, as if there were no others. Then ask how many rows are "
        "worked on at once, and what the way back keeps of each.",
        "`lax.map` takes a `batch_size`. `jax.checkpoint` around a function makes reverse mode "
        "keep what went in, and compute it again.",
        "An inner function of one row: differences of all pairs by broadcasting, `abs`, median. "
        "Wrapped for the way back, and mapped over the rows, a few at a time.",
    ),
    verified="right medians; a few rows at a time, for the values and for the gradient",
    answer=solutions.median_gaps,
)


def _decayed(decay: Any, x: Any) -> Any:
    y = [np.float32(x[0])]
    for d, value in zip(np.asarray(decay)[1:], np.asarray(x)[1:], strict=True):
        y.append(np.float32(d * y[-1] + value))
    return np.stack(y)


def _waits_for_nothing(answer: Any) -> None:
    for each in attempt(find_equations, answer, jnp.ones(16), jnp.ones(16)):
        sequential = each.primitive in LOOPS
        require(not sequential, "loops/sequential", each.place, primitive=each.primitive)


decayed_sum = Exercise(
    name="decayed_sum",
    questions=(
        returns(
            _decayed,
            (jnp.array([5.0, 0.5, 2.0, -1.0]), jnp.array([1.0, 2.0, 3.0, 4.0])),
            (jnp.array([1.0, 0.0, 0.9, 0.0, 0.5, 0.5]), _random(6)),
            (jnp.ones(1), jnp.array([7.0])),
        ),
        _waits_for_nothing,
        _grows_no_more_than(4, lambda n: (jnp.ones(n), jnp.ones(n)), 16, 256),
        needs_at_most(256 * 256, jnp.ones(256), jnp.ones(256)),
    ),
    hints=(
        "A step does two things to what came before: it multiplies, and it adds. "
        "What do two steps in a row multiply by, and what do they add?",
        "`lax.associative_scan` takes pytrees: elements may be pairs of arrays. Its function "
        "gets an earlier and a later element, and returns the two as one.",
        "The function takes two pairs, first and second. The factor of both is the product; "
        "the summand of both is the first one's, multiplied on, plus the second one's. "
        "The result is the second half of the pair.",
    ),
    verified="right sums for three pairs of vectors; no loop, few equations, little memory",
    answer=solutions.decayed_sum,
)
