"""Fill an array in NumPy from rows of several lengths, and hand it to JAX at once."""

from typing import Any

import jax
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.arrays.solutions.load import load as solution
from traced.questions import returns
from traced.running.attempt import attempt


def _rows(*entries: list[int]) -> list[Any]:
    return [np.array(each, np.uint8) for each in entries]


_THREE = _rows([0, 51, 255], [102], [204, 153, 1, 254])

#: Of one length, then of less in a table of that shape, with an empty row, a single row, and more
#: rows and longer ones than 255.
_OTHERS = (
    _rows([1, 2], [3, 4]),
    _rows([5], [6, 7]),
    _rows([], [7, 8, 9]),
    _rows([128]),
    [np.arange(n % 5 + 1, dtype=np.uint8) * 50 for n in range(300)],
    [np.arange(300).astype(np.uint8), np.array([9, 8], np.uint8)],
)


def _load(rows: list[Any]) -> Any:
    filled = np.zeros((len(rows), max(map(len, rows))), np.float32)
    for i, row in enumerate(rows):
        filled[i, : len(row)] = row.astype(np.float32) / np.float32(255)
    return filled


def _returns_an_array_of_jax(answer: Any) -> None:
    got = attempt(answer, list(_THREE))
    kind = f"{type(got).__module__.partition('.')[0]}.{type(got).__name__}"
    require(isinstance(got, jax.Array), "arrays/not-moved", got=f"an object of type `{kind}`")


def _is_moved_at_once(answer: Any) -> None:
    """Require one constant in the trace of the call: each is an array that NumPy handed over."""
    jaxpr = attempt(jax.make_jaxpr(lambda: answer(list(_THREE))))
    moved = [str(jax.typeof(each)) for each in jaxpr.consts]
    saw = {"rows": len(_THREE), "handed_over": f"{len(moved)} arrays: {', '.join(moved)}"}
    require(len(moved) <= 1, "arrays/moved-in-pieces", **saw)


load = Exercise(
    name="load",
    questions=(
        returns(_load, (_THREE,)),
        _returns_an_array_of_jax,
        returns(_load, *((rows,) for rows in _OTHERS)),
        _is_moved_at_once,
    ),
    hints=(
        "Where is the array while it is being filled? NumPy writes into its own arrays in place.",
        "`np.zeros` takes a shape and a dtype, and rows of any length fit into a slice of it. "
        "`jnp.asarray` hands an array to JAX.",
        "The longest row gives the width. Zeros in NumPy; a loop that writes each row into the "
        "start of its own; at the end, one call that hands the whole over.",
    ),
    verified="right values and dtype for seven lists of rows; one array is handed to JAX",
    answer=solution,
)
