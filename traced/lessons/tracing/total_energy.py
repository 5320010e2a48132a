"""Add up the energies of a list of batches, with one trace for all batches of one shape."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.tracing.solutions.total_energy import total_energy as solution
from traced.questions import compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt


def _total_energy(batches: list[Any]) -> Any:
    return float(sum(np.sum(np.asarray(batch) ** 2) for batch in batches))


_FIRST = jnp.array([0.5, -2.0, 1.0, 100.0])
_BATCHES = [_FIRST, jnp.array([0.5, 3.0, -1.0, 0.0]), jnp.arange(-1.0, 3.0)]
_LONGER = [
    *_BATCHES,
    -_FIRST,
    jnp.array([5.0, 5.0, 5.0, 5.0]),
    0 * _FIRST,
    _FIRST,
    jnp.arange(4.0),
    _FIRST,
]

#: Entries that 16 bits or a bound would change, many of them, none, and more batches.
_OTHERS = [
    [3.3 * jnp.sin(jnp.arange(1025.0))],
    [jnp.array([0.1234567]), jnp.array([-77.77]), jnp.zeros(0)],
    [jnp.array([0.004, -0.006])],
    [jnp.array([1e6, -3e5])],
    [jnp.array([np.inf, 1.0])],
    [jnp.array([1.1, 0.1 * i]) for i in range(40)],
]

_SHORT, _LONG = jnp.array([3.0, -0.5]), jnp.array([1.0, 0.0, -2.0, 0.5, 2.0, 1.0])


def _adds_up_three_batches_then_nine(answer: Any) -> None:
    """Require the sum for two lists, the second with a batch that is in it three times."""
    for batches in (_BATCHES, _LONGER):
        _compare_sums(answer, batches)


def _passes_nan_on(answer: Any) -> None:
    _compare_sums(answer, [_FIRST, jnp.array([1.0, jnp.nan, 2.0, 0.0])])


def _adds_up_other_lists(answer: Any) -> None:
    for batches in _OTHERS:
        _compare_sums(answer, batches)


def _compare_sums(answer: Any, batches: list[Any]) -> None:
    first = ", ".join(map(_shown, batches[:9]))
    given = first if len(batches) < 10 else f"{first} and so on, {len(batches)} batches"
    compare(_total_energy(batches), attempt(answer, batches), given=given)


def _shown(batch: Any) -> str:
    return str(batch) if batch.size < 10 else f"{batch.size} entries"


def _adds_up_batches_of_three_lengths(answer: Any) -> None:
    _compare_sums(answer, [_FIRST, _SHORT, _LONG, _SHORT])


def _adds_up_the_shorter_ones_again(answer: Any) -> None:
    _compare_sums(answer, [_SHORT])
    _compare_sums(answer, [_FIRST, 2 * _SHORT])


def _of_two_batches(answer: Any) -> Callable[..., Any]:
    return lambda *batches: answer(list(batches))


total_energy = Exercise(
    name="total_energy",
    questions=(
        traces_at_most(1, _adds_up_three_batches_then_nine, "3 batches, then 9, each f32[4]"),
        traces_at_most(
            0,
            _adds_up_the_shorter_ones_again,
            "f32[2], then f32[4] and f32[2], after a list of f32[4], f32[2] and f32[6]",
            after=_adds_up_batches_of_three_lengths,
        ),
        _passes_nan_on,
        _adds_up_other_lists,
        works_under_jit(_of_two_batches, jnp.ones(4), jnp.ones(4)),
    ),
    hints=(
        "JAX keeps traces by function object. Find the place where that object is made, "
        "and count how often the place is reached.",
        "A function defined at the top level of a module or a cell is made once. `jax.jit` can "
        "stand above it as a decorator.",
        "Two functions: a jitted one for the energy of one batch, defined first; and the loop, "
        "in plain Python, that adds up what it returns.",
    ),
    verified="right values for eleven lists, and NaN for a batch with one; twelve batches of one "
    "shape, one trace; none for a shape of an earlier list",
    answer=solution,
)
