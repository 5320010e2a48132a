"""Cut boxes off at the edges of an image, without writing into their array."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Question
from traced.lessons.arrays.lost_updates import unless_lost
from traced.lessons.arrays.solutions.clip_boxes import clip_boxes as solution
from traced.questions import can_be_traced, returns

#: Boxes that reach over each of the four edges, over two of them, and over none.
_BOXES = np.array(
    [
        [-2.0, 1.0, 3.0, 3.5],
        [1.0, -3.0, 2.5, 2.0],
        [4.0, 2.0, 9.0, 3.0],
        [0.5, 1.5, 3.5, 8.0],
        [-1.5, -1.0, 7.5, 6.5],
        [1.25, 0.5, 2.75, 1.75],
        [7.0, 6.0, 8.0, 9.0],
        [-8.0, -9.0, -7.0, -6.0],
    ],
    np.float32,
)
#: The same with a score and a label behind, beyond the edges, which may touch neither.
_SCORED = np.pad(_BOXES, ((0, 0), (0, 2)), constant_values=((0, 0), (0, 100.0)))
_SCORED[:, 4] = -7.0
#: Of more digits than a number of 16 bits has.
_FINE = np.array([[1000.1, -0.001, 1234.5, 999.9]], np.float32)
#: Many boxes, one of them from right to left, with further columns that nothing may change.
_MANY = np.tile(np.concatenate([_BOXES, [[3.0, 3.5, 1.0, 0.5]]]).astype(np.float32), (40, 1))
# Corners that are zero, that are equal, and that nearly are.
_MANY[-3:] = [[0.0] * 4, [2.0] * 4, [1.0, 1.000001, 2.0, 2.000001]]
_FURTHER = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 1.2345678, 0.5], np.float32)
_WIDE = np.concatenate([_MANY, np.tile(_FURTHER, (len(_MANY), 1))], axis=1)
_UNKNOWN = np.array([[np.nan, -1.0, np.inf, 2.0], [-np.inf, 1.0, 1.0, np.nan]], np.float32)


def _clip_boxes(boxes: Any, width: float, height: float) -> Any:
    clipped = np.array(boxes)
    clipped[:, [0, 2]] = clipped[:, [0, 2]].clip(0, width)
    clipped[:, [1, 3]] = clipped[:, [1, 3]].clip(0, height)
    return clipped


def _clips(*cases: tuple[Any, float, float]) -> Question:
    given = [(jnp.asarray(boxes), width, height) for boxes, width, height in cases]

    def question(answer: Any) -> None:
        for case in given:
            with unless_lost(answer, *case):
                returns(_clip_boxes, case)(answer)

    return question


def _can_be_traced(answer: Any) -> None:
    # A new function around the answer, of which every argument is traced: one that is given to
    # `jit` keeps those that it declares static.
    def whole(boxes: Any, width: float, height: float) -> Any:
        return answer(boxes, width, height)

    can_be_traced(jnp.asarray(_BOXES), 5.0, 4.0)(whole)


clip_boxes = Exercise(
    name="clip_boxes",
    questions=(
        _can_be_traced,
        _clips((_BOXES, 5.0, 4.0), (_BOXES[::-1], 4.0, 5.0), (_BOXES[:1], 0.5, 0.25)),
        _clips((_SCORED, 5.0, 4.0), (_UNKNOWN, 5.0, 4.0), (_BOXES[:0], 5.0, 4.0)),
        _clips((_FINE, 1200.7, 1000.3), (_WIDE, 5.0, 4.0)),
    ),
    hints=(
        "Two lines write into an array that never changes. What does each of them want to be true "
        "of the array that is returned?",
        "`.at` takes the same index as the brackets did, with a slice, or with `jnp.array` around "
        "a list. `.set` returns the array to go on with.",
        "Two updates, one for the columns of x and one for those of y. Each is bound to a name, "
        "and the second one starts from the result of the first.",
    ),
    verified="right boxes over every edge, of 0 to 360 rows, with NaN and infinity in them and in "
    "further columns; they can be traced",
    answer=solution,
)
