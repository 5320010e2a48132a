"""Write the loss of a step into a place of a ref, and return the next weights."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.edge_cases import vectors
from traced.lessons.purity.losses import losses_of_fit
from traced.lessons.purity.solutions.record import record as solution
from traced.questions import compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt


def _records_the_loss_of_each_step(answer: Any) -> None:
    """Require after each of four steps the right weights, and the losses so far in the ref."""
    for start, before in ((2.0, 20.0), (-1.0, -10.0), (np.nan, 5.0)):
        first = np.array([start, 0.5, 3.0], "float32")
        losses, wanted = losses_of_fit(first, 4), np.full(4, before, "float32")
        w, log = jnp.asarray(first), jax.new_ref(jnp.asarray(wanted))
        # A place that is written to late, and one that is written to twice, show what else was.
        for i, loss in zip((2, 0, 3, 0), losses, strict=True):
            given = f"i = {i}, w = {w}, log = {wanted}"
            after, wanted[i] = np.asarray(w - 0.2 * w), loss
            w = attempt(answer, log, i, w)
            compare(after, w, given=given)
            compare(wanted, log[...], given=given, of="the ref after the call")


def _records_in_a_longer_ref(answer: Any) -> None:
    """Require the same of more weights and places, and of large, small and infinite weights."""
    many, wanted = np.arange(20, dtype="float32") % 7, np.full(300, 7.0, "float32")
    log = jax.new_ref(jnp.asarray(wanted))
    unknown, equal = np.where(many == 3, np.inf, many), np.full_like(many, 0.5)
    for i, w in ((299, 1e3 - many), (0, 0.001 * many), (200, unknown), (8, equal)):
        given = f"i = {i}, w = {w.astype('float32')}, a ref of {len(wanted)} places"
        wanted[i] = np.sum(w.astype("float32") ** 2)
        after = attempt(answer, log, i, jnp.asarray(w, "float32"))
        # What a step makes of infinity depends on how it is written.
        if np.isfinite(w).all():
            compare(np.float32(0.8) * w.astype("float32"), after, given=given)
        compare(wanted, log[...], given=given, of="the ref after the call")
    for i, name in ((5, "one entry"), (9, "257 entries"), (298, "entries from -100 to 100")):
        w, given = vectors()[name], f"i = {i}, w = {name}, a ref of {len(wanted)} places"
        wanted[i] = np.sum(w**2)
        compare(np.float32(0.8) * w, attempt(answer, log, i, jax.device_put(w)), given=given)
        compare(wanted, log[...], given=given, of="the ref after the call")


def _records_under_jit(answer: Any) -> None:
    # A ref is made for each check: the one before has been written to.
    log, w = jax.new_ref(jnp.zeros(4)), jnp.array([2.0, 0.5, 3.0])
    works_under_jit(_at_place_zero, log, w)(answer)


def _at_place_zero(answer: Any) -> Callable[..., Any]:
    return lambda log, w: answer(log, jnp.int32(0), w)


record = Exercise(
    name="record",
    questions=(
        traces_at_most(1, _records_the_loss_of_each_step, "i = 2, 0, 3 and 0, for three refs"),
        _records_in_a_longer_ref,
        _records_under_jit,
    ),
    hints=(
        "The weights are returned. The loss goes into an argument, and is not returned.",
        "A ref is read and written with brackets, as a NumPy array is. The index may be traced.",
        "One assignment to the entry of the ref, whose right side is the loss; then the next "
        "weights are returned, and nothing else.",
    ),
    verified="right weights and logs after each of four calls, for three refs, from one trace, "
    "and in a ref of 300 places",
    answer=solution,
)
