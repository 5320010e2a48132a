"""Mend the loss: its gradient, what it draws, and what belongs to which image."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Question
from traced.lessons.find_the_faults.solutions.loss import loss as solution
from traced.lessons.find_the_faults.symptoms import shows_none
from traced.questions import compare
from traced.running.attempt import attempt

#: Units of a hidden layer, and of one whose units are counted.
_UNITS, _MANY = 64, 1000
#: The share of units that are left after two layers, in one image and in either of two.
_LEFT = {1: 0.8**2, 2: 1 - (1 - 0.8**2) ** 2}


def _params(seed: int, bias: float = 0.5) -> Any:
    """Return parameters of which a part is zero, as at the beginning of a training."""
    shapes = {"first": (64, _UNITS), "second": (_UNITS, _UNITS), "last": (_UNITS, 10)}
    return {
        name: {
            "w": jnp.sin(seed + jnp.arange(float(a * b))).reshape(a, b) / 8,
            "b": bias * jnp.cos(jnp.arange(float(b))) * (name == "last"),
        }
        for name, (a, b) in shapes.items()
    }


def _passing(units: int) -> Any:
    """Return parameters with which each unit hands on what it gets, starting from 1."""
    return {
        "first": {"w": jnp.ones((64, units)), "b": jnp.ones(units)},
        "second": {"w": jnp.eye(units), "b": jnp.zeros(units)},
        "last": {"w": jnp.full((units, 10), 1e-3), "b": jnp.zeros(10)},
    }


def _returns_the_loss(seed: int, rows: int) -> Question:
    """Ask for the loss of dark images, whose scores nothing that is drawn can change."""

    def question(answer: Any) -> None:
        params, y = _params(seed), np.arange(rows) * 3 % 10
        scores = np.asarray(params["last"]["b"], np.float64)
        wanted = np.mean(np.log(np.sum(np.exp(scores))) - scores[y])
        leaves = (np.asarray(leaf, np.float64) for leaf in jax.tree.leaves(params))
        wanted += 1e-3 * sum(np.sqrt(np.sum(leaf**2)) for leaf in leaves)
        args = params, jax.random.key(seed), jnp.zeros((rows, 64)), jnp.asarray(y)
        compare(np.float32(wanted), attempt(jax.jit(answer), *args), given=f"{rows} dark images")

    return question


def _first_step(answer: Any) -> str:
    params, x = _params(1, bias=0.0), jnp.sin(jnp.arange(256.0)).reshape(4, 64)
    slopes = attempt(jax.jit(jax.grad(answer)), params, jax.random.key(3), x, jnp.arange(4))
    found = [bool(jnp.all(jnp.isfinite(leaf))) for leaf in jax.tree.leaves(slopes)]
    if all(found):
        return ""
    told = f"{found.count(False)} of {len(found)} arrays of gradients are not finite"
    return f"{told}, where the loss is"


def _share_left(answer: Any, rows: int) -> float:
    """Return the share of the last hidden units that count for any of some equal images."""

    args = _passing(_MANY), jax.random.key(5), jnp.zeros((rows, 64)), jnp.zeros(rows, int)
    slopes = attempt(jax.jit(jax.grad(answer)), *args)
    return float(jnp.mean(jnp.abs(slopes["last"]["w"][:, 0]) > 0.01))


def _units_left(answer: Any) -> str:
    for rows, due in _LEFT.items():
        share = _share_left(answer, rows)
        if abs(share - due) > 0.05:
            whose = "one image" if rows == 1 else f"any of {rows} images"
            return f"{share:.0%} of the units count for {whose}; {due:.0%} would"
    return ""


def _labels_change_places(answer: Any) -> str:
    params = _passing(_UNITS)
    half = jnp.arange(_UNITS) < _UNITS // 2
    kernel = jnp.zeros((64, _UNITS)).at[0].set(half).at[1].set(~half)
    params["first"] = {"w": kernel, "b": jnp.zeros(_UNITS)}
    params["last"]["w"] = kernel[:10].T
    x, key = jnp.eye(64)[:2], jax.random.key(7)
    jitted = jax.jit(answer)
    right, wrong = (float(attempt(jitted, params, key, x, jnp.array(y))) for y in ((0, 1), (1, 0)))
    return "" if right + 1 < wrong else "two labels of a batch change places, and the loss stays"


loss = Exercise(
    name="loss",
    questions=(
        _returns_the_loss(0, 3),
        shows_none(
            ("symptom/not-finite", _first_step),
            ("symptom/alike", _units_left),
            ("symptom/company", _labels_change_places),
        ),
    ),
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
