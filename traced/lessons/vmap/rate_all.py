"""Repair the axes of a batch that lies in columns, in the arguments and in the result."""

from typing import Any

import jax
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault
from traced.lessons.one_program import as_one_program
from traced.lessons.vmap.solutions.rate_all import rate_all as solution
from traced.questions import derives_its_values, keeps_its_size, returns
from traced.running.attempt import attempt


def _arguments(n: int, features: int = 3, hidden: int = 2) -> tuple[Any, ...]:
    """Return a model and a batch of `n` columns."""
    kernel = np.cos(np.arange(features * hidden, dtype=np.float32)).reshape(features, hidden)
    model = {"kernel": kernel, "head": np.linspace(-1, 2, hidden, dtype=np.float32)}
    x = np.sin(np.arange(features * n, dtype=np.float32)).reshape(features, n)
    batch = {"x": x, "mask": np.arange(hidden) != 1}
    return jax.device_put(model), jax.device_put(batch)


def _rated(model: Any, batch: Any) -> Any:
    x, mask = np.asarray(batch["x"]), np.asarray(batch["mask"])
    with np.errstate(invalid="ignore"):  # one batch holds NaN
        hidden = np.where(mask, np.tanh(x.T @ np.asarray(model["kernel"])), np.float32(0))
    score = hidden @ np.asarray(model["head"])
    return {"hidden": hidden.T, "score": score, "used": np.int32(mask.sum())}


def _with_a_nan() -> tuple[Any, ...]:
    model, batch = _arguments(5)
    x = np.array(batch["x"])
    x[1, 2], x[0, 3] = np.nan, 100
    return model, batch | {"x": jax.device_put(x)}


def _of_zeros() -> tuple[Any, ...]:
    model, batch = _arguments(3, hidden=3)
    return model, batch | {"x": jax.device_put(np.zeros_like(batch["x"]))}


def _all_masked() -> tuple[Any, ...]:
    model, batch = _arguments(3, hidden=3)
    return model, batch | {"mask": jax.device_put(np.zeros(3, bool))}


def _keeps_nan_behind_its_mask(answer: Any) -> None:
    """Require of a NaN that it shows in its own column, and nowhere behind the mask."""
    case = _with_a_nan()
    try:
        returns(_rated, case)(answer)
    except Found as found:
        if found.finding.code == "value/differs":
            masked = np.asarray(attempt(answer, *case)["hidden"])[1]
            if np.isnan(masked).any():
                given = "a NaN in column 2 of `x`, and a mask without the second hidden number"
                saw = {"given": given, "at": "row 1 of `hidden`", "wanted": "zeros", "got": masked}
                raise fault("shapes/mask-product", **saw) from None
        raise


def _derives_its_values(answer: Any) -> None:
    """Require the derivatives by the model, which has to be trained, and by what it is given."""
    model, batch = _arguments(3)
    floats = ("hidden", "score")

    def rated(model: Any, x: Any) -> Any:
        result = answer(model, batch | {"x": x})
        return {name: result[name] for name in floats}

    derives_its_values(model, batch["x"])(jax.jit(rated))


rate_all = Exercise(
    name="rate_all",
    questions=(
        returns(
            _rated,
            _arguments(5),
            # As many columns as features, and as hidden numbers: any axis fits.
            _arguments(3, hidden=3),
            _of_zeros(),
            _all_masked(),
        ),
        _keeps_nan_behind_its_mask,
        keeps_its_size(_arguments, 4, 40),
        # More hidden numbers than a counter of eight bits holds.
        as_one_program(returns(_rated, _arguments(1), _arguments(7, features=2, hidden=300))),
        _derives_its_values,
    ),
    hints=(
        "Ask of each leaf of the arguments whether it has a part for each example, and along "
        "which axis. Then ask the same of each leaf of the result.",
        "A dictionary in `in_axes` names all keys of the argument, and one in `out_axes` all keys "
        "of the result. `None` says that there is no batch axis.",
        "`in_axes` has two entries: shared, and a dictionary of two. `out_axes` is a dictionary "
        "of three: an axis, another one, and no axis.",
    ),
    verified="right results for seven batches of columns, of every leaf along its own axis, and "
    "right derivatives; one size of trace for all",
    answer=solution,
)
