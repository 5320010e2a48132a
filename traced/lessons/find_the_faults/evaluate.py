"""Mend the evaluation: what it depends on, and how its program grows."""

from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Question
from traced.lessons.find_the_faults.solutions.evaluate import evaluate as solution
from traced.lessons.find_the_faults.symptoms import shows_none
from traced.programs.jaxprs import count_equations
from traced.questions import compare
from traced.running.attempt import attempt

#: Numbers of images whose programs are compared, all multiples of many a batch.
_SIZES = 66, 2310, 23100, 231000


def _linear(params: Any, key: Any, x: Any, train: bool = True) -> Any:
    """Return scores below zero, the largest of them for the brightest of ten pixels."""
    return x @ params["w"] + params["b"]


def _noisy(params: Any, key: Any, x: Any, train: bool = True) -> Any:
    """Give the right scores, which drown in noise while it trains."""
    scores = _linear(params, key, x)
    return scores + 9 * jax.random.normal(key, scores.shape) if train else scores


def _digits(rows: int) -> tuple[Any, Any, Any]:
    """Return parameters, images and labels, of which the last third is wrong.

    What is dark looks like a zero, and half of the images are so dim that this is nearly said of
    them, too.
    """
    bias = np.where(np.arange(10) == 0, -2.5, -3.0).astype(np.float32)
    params = {"w": np.eye(64, 10, dtype=np.float32), "b": bias}
    right = np.arange(rows) * 7 % 10
    labels = np.where(np.arange(rows) < 2 * rows / 3, right, (right + 1) % 10).astype(np.int32)
    lights = np.where(np.arange(rows) % 2, 0.5005, 1.0).astype(np.float32)
    digits = np.eye(64, dtype=np.float32)[right] * lights[:, None]
    return jax.device_put(params), jax.device_put(digits), jax.device_put(labels)


def _returns_the_share(rows: int) -> Question:
    def question(answer: Any) -> None:
        params, x, y = _digits(rows)
        seen = np.argmax(np.asarray(x)[:, :10], axis=1)
        given = f"{rows} images" if rows > 1 else "1 image"
        compare(np.float32(np.mean(seen == y)), attempt(answer, _linear, params, x, y), given=given)

    return question


def _another_order(answer: Any) -> str:
    return _in_other_orders(answer, 99) or _in_other_orders(answer, 12)


def _in_other_orders(answer: Any, rows: int) -> str:
    params, *digits = _digits(rows)
    orders = (np.arange(rows), np.arange(rows)[::-1], np.arange(rows) * 7 % rows)
    data = [[jax.device_put(np.asarray(each)[order]) for each in digits] for order in orders]
    shares = [float(attempt(answer, _noisy, params, *each)) for each in data]
    if max(shares) - min(shares) < 1e-3 and abs(shares[0] - 2 / 3) < 1e-3:
        return ""
    told = ", ".join(f"{share:.0%}" for share in shares)
    return f"{rows} images in three orders, of which 67% are right: {told}"


def _more_images(answer: Any) -> str:
    """Tell of a program that grows, and not once only, as parts and a remainder let it grow."""
    counts: list[int] = []
    for rows in _SIZES:
        counts.append(_equations(answer, rows))
        last = [many / few for few, many in pairwise(counts[-3:])]
        if max(last, default=1) > 8 or (len(last) == 2 and min(last) > 2):
            return f"{counts[0]} equations for {_SIZES[0]} images, {counts[-1]} for {rows}"
    return ""


def _equations(answer: Any, rows: int) -> int:
    params, *digit = _digits(1)
    digits = [jax.eval_shape(partial(jnp.resize, new_shape=(rows, *x.shape[1:])), x) for x in digit]
    count = attempt(count_equations, lambda *args: answer(_linear, *args), params, *digits)
    return int(count)


evaluate = Exercise(
    name="evaluate",
    questions=(
        _returns_the_share(66),
        _returns_the_share(10),
        _returns_the_share(1),
        _returns_the_share(1001),
        shows_none(("symptom/company", _another_order), ("symptom/compiles-more", _more_images)),
    ),
    hints=(
        "Two symptoms, two lines. What does a line of `predict` do that an evaluation has no use "
        "for? Which line of Python runs while JAX traces?",
        "`show_jaxpr(evaluate, predict, params, x, y)` shows both, for some 70 images. "
        "`jax.lax.map` has a `batch_size`, and any number of rows will do.",
        "One call of `predict` for all images, or one in a function that is mapped over them; "
        "either with an argument that has a default.",
    ),
    verified="the right share of four sets of images, in any order of them, and a program that "
    "does not grow with their number",
    answer=solution,
)
