"""Store a row in a ring buffer, in the buffer's own memory."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.arrays.lost_updates import unless_lost
from traced.lessons.arrays.solutions.store import store as solution
from traced.questions import compare, traces_at_most, uses_jit, works_under_jit
from traced.running.attempt import attempt

_BUFFER = np.array([[1.0, 2.0], [np.nan, 4.0], [5.0, np.inf]], np.float32)
_ROW = np.array([-1.0, 0.3337], np.float32)
#: Rows of two entries that are equal, or nearly so.
_ALIKE = {7: [2.0, 2.0], 300: [1.0, 1.000001]}
#: What a row may hold, and a mask, a bound or a number of 16 bits would change.
_ENTRIES = np.array([np.nan, 0.1234567, np.inf, 1e20, -np.inf, -1e20, 1e-20, 0.0, -2.0], np.float32)


@contextmanager
def _donating_in_vain() -> Iterator[None]:
    """Let a program be given memory that it has no use for, of which JAX warns."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Some donated buffers were not usable")
        yield


def _stores_rows_in_turn(answer: Any) -> None:
    """Require the buffer after each of five rows, some of them beyond the end."""
    wanted, buffer = _BUFFER.copy(), jnp.array(_BUFFER)
    for i in (0, 2, 3, 7, 300):
        row = np.array(_ALIKE.get(i, _ROW * (i + 1)), np.float32)
        given = f"i = {i}, {len(wanted)} rows"
        wanted[i % len(wanted)] = row
        # The answer may donate what it is given, so it has a copy of its own.
        own = (jnp.array(buffer), i, jnp.asarray(row))
        with unless_lost(answer, jnp.array(_BUFFER), i, jnp.asarray(row)), _donating_in_vain():
            got = attempt(answer, *own)
            compare(wanted, got, given=given)
        buffer = got


def _stores_in_other_buffers(answer: Any) -> None:
    """Require the same of a buffer of one row, and of one of many at a place too far for floats."""
    for rows, width, places in ((1, 3, (0, 5)), (1500, 9, (1499, 1500, 2**24 + 1))):
        for i in places:
            before = np.arange(float(rows * width), dtype=np.float32).reshape(rows, width)
            row, wanted = _ENTRIES[:width], before.copy()
            wanted[i % rows] = row
            with _donating_in_vain():
                got = attempt(answer, jnp.array(before), i, jnp.asarray(row))
            compare(wanted, got, given=f"i = {i}, a buffer of {rows} rows")


def _donates_the_buffer(answer: Any) -> None:
    """Require that a call leaves nothing of the old buffer, as only a donated one is deleted."""
    deleted = attempt(_is_deleted_by, answer)
    require(deleted, "cost/not-donated", argument="buffer", donated="no")


def _is_deleted_by(answer: Any) -> bool:
    # Made here: what is there before an attempt is guarded.
    buffer = jnp.array(_BUFFER)
    with _donating_in_vain():
        answer(buffer, 1, jnp.asarray(_ROW))
    return buffer.is_deleted()


def _uses_jit(answer: Any) -> None:
    """Require a function under `jit`, for to write a row to a known place is not work elsewhere."""
    with _donating_in_vain():
        uses_jit(jnp.array(_BUFFER), 1, jnp.asarray(_ROW))(answer)


def _at_place_one(answer: Any) -> Callable[..., Any]:
    return lambda buffer, row: answer(buffer, 1, row)


def _works_under_jit(answer: Any) -> None:
    args = jnp.array(_BUFFER), jnp.asarray(_ROW)
    with _donating_in_vain():
        works_under_jit(_at_place_one, *args, may_donate=True)(answer)


store = Exercise(
    name="store",
    questions=(
        traces_at_most(1, _stores_rows_in_turn, "i = 0, 2, 3, 7 and 300"),
        _stores_in_other_buffers,
        _uses_jit,
        _works_under_jit,
        _donates_the_buffer,
    ),
    hints=(
        "A place is counted round the end, and one row of the old buffer is replaced. "
        "Who needs the old buffer afterwards?",
        "`%` takes the remainder, of a traced number too, and a shape holds Python numbers. "
        "`jax.jit` takes `donate_argnums`.",
        "One line of body: the update at the remainder, returned. Above the function stands "
        "`jit`, with the number of the argument it may overwrite.",
    ),
    verified="right buffers of three sizes, round the end, from one trace; "
    "every array operation under `jit`, in the memory of the old buffer",
    answer=solution,
)
