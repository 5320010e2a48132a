"""Repair the `in_axes` of a prediction for each row, where the model and the mask are shared."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.pytrees.solutions.predict_all import predict_all as solution
from traced.questions import derives_its_values, keeps_its_size, returns

_model = {"kernel": jnp.arange(6.0).reshape(2, 3), "bias": jnp.array([0.5, 0.0, -0.5])}
_wide = {"kernel": jnp.cos(jnp.arange(20.0)).reshape(5, 4), "bias": jnp.arange(4.0)}


def _arguments(n: int) -> tuple[Any, ...]:
    """Return a model, a batch of n rows, and n scales."""
    batch = {"x": jnp.arange(2.0 * n).reshape(n, 2), "mask": jnp.array([True, False, True])}
    return _model, batch, jnp.arange(1.0, n + 1)


def _predicted(model: Any, batch: Any, scales: Any) -> Any:
    with np.errstate(invalid="ignore"):  # one batch holds NaN and infinity
        hidden = np.asarray(batch["x"]) @ np.asarray(model["kernel"]) + np.asarray(model["bias"])
    return np.asarray(scales)[:, None] * np.where(batch["mask"], hidden, np.float32(0))


_four = _arguments(4)
# Rows that hold no number spoil no other row, and nothing where the mask is False.
_unknown = {
    "x": jnp.array([[1.0, jnp.nan], [jnp.inf, 1.0], [0.5, -2.0]]),
    "mask": jnp.array([False, False, True]),
}
_rows_of_five = {"x": jnp.sin(jnp.arange(1505.0)).reshape(301, 5), "mask": jnp.arange(4) % 2 == 0}
_rows_of_five["x"] = _rows_of_five["x"].at[0].set(2.0)  # a row of equal entries


def _derives_its_values(answer: Any) -> None:
    """Require the derivative by the model, which has to be trained, by rows and by scales."""
    mask = _four[1]["mask"]

    def predicted(model: Any, x: Any, scales: Any) -> Any:
        return answer(model, {"x": x, "mask": mask}, scales)

    derives_its_values(_model, _four[1]["x"], _four[2])(jax.jit(predicted))


predict_all = Exercise(
    name="predict_all",
    questions=(
        returns(
            _predicted,
            _four,
            # Once more, with other scales to the same model and batch.
            (*_four[:2], jnp.array([0.0, -1.0, 1000.0, 0.5])),
            _arguments(2),
            _arguments(1),
            _arguments(3),
            (_model, _unknown, jnp.array([2.0, -1.0, 3.0])),
        ),
        keeps_its_size(_arguments, 4, 40),
        # After that, since a loop in Python over many rows takes long.
        returns(_predicted, (_wide, _rows_of_five, jnp.linspace(-1.0, 1.0, 301))),
        _derives_its_values,
    ),
    hints=(
        "Count the arguments, and the entries of `in_axes`. Then ask of each leaf: "
        "has it a row for each example?",
        "`None` says that an argument is shared. A dictionary in `in_axes` names "
        "all keys of the argument.",
        "Three entries: shared; a dictionary with an axis for one key and `None` for the other; "
        "the axis of the scales.",
    ),
    verified="right rows for seven batches, of one row to 301, and right derivatives; one size "
    "of trace for all",
    answer=solution,
)
