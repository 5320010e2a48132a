"""Write the mean of the squares of a vector, with as many equations for 8 entries as for 4."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.edge_cases import non_finite_vectors, vectors
from traced.lessons.start_here.solutions.mean_square import mean_square as solution
from traced.questions import keeps_its_size, returns


def _mean_square(x: Any) -> Any:
    return float(np.mean(np.asarray(x) ** 2))


_NAMES = "one entry", "zeros", "entries from -100 to 100", "equal entries", "257 entries"
_UNKNOWN = "a NaN inside", "an infinity inside"
_VECTORS = vectors() | non_finite_vectors()
#: Of other sizes: what is added to a square, or cut off it, and what is left out at the end.
_SCALES = ([0.004, -0.006, 0.005], [3e5, -1e6], np.arange(1000) % 7 - 3)

mean_square = Exercise(
    name="mean_square",
    questions=(
        returns(_mean_square, (jnp.array([1.0, 2.0, 3.0]),)),
        returns(_mean_square, *((jnp.asarray(_VECTORS[name]),) for name in (*_NAMES, *_UNKNOWN))),
        returns(_mean_square, *((jnp.asarray(entries, jnp.float32),) for entries in _SCALES)),
        keeps_its_size(lambda n: (jnp.arange(float(n)),)),
    ),
    hints=(
        "Count the equations that one round of the loop leaves in the trace, then the rounds.",
        "An operation on a whole array has as many equations, whatever its length. "
        "`jax.numpy` has the names that NumPy has.",
        "One expression: square the array, then take the mean of the result. No loop is left.",
    ),
    verified="right values for eleven vectors, of 1 to 1000 entries, zero, tiny, large, infinite "
    "and NaN; as many equations for 8 entries as for 4",
    answer=solution,
)
