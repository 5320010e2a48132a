"""Repair a smoothing of a signal whose trace holds every round, so that it holds one."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.edge_cases import vectors
from traced.lessons.loops.equations import grows_no_more_than
from traced.lessons.loops.rows import random_rows
from traced.lessons.loops.solutions.smooth import smooth as solution
from traced.numbers.slopes import require_slopes_along
from traced.questions import returns

#: As many entries as the example has: nothing is compiled for them.
_OF_FOUR = "equal entries", "close entries", "one large entry"

#: Of nine entries, far from zero, but for one of them.
_FAR = 10_000 * np.asarray(random_rows(9))
_FAR[4] = 0


def _smoothed(signal: Any) -> Any:
    """Return the level after each value, to which the new value adds a tenth."""
    levels = [np.float32(signal[0])]
    for value in np.asarray(signal)[1:]:
        levels.append(np.float32(0.9 * levels[-1] + 0.1 * value))
    return np.stack(levels)


def _follows_each_change(answer: Any) -> None:
    """Require the derivative along a direction, which is smoothed as the signal is."""
    signal, along = jnp.array([3.0, 1.0, -2.0, 8.0]), jnp.array([1.0, -2.0, 4.0, 0.5])
    require_slopes_along(answer, (signal,), (along,), _smoothed(along))


smooth = Exercise(
    name="smooth",
    questions=(
        returns(
            _smoothed,
            (jnp.array([3.0, 1.0, -2.0, 8.0]),),
            (jnp.ones(1),),
            (jax.device_put(_FAR),),
        ),
        grows_no_more_than(4, lambda n: (jnp.ones(n),), 4, 64),
        # So long that a power of nine tenths is zero. What is unrolled would take its time.
        returns(_smoothed, (random_rows(2000),)),
        returns(_smoothed, *((jax.device_put(vectors()[name]),) for name in _OF_FOUR)),
        _follows_each_change,
    ),
    hints=(
        "Two things live on from round to round in the loop as it stands. One of them is needed "
        "by the next round, the other is only collected.",
        "`lax.scan` carries what the next round needs and stacks what each round gives out. "
        "`savings_by_scan` has the same form.",
        "An inner function takes the level and one value, and returns the new level twice: "
        "to be carried, and to be stacked. The carry starts at the first value of the signal.",
    ),
    verified="right levels for seven signals, one of 2000 values, and right derivatives; the "
    "rounds are not laid out in the trace",
    answer=solution,
)
