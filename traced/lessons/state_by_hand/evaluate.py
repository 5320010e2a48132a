"""Count right answers in batches of one size, without those that pad the last batch."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, Question, fault, require
from traced.lessons.state_by_hand.solutions.evaluate import evaluate as solution
from traced.programs.memory import measure_program
from traced.questions import can_be_traced, compare, keeps_its_size
from traced.running.attempt import attempt

#: How many batches there are, and how much a row becomes, where memory is measured.
_BATCHES, _WIDTH = 100, 1000
_KERNEL = np.cos(np.arange(12.0) * 2).reshape(4, 3).astype(np.float32)


def _linear(params: Any, x: Any) -> Any:
    """Give scores to each row; a row of zeros has the largest at the bias's."""
    return x.reshape(len(x), -1) @ params["kernel"] + params["bias"]


def _of_integers(params: Any, x: Any) -> Any:
    """Give scores to rows of integers, which they have to stay."""
    seen = {"given": "the rows that `predict` gets", "wanted": "int8", "got": str(x.dtype)}
    require(x.dtype == jnp.int8, "value/dtype", **seen)
    return _linear(params, x)


def _of_parts(params: Any, x: Any) -> Any:
    """Give scores to the parts of each row, which are NaN for a row of zeros."""
    flat = x.reshape(len(x), -1)
    with np.errstate(invalid="ignore"):
        return (flat / abs(flat).sum(axis=1, keepdims=True)) @ params["kernel"]


def _rows(n: int, *shape: int) -> tuple[Any, Any]:
    """Return rows, and labels of which some are right."""
    x = np.sin(np.arange(n * 4.0) * 5 + 1).reshape(n, 4).astype(np.float32)
    y = np.argmax(x @ _KERNEL, axis=1)
    y[1::3] = (y[1::3] + 1) % 3
    return x.reshape(n, *(shape or (4,))), y.astype(np.int32)


def _params(largest: int) -> dict[str, Any]:
    """Return parameters with which a row of zeros belongs to that class."""
    bias = np.where(np.arange(3) == largest, 8.01, 8.0)
    return {"kernel": _KERNEL, "bias": bias.astype(np.float32)}


def _watched(predict: Callable[..., Any], size: int, row: tuple[int, ...]) -> Callable[..., Any]:
    """Return a `predict` that takes `size` rows of one shape, and nothing else."""

    def watched(params: Any, x: Any) -> Any:
        given = "the rows that `predict` gets"
        if np.shape(x)[0] != size:
            raise fault("value/shape", given=given, **_sizes(size, x))
        seen = {"wanted": f"{size} rows of shape {row}", "got": f"rows of shape {np.shape(x)[1:]}"}
        require(np.shape(x)[1:] == row, "value/shape", given=given, **seen)
        return predict(params, x)

    return watched


def _sizes(size: int, x: Any) -> dict[str, object]:
    return {"wanted": f"{size} rows", "got": f"{np.shape(x)[0]} rows"}


def _returns_the_share(answer: Any, jitted: bool) -> None:
    """Require the right shares, of one case without `jit`, where each call is compiled anew."""
    for predict, (n, size), shape in _JITTED if jitted else _EAGER:
        x, y = _rows(n, *shape)
        if predict is _linear:  # a row of zeros that is given counts, and is no padding
            x[1], y[1] = 0, 2
        x = np.int8(100 * x) if predict is _of_integers else x
        share = _of_batches(answer, _watched(predict, size, x.shape[1:]), size)
        call = jax.jit(share) if jitted else share
        for largest in range(3 if n % size and predict is _linear else 1):
            params = _params(largest)
            # The same functions do with arrays of NumPy, which compile nothing.
            right = np.argmax(predict(params, x), axis=1) == y
            wanted, given = np.float32(right.mean()), f"{n} rows in batches of {size}"
            got = attempt(call, *jax.device_put((params, x, y)))
            try:
                compare(wanted, got, given=given)
            except Found as found:
                many = found.finding.code == "value/differs" and got * n > wanted * n + 0.5
                if many and n % size:
                    padding = {"wanted": f"{wanted * n:.0f} right", "got": f"{got * n:.0f} right"}
                    raise fault("shapes/padding-counts", given=given, **padding) from None
                raise


#: A function, the number of rows and the size of a batch, and the shape of a row, if it is another.
_EAGER: tuple[tuple[Callable[..., Any], tuple[int, int], tuple[int, ...]], ...] = (
    (_linear, (6, 3), ()),
)
_JITTED = (
    (_linear, (7, 3), ()),
    (_linear, (11, 4), (2, 2)),
    (_linear, (2, 5), ()),
    (_linear, (3, 1), ()),
    # More right answers than half precision can count.
    (_linear, (5000, 500), ()),
    (_of_integers, (7, 3), ()),
    (_of_parts, (7, 3), ()),
    (_of_parts, (6, 3), ()),
)


def _of_batches(answer: Any, predict: Callable[..., Any], size: int) -> Callable[..., Any]:
    """Return the answer as a function of arrays."""
    return lambda params, x, y: answer(predict, params, x, y, size)


def _of_arrays(question: Question) -> Question:
    """Put a question about a function of parameters and rows, in batches of four."""
    return lambda answer: question(_of_batches(answer, _watched(_linear, 4, (4,)), 4))


def _takes_a_batch_at_a_time(answer: Any) -> None:
    """Require that what `predict` computes on the way is held for one batch, and not for all."""
    wide, (x, y) = jax.device_put((np.ones((4, _WIDTH), np.float32), _rows(_BATCHES * 4)))

    def predict(wide: Any, x: Any) -> Any:
        return jnp.sin(x @ wide) @ wide.T

    def share(wide: Any, x: Any) -> Any:
        return answer(predict, wide, x, y, 4)

    needed = attempt(measure_program, share, wide, x).temporary_bytes
    allowed = _BATCHES * wide.nbytes // 4
    seen = {"bytes_on_the_way": needed, "allowed": allowed}
    require(needed is None or needed <= allowed, "cost/memory", given="100 batches", **seen)


evaluate = Exercise(
    name="evaluate",
    questions=(
        partial(_returns_the_share, jitted=False),
        _of_arrays(can_be_traced(*jax.device_put((_params(0), *_rows(10))))),
        partial(_returns_the_share, jitted=True),
        _of_arrays(keeps_its_size(lambda n: jax.device_put((_params(0), *_rows(n))), 10, 30)),
        _takes_a_batch_at_a_time,
    ),
    hints=(
        "The number of rows is known while JAX traces, since it is in a shape. So is what is "
        "missing from the last batch.",
        "`-n % size` rows are missing; `jnp.pad` adds them, and `reshape` cuts batches. "
        "`jax.lax.map` takes one batch after the other.",
        "Pad rows and labels, and make a mask of those that count; reshape all three to batches; "
        "map a count over them; a sum, divided by the number of rows given.",
    ),
    verified="right shares for six numbers of rows and three functions, whatever the padding is "
    "taken for; one batch at a time, one size of trace",
    answer=solution,
)
