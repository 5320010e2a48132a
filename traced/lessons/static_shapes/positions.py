"""Return the positions of the last positive entries, in a result whose length is known before."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found
from traced.lessons.edge_cases import non_finite_vectors, vectors
from traced.lessons.static_shapes.solutions.positions import positions as solution
from traced.questions import can_be_traced, keeps_its_size, returns
from traced.running.attempt import attempt

#: What is behind a filling that is out of place, and where to read of it.
_FILLED = "`size` fills behind the first that are found, and what comes after moves the filling too"
_READ = "05_static_shapes, “`size=` settles a length that values cannot”"

_THREE, _OTHERS = jnp.array([3.0, -1.0, 0.0, 2.0, 5.0]), jnp.array([-2.0, 4.0, 1.0, 3.0, -5.0])

_SMALL, _INFINITE = (
    jnp.asarray((vectors() | non_finite_vectors())[name])
    for name in ("one large entry", "an infinity inside")
)

#: As long as the text allows: most of the positions fit into no byte.
_LONG = jnp.asarray(np.sin(np.arange(1000, dtype=np.float32)))

_ONE = jnp.array([0.5])

_NONE = jnp.array([-1.0, 0.0, jnp.nan])

#: All positive, the last one barely.
_ALL = jnp.array([3.0, 2.0, 2e-38])


def _positions(x: Any, most: int) -> Any:
    found = np.flatnonzero(np.asarray(x) > 0)[::-1][:most]
    return np.pad(found, (0, most - len(found)), constant_values=-1).astype(np.int32)


def _returns_positions(*calls: tuple[Any, ...]) -> Callable[[Any], None]:
    """Ask for the positions that each call returns; where the filling alone is wrong, say so."""

    def question(answer: Any) -> None:
        for call in calls:
            try:
                returns(_positions, call)(answer)
            except Found as found:
                if found.finding.code == "value/differs" and _filling_is_wrong(answer, call):
                    raise found.saying(rule=_FILLED, read=_READ) from None
                raise

    return question


def _filling_is_wrong(answer: Any, call: tuple[Any, ...]) -> bool:
    wanted, got = _positions(*call), np.asarray(attempt(answer, *call))
    # Where one entry too many was found, what stands in the gap is not one number throughout.
    filled = np.unique(got[wanted < 0]).size == 1
    return bool(filled and np.isin(wanted[wanted >= 0], got).all())


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
        _returns_positions((_THREE, 3), (_THREE, 4), (_THREE, 2), (_OTHERS, 7), (_NONE, 2)),
        _keeps_its_size,
        _returns_positions((_SMALL, 4), (_INFINITE, 3), (_LONG, 600), (_ALL, 12), (_ONE, 2)),
    ),
    hints=(
        "How many entries are positive is a value. How long the result is, is known before.",
        "`jnp.nonzero` takes `size` and `fill_value`, and keeps the first positions that it "
        "finds. `x[::-1]` has the entries from the last on.",
        "The first positions in the reversed vector, counted back to places in `x`. What is "
        "filled in goes through the same subtraction, so one choice of it ends at -1.",
    ),
    verified="right positions for ten calls, too few and too many among them; one fixed length",
    answer=solution,
)
