"""Write the median distance of two entries for each row, a few rows at a time on both ways."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.loops.equations import LOOPS, grows_no_more_than, place_of_first
from traced.lessons.loops.rows import random_rows
from traced.lessons.loops.solutions.median_gaps import median_gaps as solution
from traced.programs.jaxprs import Equation, find_equations
from traced.programs.memory import measure_program
from traced.questions import needs_at_most, returns
from traced.running.attempt import attempt

#: So many that a batch of dozens of rows is few of them.
_ROWS = random_rows(1024, 32)
_BYTES_OF_ALL_PAIRS = _ROWS.nbytes * _ROWS.shape[1]


def _median_distances(rows: Any) -> Any:
    rows = np.asarray(rows)
    return np.median(np.abs(rows[:, :, None] - rows[:, None, :]), axis=(1, 2))


def _slopes(rows: Any) -> Any:
    """Return the gradient of the sum of all gaps, for rows of which no two gaps are equal."""
    slopes = np.zeros_like(rows)
    for row, slope in zip(np.asarray(rows), slopes, strict=True):
        gaps = np.abs(row[:, None] - row)
        i, j = np.argwhere(gaps == np.median(gaps))[0]
        slope[i], slope[j] = np.sign(row[i] - row[j]), np.sign(row[j] - row[i])
    return slopes


def _derives_the_medians(answer: Any) -> None:
    """Require the gradient of the medians, which a derivative that is stopped has not."""
    rows = random_rows(11, 5)
    got = attempt(jax.jit(jax.grad(lambda rows: jnp.sum(answer(rows)))), rows)
    wanted = _slopes(rows)
    seen = {"given": _row(rows), "wanted": _row(wanted), "got": _row(got)}
    close = np.allclose(wanted, got, rtol=1e-3, atol=1e-4)
    require(close, "derivatives/wrong", place_of_first(LOOPS, answer, rows), **seen)


def _row(rows: Any) -> str:
    return f"first row {np.array2string(np.asarray(rows[0]), precision=3)}"


def _forgets_its_steps(answer: Any) -> None:
    """Require the gradient to keep no pairs for the way back, nor to hold those of all rows there.

    A loop that keeps what its steps computed returns that. Who writes the way back by hand may keep
    nothing, and take all rows at once then.
    """

    def total(rows: Any) -> Any:
        return jnp.sum(answer(rows))

    kept, needed = attempt(_memory_of, jax.grad(total))
    seen = {"bytes_that_a_loop_keeps": kept, "bytes_of_all_pairs": _BYTES_OF_ALL_PAIRS}
    place = place_of_first(LOOPS, answer, _ROWS)
    # Half of the pairs are those of an entry with a later one, and a float16 has half the bytes.
    require(kept < _BYTES_OF_ALL_PAIRS // 5, "loops/residuals", place, **seen)
    within = needed is None or needed <= _BYTES_OF_ALL_PAIRS
    require(within, "cost/memory", bytes_for_the_gradient=needed, allowed=_BYTES_OF_ALL_PAIRS)


def _memory_of(gradient: Any) -> tuple[int, int | None]:
    """Return how many bytes a loop of the gradient returns, and those that XLA needs on its way."""
    eqns = find_equations(gradient, _ROWS)
    kept = max((_bytes_returned(each) for each in eqns if each.primitive in LOOPS), default=0)
    return kept, measure_program(gradient, _ROWS).temporary_bytes


def _bytes_returned(loop: Equation) -> int:
    """Return how many bytes a loop returns: what it carried last, and what it stacked."""
    avals: list[Any] = [var.aval for var in loop.eqn.outvars]
    return sum(math.prod(each.shape) * int(each.dtype.itemsize) for each in avals)


median_gaps = Exercise(
    name="median_gaps",
    questions=(
        returns(
            _median_distances,
            (jnp.array([[0.0, 1.0, 5.0]]),),
            (random_rows(7, 151),),
            (random_rows(3, 1),),
        ),
        grows_no_more_than(2, lambda n: (random_rows(n, 4),), 48, 192),
        # After that, since a loop in Python over many rows takes long.
        returns(
            _median_distances,
            (random_rows(301, 4).at[:2].set([[-1e4, 1e4, 5e3, 0.0], [2.0, 2.0, 2.0, 2.0]]),),
        ),
        needs_at_most(_BYTES_OF_ALL_PAIRS // 4, _ROWS),
        _derives_the_medians,
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
    verified="right medians and gradients; a few rows at a time, for both",
    answer=solution,
)
