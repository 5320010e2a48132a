"""Mend a second script, of which nobody says what is wrong with it."""

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
#: A wave that jumps so far that a step tells each of its windows from the noise. An answer may
#: compile its step anew in each call, so that there are few calls, and few shapes.
_WAVE = 100 * np.sin(np.arange(12.0) ** 2)
_TOLD = "the weights are not those that the text describes"


def _weights(answer: Any, wave: Any, seed: int = 0, steps: int = 0) -> Any:
    got = attempt(answer, jax.device_put(np.float32(wave)), jax.random.key(seed), steps)
    given = f"{len(wave)} values and {steps} steps"
    compare(np.zeros(8, np.float32), jnp.zeros_like(got), given=given)
    return np.asarray(got)


def _returns_weights(answer: Any) -> None:
    _weights(answer, _WAVE)


def _without_a_step(answer: Any) -> str:
    return "" if np.allclose(_weights(answer, _WAVE), np.eye(8)[7]) else _TOLD


def _differ(seen: Any, first: Any, steps: int, within: float) -> bool:
    """Compare weights after some steps, from wherever they begin, with their mean over the noise.

    They may differ by a part of the largest one.
    """
    rows = np.stack([_WAVE[i : i + 9] for i in range(len(_WAVE) - 8)])
    x, y = rows[:, :8], rows[:, 8]
    due = first
    for _ in range(steps):
        due = due - 2 * _RATE * (x.T @ (x @ due - y) / len(y) + _NOISE**2 * due)
    return bool(np.abs(seen - due).max() > within * np.abs(due).max())


def _one_step(answer: Any) -> str:
    first, seen = (_weights(answer, _WAVE, 0, steps) for steps in (0, 1))
    return _TOLD if _differ(seen, first, 1, within=0.02) else ""


def _same_key(answer: Any) -> str:
    one, again, other = (_weights(answer, _WAVE, seed, 2) for seed in (1, 1, 2))
    return "" if np.allclose(one, again) and not np.allclose(one, other, atol=1e-5) else _TOLD


def _many_steps(answer: Any) -> str:
    """Look at a wave without any light in it, where the noise alone is left to learn from.

    In the end no weight is left, unless the values to predict are noisy, too, or the noise of all
    steps is the same.
    """
    return "" if np.linalg.norm(_weights(answer, 0 * _WAVE, steps=1000)) < 0.02 else _TOLD


def _size_of_noise(answer: Any) -> str:
    """Look at one step on many dark windows, which the squares of the noise alone move.

    The products of two inputs' noise cancel, unless it is one noise for both.
    """
    moved = _weights(answer, np.zeros(2008), steps=1) - np.eye(8)[7]
    due = -2 * _RATE * _NOISE**2
    return "" if np.abs(moved - due * np.eye(8)[7]).max() < abs(due) / 5 else _TOLD


forecast = Exercise(
    name="forecast",
    questions=(
        _returns_weights,
        shows_none(
            ("symptom/remains", _without_a_step),
            ("symptom/remains", _one_step),
            ("symptom/remains", _same_key),
            ("symptom/remains", _size_of_noise),
            ("symptom/remains", _many_steps),
        ),
    ),
    hints=(),
    verified="the weights of the text before the first step, after one step and after 1000",
    answer=solution,
)
