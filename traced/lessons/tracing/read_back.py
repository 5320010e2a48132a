"""Read a jaxpr, and write the function of two vectors that leaves it."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.tracing.solutions.read_back import read_back as solution
from traced.questions import equations_like, returns

_X, _Y = jnp.array([1.0, -2.0, 3.0]), jnp.array([0.5, 4.0, 2.0])


def mystery(x, y):  # type: ignore[no-untyped-def]  # traced with whatever it is given
    """Compute what the jaxpr of exercise 1 shows."""
    return -jnp.max(x * y - x)


def _read_back(x: Any, y: Any) -> Any:
    return -np.max(np.asarray(x) * y - x)


read_back = Exercise(
    name="read_back",
    questions=(
        returns(_read_back, (_X, _Y), (_Y, _X)),
        equations_like(mystery, _X, _Y),
    ),
    hints=(
        "Read the jaxpr from the top. Each line names its result on the left, "
        "and the next lines use that name.",
        "`mul` is `*`, `sub` is `-`, `neg` is a minus in front; `reduce_max[axes=(0,)]` "
        "is what `jnp.max` leaves.",
        "A product, a difference whose second term is an argument, the largest entry of it, "
        "and a sign: four operations in this order, and no fifth.",
    ),
    verified="right values for two pairs; the four equations of the target, in its order",
    answer=solution,
)
