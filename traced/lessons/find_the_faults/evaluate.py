"""Mend the evaluation: what it depends on, and how its program grows."""

import contextlib
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, Question, fault
from traced.lessons.find_the_faults.solutions.evaluate import evaluate as solution
from traced.lessons.find_the_faults.symptoms import shows_none
from traced.programs.jaxprs import Equation, count_equations, find_equations
from traced.questions import compare
from traced.running.attempt import attempt
from traced.tracing.compilations import record_compilations

#: Numbers of images whose programs are compared, all multiples of many a batch.
_SIZES = 66, 2310, 23100, 231000
#: Numbers of images that an answer is run on which is not jitted as a whole.
_RUN = 2310, 11550


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
    symptom = f"{rows} images in three orders, of which 67% are right: {told}"
    if max(shares) - min(shares) < 1e-3:
        raise fault("symptom/company", symptom=symptom).saying(headline=_WRONG, rule=_SHARE)
    return symptom


#: What is said where the examples have no part in what is wrong.
_WRONG = "every order of the examples gives the same share, and it is wrong"
_SHARE = "a share is the number of right examples divided by the number of all"


def _more_images(answer: Any) -> str:
    return _more_equations(answer) if hasattr(answer, "lower") else _more_programs(answer)


def _more_programs(answer: Any) -> str:
    """Tell of an answer outside `jit` that compiles more of them, or larger ones."""
    # First, since to compile one with an operand for each image takes minutes.
    with contextlib.suppress(Found):
        most = max(_traced(answer, _RUN[0]), key=lambda each: len(each.eqn.invars))
        if (operands := len(most.eqn.invars)) > _RUN[0] // 2:
            return f"{operands} operands of one `{most.primitive}` for {_RUN[0]} images"
    _, few, many = (_compiled(answer, rows) for rows in (_RUN[0] // 2, *_RUN))
    if many > 1.5 * few + 2:
        return f"{few} programs compiled for {_RUN[0]} images, {many} for {_RUN[1]}"
    # What is not compiled as one program need not be traced as one.
    with contextlib.suppress(Found):
        counts = [_largest_program(answer, rows) for rows in _RUN]
        if counts[1] > 2 * counts[0]:
            told = "equations in a program"
            return f"{counts[0]} {told} for {_RUN[0]} images, {counts[1]} for {_RUN[1]}"
    return ""


def _compiled(answer: Any, rows: int) -> int:
    params, *digits = _digits(rows)
    with record_compilations() as names:
        attempt(answer, _linear, params, *digits)
    return len(names)


def _largest_program(answer: Any, rows: int) -> int:
    """Return how many equations the longest of the jitted functions has that an answer calls."""
    sizes = {0: 0}
    for each in _traced(answer, rows):
        while each.outer is not None:
            each = each.outer
        sizes[id(each)] = sizes.get(id(each), 0) + 1
    return max(sizes.values())


def _traced(answer: Any, rows: int) -> list[Equation]:
    found: list[Equation] = attempt(
        find_equations, lambda *args: answer(_linear, *args), *_typed(rows)
    )
    return found


def _more_equations(answer: Any) -> str:
    """Tell of a program that grows, and not once only, as parts and a remainder let it grow."""
    counts: list[int] = []
    for rows in _SIZES:
        counts.append(_equations(answer, rows))
        last = [many / few for few, many in pairwise(counts[-3:])]
        if max(last, default=1) > 8 or (len(last) == 2 and min(last) > 2):
            return f"{counts[0]} equations for {_SIZES[0]} images, {counts[-1]} for {rows}"
    return ""


def _equations(answer: Any, rows: int) -> int:
    return int(attempt(count_equations, lambda *args: answer(_linear, *args), *_typed(rows)))


def _typed(rows: int) -> list[Any]:
    """Return parameters, and the types of so many images and labels."""
    params, *digit = _digits(1)
    many = partial(jnp.resize, new_shape=(rows, 64)), partial(jnp.resize, new_shape=(rows,))
    return [params, *(jax.eval_shape(f, x) for f, x in zip(many, digit, strict=True))]


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
