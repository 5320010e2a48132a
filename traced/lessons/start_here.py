"""What 00_start_here asks."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.exercise import Exercise
from traced.questions import keeps_its_size, returns
from traced.solutions import start_here as solutions


def _wanted(x: Any) -> Any:
    return np.mean(np.asarray(x) ** 2)


mean_square = Exercise(
    name="mean_square",
    questions=(
        returns(_wanted, (jnp.array([1.0, 2.0, 3.0]),), (jnp.linspace(-1.0, 1.0, 6),)),
        keeps_its_size(lambda n: (jnp.arange(float(n)),)),
    ),
    hints=(
        "Count the equations that one round of the loop leaves in the trace, then the rounds.",
        "An operation on a whole array has as many equations, whatever its length. "
        "`jax.numpy` has the names that NumPy has.",
        "One expression: square the array, then take the mean of the result. No loop is left.",
    ),
    verified="right values for two inputs; as many equations for 8 entries as for 4",
    answer=solutions.mean_square,
)
