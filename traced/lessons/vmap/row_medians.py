"""Write the median of each row of a batch whose rows have lengths of their own."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.one_program import as_one_program
from traced.lessons.vmap.solutions.row_medians import row_medians as solution
from traced.questions import can_be_traced, keeps_its_size, returns


def _medians(rows: Any, lengths: Any) -> Any:
    pairs = zip(np.asarray(rows), np.asarray(lengths), strict=True)
    return np.stack([np.median(row[:length]) for row, length in pairs]).astype(np.float32)


def _batch(n: int, width: int = 6) -> tuple[Any, ...]:
    """Return `n` rows, of lengths from one to the whole width, with zeros behind."""
    rows = np.sin(np.arange(n * width, dtype=np.float32) * 7).reshape(n, width)
    lengths = np.arange(n) % width + 1
    rows[np.arange(width) >= lengths[:, None]] = 0
    return jax.device_put(rows), jax.device_put(lengths)


def _padded_with(value: float) -> tuple[Any, ...]:
    rows, lengths = map(np.array, _batch(6))
    rows -= 2
    rows[np.arange(rows.shape[1]) >= lengths[:, None]] = value
    return jax.device_put(rows), jax.device_put(lengths)


#: The last row is larger than what is put in place of padding, if that is not infinity.
_LARGE = (
    jnp.array([[3e4, -2e4, 1e4, 5.0], [-7.0, -9e8, 2.0, 2.0], [1e37, 2e37, 3e37, 0.0]]),
    jnp.array([3, 2, 3]),
)

#: Lengths that a counter of eight bits does not hold, and numbers that come more than once.
_WIDE = jax.device_put(
    (np.cos(np.float32(np.arange(602).reshape(2, 301) ** 2)), np.array([301, 257]))
)
_TIED = (
    jnp.array([[2.0, 2.0, 2.0, 1.0], [1.0, 3.0, 3.0, 1.0], [5.0, 5.0, 0.0, 0.0]]),
    jnp.array([4, 4, 2]),
)

row_medians = Exercise(
    name="row_medians",
    questions=(
        can_be_traced(*_batch(4)),
        as_one_program(
            returns(_medians, _batch(6), _batch(3, 4), _batch(1, 1), _LARGE, _WIDE, _TIED)
        ),
        returns(_medians, *map(_padded_with, (1e6, -1e6, np.nan, -np.inf))),
        keeps_its_size(_batch),
    ),
    hints=(
        "Write it for one row and one length. Where does an entry that is not to count end up, "
        "when the row is sorted?",
        "`jnp.where` with a comparison of `jnp.arange` puts infinity in place of the padding. "
        "An index may be traced.",
        "For one row: replace, sort, and take the mean of two entries, which are the same one "
        "for an odd length. Then map over rows and lengths.",
    ),
    verified="right medians for odd and even lengths, whatever the padding holds; "
    "the trace does not grow",
    answer=solution,
)
