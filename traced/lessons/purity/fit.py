"""Return the loss before each step from a step that is traced once and changes nothing outside."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.edge_cases import vectors
from traced.lessons.purity.losses import losses_of_fit
from traced.lessons.purity.solutions.fit import fit as solution
from traced.questions import changes_nothing, compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt

_W = jnp.array([2.0, 0.5, -3.0])
_OTHER = jnp.array([-1.0, 0.5, 100.0])


def _returns_the_loss_before_each_step(answer: Any) -> None:
    for w, steps in ((_W, 3), (_OTHER, 5), (_W, 1), (_W, 40)):
        _compare_losses(answer, np.asarray(w), steps)


def _fits_other_vectors(answer: Any) -> None:
    """Require the same of large weights, of many of them, and of many steps."""
    many = np.arange(20, dtype=np.float32) % 7 - 2.3
    for w in ([1000.0, -5e5], [-0.3], many):
        _compare_losses(answer, np.asarray(w, np.float32), 2)
    # What a step makes of infinity depends on how it is written.
    for w in ([np.inf, 1.0], [np.nan, 1.0]):
        _compare_losses(answer, np.asarray(w, np.float32), 1)
    _compare_losses(answer, many, 150)
    _compare_losses(answer, vectors()["257 entries"], 2, "257 entries")
    _compare_losses(answer, 0 * np.asarray(_W), 2)


def _compare_losses(answer: Any, w: Any, steps: int, name: str = "") -> None:
    got, given = attempt(answer, jnp.asarray(w), steps), f"w = {name or w}, {steps} steps"
    compare(losses_of_fit(w, steps), got, given=given)


def _changes_nothing(answer: Any) -> None:
    """Require that nothing is changed, weights in a NumPy array included."""
    changes_nothing(np.array(_W), 3)(answer)


def _with_three_steps(answer: Any) -> Callable[..., Any]:
    return lambda w: answer(w, 3)


fit = Exercise(
    name="fit",
    questions=(
        traces_at_most(1, _returns_the_loss_before_each_step, "3, 5, 1 and 40 steps, of one shape"),
        _fits_other_vectors,
        _changes_nothing,
        works_under_jit(_with_three_steps, _W),
    ),
    hints=(
        "Two things come out of the jitted function: the next weights and a loss. "
        "Look at the way that each of them takes.",
        "A jitted function may return a pair. Its caller is plain Python and may keep a list.",
        "The jitted step returns the next weights and the loss. The loop unpacks the pair, "
        "and collects the losses in a list that the outer function makes itself.",
    ),
    verified="right losses for 1 to 150 steps, from one trace of a shape; "
    "nothing outside is changed",
    answer=solution,
)
