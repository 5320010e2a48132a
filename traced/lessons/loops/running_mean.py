"""Complete a `scan` that counts rows and gives out the mean of the rows up to each."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.loops.equations import grows_no_more_than
from traced.lessons.loops.rows import random_rows
from traced.lessons.loops.solutions.running_mean import running_mean as solution
from traced.questions import returns
from traced.running.attempt import attempt


def _count_and_means(rows: Any) -> Any:
    counts = np.arange(1, len(rows) + 1, dtype=np.float32)[:, None]
    return np.int32(len(rows)), np.cumsum(np.asarray(rows), axis=0) / counts


def _counts_in_an_array(answer: Any) -> None:
    """Require the number of rows as an array of JAX's, which has a dtype of its own."""
    count, _ = attempt(answer, random_rows(4, 2))
    is_array = isinstance(count, jax.Array)
    require(is_array, "value/dtype", at="[0]", wanted="i32[]", got=f"a `{type(count).__name__}`")


running_mean = Exercise(
    name="running_mean",
    questions=(
        returns(
            _count_and_means,
            (random_rows(4, 2),),
            (random_rows(1, 3),),
            (random_rows(7, 1),),
        ),
        _counts_in_an_array,
        grows_no_more_than(4, lambda n: (jnp.ones((n, 2)),), 4, 64),
        # More rows than an int8 counts, and far from zero. What is unrolled would take its time.
        returns(_count_and_means, (100 + random_rows(300, 2),)),
    ),
    hints=(
        "Write down three types: of the carry that goes in, of the carry that comes out, and of "
        "what the body returns as a whole. Then compare.",
        "The body returns a pair, carry first. A type is kept by starting with the right one "
        "(`jnp.zeros_like`), or by not leaving it on the way.",
        "The count goes up by an integer; the mean starts as zeros of the shape of a row; the "
        "body gives back the pair it carries, and the mean once more as output.",
    ),
    verified="right counts and means for four shapes; the rounds are not laid out in the trace",
    answer=solution,
)
