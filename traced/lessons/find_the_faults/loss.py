"""Mend the loss: its gradient, what it draws, and what belongs to which image."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.find_the_faults.solutions.loss import loss as solution
from traced.lessons.find_the_faults.symptoms import shows_none
from traced.questions import compare
from traced.running.attempt import attempt

#: Units of a hidden layer, of which a share is counted, and images of a batch.
_UNITS, _ROWS = 500, 4
#: The share of units that are left after two layers, in any of so many images.
_LEFT = {rows: 1 - (1 - 0.8**2) ** rows for rows in (1, 2, 4)}


def _with_slopes(answer: Any) -> Any:
    """Return a jitted function that returns the loss and its gradient, whatever its shape.

    All questions are put to it with the same shapes: to compile it takes most of their time.
    """

    @jax.jit
    def measured(params: Any, key: Any, x: Any, y: Any) -> Any:
        value, back = jax.vjp(lambda params: answer(params, key, x, y), params)
        return value, back(jax.tree.map(jnp.ones_like, value))[0]

    return measured


def _of(measured: Any, params: Any, seed: int, x: Any, y: Any) -> Any:
    images = np.asarray(x, np.float32), np.asarray(y, np.int32)
    return attempt(measured, params, jax.random.key(seed), *images)


def _params(seed: int, bias: float = 0.5) -> Any:
    """Return parameters of which a part is zero, as at the beginning of a training."""
    shapes = {"first": (64, _UNITS), "second": (_UNITS, _UNITS), "last": (_UNITS, 10)}
    return {
        name: {
            "w": np.sin(seed + np.arange(a * b, dtype=np.float32)).reshape(a, b) / 8,
            "b": bias * np.cos(np.arange(b, dtype=np.float32)) * (name == "last"),
        }
        for name, (a, b) in shapes.items()
    }


def _passing() -> Any:
    """Return parameters with which each unit hands on what it gets, and 1 is right in the end.

    Of a bright image (see `_bright`) the first layer makes 1, of others nothing. What is dropped in
    the first layer is below zero in the second one.
    """
    last = np.zeros((_UNITS, 10), np.float32)
    last[:, 0] = 20 / _UNITS
    return {
        "first": {"w": np.ones((64, _UNITS), np.float32), "b": np.full(_UNITS, 0.5, np.float32)},
        "second": {"w": np.eye(_UNITS, dtype=np.float32), "b": np.full(_UNITS, -0.25, np.float32)},
        "last": {"w": last, "b": np.zeros(10, np.float32)},
    }


def _bright(rows: int) -> Any:
    """Return images of which so many are bright."""
    return np.where(np.arange(_ROWS) < rows, 1.0, -2.0)[:, None] * np.full(64, 0.5 / 64)


#: By how much the kernels are made smaller, of which the first is about 60 long, and how large the
#: scores are: the probability of a label may be too small for a float32 number.
_SIZES = (1.0, 0.5), (5e-4, 0.5), (1e-5, 60.0)


def _returns_the_loss(measured: Any) -> None:
    """Ask for the loss of dark images, whose scores nothing that is drawn can change."""
    for size, largest in _SIZES:
        _returns_the_loss_of(measured, size, largest)


def _returns_the_loss_of(measured: Any, size: float, largest: float) -> None:
    params, y = _params(0, largest), np.arange(_ROWS) * 3 % 10
    for each in params.values():
        each["w"] = each["w"] * np.float32(size)
    scores = np.asarray(params["last"]["b"], np.float64)
    wanted = np.mean(np.log(np.sum(np.exp(scores))) - scores[y])
    lengths = {name: np.linalg.norm(np.float64(each["w"])) for name, each in params.items()}
    wanted += 1e-3 * (sum(lengths.values()) + np.linalg.norm(scores))
    value, slopes = _of(measured, params, 0, np.zeros((_ROWS, 64)), y)
    more = ", and short parameters" if size < 1 else ""
    given = f"{_ROWS} dark images{more}{', scores up to 60' if largest > 1 else ''}"
    compare(np.float32(wanted), value, given=given)
    shares = np.exp(scores) / np.sum(np.exp(scores))
    due = shares - np.bincount(y, minlength=10) / _ROWS + 1e-3 * scores / np.linalg.norm(scores)
    bias = {"given": given, "result": "the gradient of the last bias"}
    compare(np.float32(due), slopes["last"]["b"], **bias)
    for name, each in params.items():
        due = 1e-3 * each["w"] / np.float32(lengths[name])
        compare(due, slopes[name]["w"], given=given, result=f"the gradient of the {name} kernel")
        # An entry of it is too small to be compared closely, and its length is known.
        told = f"a thousand times the length of the gradient of the {name} kernel"
        got = np.float32(1e3 * np.linalg.norm(np.float64(slopes[name]["w"])))
        compare(np.float32(1), got, given=given, result=told)


def _first_step(measured: Any) -> str:
    x = np.sin(np.arange(_ROWS * 64.0)).reshape(_ROWS, 64)
    _, slopes = _of(measured, _params(1, bias=0.0), 3, x, np.arange(_ROWS))
    found = [bool(np.all(np.isfinite(leaf))) for leaf in jax.tree.leaves(slopes)]
    if all(found):
        return ""
    told = f"{found.count(False)} of {len(found)} arrays of gradients are not finite"
    return f"{told}, where the loss is"


def _handed_on(measured: Any, rows: int, seed: int = 5) -> tuple[Any, Any, Any]:
    """Return which units of the first layer are left, what those of the second hand on, and which
    have a gradient, by the array that it belongs to.

    Of some equal images it is the mean over the batch, and all others have nothing to hand on.
    """
    _, slopes = _of(measured, _passing(), seed, _bright(rows), np.ones(_ROWS))
    # What is left of the first layer is handed on to all units of the second that are left: to some
    # of forty that are not its own.
    between = np.abs(slopes["second"]["w"][:, :40]) * ~np.eye(_UNITS, 40, dtype=bool)
    # The gradient of a penalty alone is smaller than that.
    learning = {"first kernel": np.abs(slopes["first"]["w"][0]) > 2e-5}
    for name in ("first", "second"):
        learning[f"{name} bias"] = np.abs(slopes[name]["b"]) > 2e-4
    return between.max(axis=1) > 1e-4, -np.asarray(slopes["last"]["w"][:, 1]), learning


def _units_left(measured: Any) -> str:
    for rows, due in _LEFT.items():
        # One image tells what the rate is, and takes many draws for that.
        draws = [_handed_on(measured, rows, seed) for seed in range(5, 45 if rows == 1 else 10)]
        first, both = (np.stack([each[i] for each in draws]) for i in (0, 1))
        left = both > 0.01
        if rows == 1 and _neighbours_go_together(first, left):
            return "two units next to one another are dropped together too often"
        near = 0.0125 if rows == 1 else 0.012 if rows == 4 else 0.025
        if abs(left.mean() - due) > near:
            whose = "one image" if rows == 1 else f"any of {rows} images"
            return f"{left.mean():.1%} of the units count for {whose}; {due:.1%} should"
        if rows == 1 and abs(first.mean() - 0.8) > near:
            return f"{first.mean():.1%} of the units of the first layer count; 80% should"
    return "two keys drop the same units" if np.array_equal(both[0], both[1]) else ""


def _neighbours_go_together(first: Any, both: Any) -> bool:
    """Say whether a unit of the first layer tells of another one, in any layer."""
    return any(
        abs(np.mean(first * np.roll(each, shift, axis=1)) - first.mean() * each.mean()) > 0.03
        for each in (first, both)
        for shift in (-1, 1, _UNITS // 2)
    )


def _returns_what_is_handed_on(measured: Any) -> None:
    """Ask what the units of a bright image that are left hand on: each layer divides by 0.8."""
    _, both, learning = _handed_on(measured, 1)
    given, left = "a bright image", both > 0.01
    wanted = np.where(left, 1.25, 0.0).astype(np.float32)
    compare(wanted, _ROWS * both, given=given, result="the last hidden units")
    for name, each in learning.items():
        compare(left, each, given=given, result=f"which units of the {name} have a gradient")


def _labels_change_places(measured: Any) -> str:
    params = _passing()
    half = np.arange(_UNITS) < _UNITS // 2
    kernel = np.zeros((64, _UNITS), np.float32)
    kernel[0], kernel[1] = half, ~half
    params["first"] = {"w": kernel, "b": np.zeros(_UNITS, np.float32)}
    params["last"]["w"] = kernel[:10].T
    x, changed = np.eye(64)[:_ROWS], ((0, 1, 2, 2), (1, 0, 2, 2))
    right, wrong = (float(_of(measured, params, 7, x, y)[0]) for y in changed)
    if not np.isfinite([right, wrong]).all():
        return f"the losses of images with clear scores are {right:.3g} and {wrong:.3g}"
    return "" if right + 1 < wrong else "two labels of a batch change places, and the loss stays"


def _takes_any_batch(answer: Any) -> None:
    """Ask for the shape alone, which takes no compilation."""
    for rows in (3, 1):
        x, y = np.zeros((rows, 64), np.float32), np.zeros(rows, np.int32)
        args = _params(0), jax.random.key(0), x, y
        got = attempt(jax.eval_shape, lambda *args: answer(*args), *args)
        given = "3 images" if rows == 3 else "1 image"
        zeros = jax.tree.map(lambda each: jnp.zeros(each.shape, each.dtype), got)
        compare(np.float32(0), zeros, given=given)


def _asked(answer: Any) -> None:
    measured = _with_slopes(answer)
    _returns_the_loss(measured)
    shows_none(
        ("symptom/not-finite", _first_step),
        ("symptom/alike", _units_left),
        ("symptom/company", _labels_change_places),
    )(measured)
    _returns_what_is_handed_on(measured)
    _takes_any_batch(answer)


loss = Exercise(
    name="loss",
    questions=(_asked,),
    hints=(
        "Three symptoms, three lines in three functions. Ask each function by itself: `length` of "
        "a few arrays, `predict` of one image, `loss` of two.",
        "`find_first_nan` of a gradient, `find_key_reuses` or `show_keys` of what draws, and "
        "shapes: print those of `losses` and of what `one` gets.",
        "One more `where`, inside the other; a key for each layer; and a batch in which image and "
        "label go together.",
    ),
    verified="the right loss of dark images, finite gradients, units lost by each layer and each "
    "image by itself, and labels that belong to their images",
    answer=solution,
)
