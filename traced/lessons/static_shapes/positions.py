"""Return the positions of the first positive entries, in a result whose length is known before."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.edge_cases import non_finite_vectors, vectors
from traced.lessons.static_shapes.solutions.positions import positions as solution
from traced.questions import can_be_traced, keeps_its_size, returns

_THREE, _OTHERS = jnp.array([3.0, -1.0, 0.0, 2.0, 5.0]), jnp.array([-2.0, 4.0, 1.0, 3.0, -5.0])

_SMALL, _INFINITE, _LONG = (
    jnp.asarray((vectors() | non_finite_vectors())[name])
    for name in ("one large entry", "an infinity inside", "257 entries")
)

_NONE = jnp.array([-1.0, 0.0, jnp.nan])

#: All positive, the first one barely.
_ALL = jnp.array([1e-30, 2.0, 3.0])


def _positions(x: Any, most: int) -> Any:
    found = np.flatnonzero(np.asarray(x) > 0)[:most]
    return np.pad(found, (0, most - len(found)), constant_values=-1).astype(np.int32)


def _at_most_three(answer: Any) -> Callable[..., Any]:
    return lambda x: answer(x, 3)


def _can_be_traced(answer: Any) -> None:
    can_be_traced(_THREE)(_at_most_three(answer))


def _keeps_its_size(answer: Any) -> None:
    keeps_its_size(lambda n: (jnp.ones(n),))(_at_most_three(answer))


positions = Exercise(
    name="positions",
    questions=(
        _can_be_traced,
        returns(_positions, (_THREE, 3), (_THREE, 4), (_THREE, 2), (_OTHERS, 7), (_NONE, 2)),
        _keeps_its_size,
        returns(_positions, (_SMALL, 4), (_INFINITE, 3), (_LONG, 200), (_ALL, 12)),
    ),
    hints=(
        "How many entries are positive is a value. How long the result is, is known before.",
        "`jnp.nonzero` takes `size` and `fill_value`. It returns a tuple, with one array for "
        "each axis.",
        "One call with three arguments: a comparison, the static length, and the number that "
        "stands for nothing. Of what it returns, the first part.",
    ),
    verified="right positions for nine calls, too few and too many among them; one fixed length",
    answer=solution,
)
