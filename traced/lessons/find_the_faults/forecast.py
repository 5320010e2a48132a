"""Mend a second script, of which nobody says what is wrong with it."""

from typing import Any

import jax
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.find_the_faults.solutions.forecast import forecast as solution
from traced.lessons.find_the_faults.symptoms import shows_none
from traced.questions import compare
from traced.running.attempt import attempt

#: How large the noise is, and the rate.
_NOISE, _RATE = 0.2, 0.1
#: Values of a wave, and its windows: another number would need other programs.
_VALUES = 40
_WINDOWS = _VALUES - 8
#: A wave that rises so steeply that a step tells each end of it from the noise.
_RISING = 100.0 * np.arange(_VALUES)
_TOLD = "the weights are not those that the text describes"
#: Steps on a wave without any light in it.
_MANY = 400


class _Seen:
    """What the answer returned: it may compile its step anew in each call, so there are few."""

    def __init__(self, answer: Any) -> None:
        self.first = _weights(answer, _RISING, 11, 0)
        self.one, self.again, self.other = (_weights(answer, _RISING, n, 1) for n in (11, 11, 5))
        self.dark = _weights(answer, 0 * _RISING, 11, _MANY)


def _weights(answer: Any, wave: Any, seed: int, steps: int) -> Any:
    got = attempt(answer, jax.device_put(np.float32(wave)), jax.random.key(seed), steps)
    given = f"{len(wave)} values and {steps} steps"
    zeros = jax.tree.map(np.zeros_like, got)
    compare(np.zeros(8, np.float32), zeros, given=given)
    return np.asarray(got)


def _told_unless(right: Any) -> str:
    return "" if right else _TOLD


def _without_a_step(seen: _Seen) -> str:
    return _told_unless(np.allclose(seen.first, np.eye(8)[7]))


def _one_step(seen: _Seen) -> str:
    """Compare a step, from wherever it begins, with its mean over the noise."""
    rows = np.stack([_RISING[i : i + 9] for i in range(_WINDOWS)])
    x, y, first = rows[:, :8], rows[:, 8], seen.first
    due = first - 2 * _RATE * (x.T @ (x @ first - y) / _WINDOWS + _NOISE**2 * first)
    return _told_unless(np.abs(seen.one - due).max() < 0.005 * np.abs(due).max())


def _same_key(seen: _Seen) -> str:
    other = np.allclose(seen.one, seen.other)
    return _told_unless(np.allclose(seen.one, seen.again) and not other)


def _noise_of_each_window(seen: _Seen) -> str:
    """Look at what the mean noise of an input adds to its weight, and whether inputs differ in it.

    All errors are the same on this wave. If windows share the noise of a value, two inputs next to
    one another differ in two windows only. What the last one adds to all weights lies on a line,
    and has no second differences.
    """
    steps = np.concatenate([np.diff((each - seen.first)[:7], 2) for each in (seen.one, seen.other)])
    due = 2 * _RATE * 100 * _NOISE * np.sqrt(6 / _WINDOWS)
    return _told_unless(np.sqrt(np.mean(steps**2)) > 0.28 * due)


def _many_steps(seen: _Seen) -> str:
    """Look at a wave without any light in it, where the noise alone is left to learn from.

    Each step takes the same share of a weight. More is left, or of other weights, if the values to
    predict are noisy, too, or if steps, windows or inputs share their noise.
    """
    due = (1 - 2 * _RATE * _NOISE**2) ** _MANY
    return _told_unless(np.linalg.norm(seen.dark - due * np.eye(8)[7]) < 0.2 * due)


def _asked(answer: Any) -> None:
    shows_none(
        ("symptom/remains", _without_a_step),
        ("symptom/remains", _one_step),
        ("symptom/remains", _same_key),
        ("symptom/remains", _noise_of_each_window),
        ("symptom/remains", _many_steps),
    )(_Seen(answer))


forecast = Exercise(
    name="forecast",
    questions=(_asked,),
    hints=(),
    verified="the weights of the text before the first step, after one step and after 400",
    answer=solution,
)
