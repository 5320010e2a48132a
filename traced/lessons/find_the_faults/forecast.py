"""Mend a second script, of which nobody says what is wrong with it."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.lessons.find_the_faults.solutions.forecast import forecast as solution
from traced.lessons.find_the_faults.symptoms import shows_none
from traced.questions import compare
from traced.running.attempt import attempt

#: How large the noise is, and the rate.
_NOISE, _RATE = 0.2, 0.1
#: A wave that turns at each value, one that rises once, and one that does so at its end.
_WAVE, _RISE = np.cos(np.pi * np.arange(60)), np.array([-10.0] * 8 + [1.0] * 9)
_LAST = np.array([1.0] * 9 + [5.0])
_TOLD = "the weights are not those that the text describes"


def _weights(answer: Any, wave: Any, seed: int = 0, steps: int = 0) -> Any:
    got = attempt(answer, jnp.asarray(wave, jnp.float32), jax.random.key(seed), steps)
    given = f"{len(wave)} values and {steps} steps"
    compare(np.zeros(8, np.float32), jnp.zeros_like(got), given=given)
    return np.asarray(got)


def _returns_weights(answer: Any) -> None:
    _weights(answer, np.sin(np.arange(30.0)), steps=1)


def _without_a_step(answer: Any) -> str:
    return "" if np.allclose(_weights(answer, np.sin(np.arange(30.0))), np.eye(8)[7]) else _TOLD


def _one_step(answer: Any, wave: Any, tolerance: float) -> str:
    """Compare one step, from wherever the answer begins, with that of the mean over the noise."""
    first = _weights(answer, wave)
    rows = np.stack([wave[i : i + 9] for i in range(len(wave) - 8)])
    x, y = rows[:, :8], rows[:, 8]
    due = -2 * _RATE * (x.T @ (x @ first - y) / len(y) + _NOISE**2 * first)
    moved = np.mean([_weights(answer, wave, seed, 1) for seed in range(2)], axis=0) - first
    return "" if np.abs(moved - due).max() < tolerance else _TOLD


def _same_key(answer: Any) -> str:
    wave = np.sin(np.arange(20.0))
    one, again, other = (_weights(answer, wave, seed, 2) for seed in (1, 1, 2))
    return "" if np.allclose(one, again) and not np.allclose(one, other, atol=1e-5) else _TOLD


def _many_steps(answer: Any) -> str:
    """Look at a wave without any light in it, where the noise alone is left to learn from.

    In the end no weight is left, unless the values to predict are noisy, too.
    """
    return "" if np.linalg.norm(_weights(answer, np.zeros(9), steps=1000)) < 0.05 else _TOLD


def _size_of_noise(answer: Any) -> str:
    """Look at one step on many dark windows, which the square of the noise alone moves."""
    moved = _weights(answer, np.zeros(2008), steps=1)[7] - 1
    due = -2 * _RATE * _NOISE**2
    return "" if abs(moved - due) < abs(due) / 5 else _TOLD


def _noise(answer: Any) -> str:
    return _same_key(answer) or _size_of_noise(answer) or _many_steps(answer)


forecast = Exercise(
    name="forecast",
    questions=(
        _returns_weights,
        shows_none(
            ("symptom/remains", _without_a_step),
            ("symptom/remains", partial(_one_step, wave=_WAVE, tolerance=0.05)),
            ("symptom/remains", partial(_one_step, wave=_RISE, tolerance=0.6)),
            ("symptom/remains", partial(_one_step, wave=_LAST, tolerance=0.2)),
            ("symptom/remains", _noise),
        ),
    ),
    hints=(),
    verified="the weights of the text before the first step, after one step and after 1000",
    answer=solution,
)
