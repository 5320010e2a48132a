"""Mend what hands the digits over: it is asked twice for the same ones."""

from typing import Any

import jax
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Question, require
from traced.lessons.find_the_faults.solutions.prepare import prepare as solution
from traced.lessons.find_the_faults.symptoms import shows_none
from traced.questions import compare
from traced.running.attempt import attempt


class _Data:
    """Images and labels that are not put back after a call, as those of a script are not."""

    def __init__(
        self, rows: int, dtype: str = "float64", brightest: int = 16, numbers: str = "int64"
    ) -> None:
        lights = np.arange(rows * 64).reshape(rows, 64) * 7 % (brightest + 1)
        # Lights that are no whole numbers tell a dtype that is too coarse for them.
        self.images = _aligned((lights if brightest == 16 else lights + 0.3).astype(dtype))
        self.labels = (np.arange(rows) * 3 % 10).astype(numbers)


def _aligned(images: Any) -> Any:
    """Return a copy whose memory `jnp.asarray` shares, since it begins at a 64th byte.

    Otherwise chance would tell whether a later change of the images is seen.
    """
    room = np.empty(images.nbytes + 64, np.uint8)
    begin = -room.ctypes.data % 64
    copy = room[begin : begin + images.nbytes].view(images.dtype).reshape(images.shape)
    copy[:] = images
    return copy


def _prepared(answer: Any, data: _Data) -> Any:
    got = answer(data.images, data.labels)
    # A list of two is a pair as well, and so is a named tuple.
    if isinstance(got, list | tuple):
        return tuple(tuple(part) if isinstance(part, list | tuple) else part for part in got)
    return got


def _returns_both_parts(
    rows: int, dtype: str = "float64", brightest: int = 16, numbers: str = "int64"
) -> Question:
    def question(answer: Any) -> None:
        data = _Data(rows, dtype, brightest, numbers)
        told_dtype = "" if dtype == "float64" else f" of {dtype}"
        x, y = (data.images / 16).astype(np.float32), data.labels.astype(np.int32)
        wanted = (x[:1500], y[:1500]), (x[1500:], y[1500:])
        got, given = attempt(_prepared, answer, data), f"{rows} images{told_dtype}"
        compare(wanted, got, given=given)
        for each in jax.tree.leaves(got):
            told = {"wanted": "JAX arrays", "got": f"an object of type `{type(each).__name__}`"}
            require(isinstance(each, jax.Array), "value/dtype", given=given, **told)

    return question


def _second_call(answer: Any) -> str:
    # Images that are float32 already may need no copy on their way.
    return _called_twice(answer, "float64") or _called_twice(answer, "float32")


def _called_twice(answer: Any, dtype: str) -> str:
    data = _Data(1510, dtype)
    first, second = (attempt(_prepared, answer, data) for _ in range(2))
    sums = [[float(np.sum(np.asarray(part[0]))) for part in each] for each in (first, second)]
    labels = [[np.asarray(part[1]).tolist() for part in each] for each in (first, second)]
    if sums[0] != sums[1]:
        share = sum(sums[1]) / sum(sums[0])
        return f"the second call with the same arrays returns {share:.3g} times the light"
    if labels[0] != labels[1]:
        return "the second call with the same arrays differs"
    untouched = _Data(1510, dtype)
    same = np.array_equal(data.images, untouched.images)
    same = same and np.array_equal(data.labels, untouched.labels)
    return "" if same else "after a call, the caller's digits look different"


prepare = Exercise(
    name="prepare",
    questions=(
        _returns_both_parts(1510),
        _returns_both_parts(1510, "float32"),
        _returns_both_parts(1797, brightest=12, numbers="uint8"),
        shows_none(("symptom/second-call", _second_call)),
    ),
    hints=(
        "The first call is right, and the second one is not. What is there between them that the "
        "first call could have reached?",
        "`find_effects` and the question `changes_nothing` list what a call does besides returning "
        "a value. Give them a copy of the digits.",
        "The same three lines, where each value has a name of its own.",
    ),
    verified="the right parts of two sets of digits, in the second call too, and with the caller's "
    "arrays as they were",
    answer=solution,
)
