"""Run the whole script: it learns, within a budget of traces, and twice the same."""

from typing import Any

import jax
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.find_the_faults.solutions.run import run as solution
from traced.lessons.find_the_faults.symptoms import shows_none
from traced.running.attempt import attempt
from traced.tracing.traces import record_traces

_EPOCHS, _STEPS = 4, 3


class _Digits:
    """As many digits as scikit-learn has, drawn here, and not put back after a call."""

    def __init__(self) -> None:
        generator = np.random.default_rng(0)
        self.labels = generator.integers(10, size=1797)
        lines = generator.uniform(0, 16, (10, 64))[self.labels]
        self.images = np.clip(lines + generator.normal(0, 4, lines.shape), 0, 16)


def _run(answer: Any, digits: _Digits, epochs: int) -> tuple[float, float, Any]:
    before, after, curve = answer(digits.images, digits.labels, epochs)
    return float(before), float(after), np.array([float(value) for value in curve])


def _traces(answer: Any) -> str:
    jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
    short, more = _count_traces(answer, 1), _count_traces(answer, 2)
    if more == 0:
        return ""
    # A step that is made in each run is traced in each, however long it is.
    jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
    long = _count_traces(answer, 2)
    told = f"{_STEPS} steps: {short} traces; {2 * _STEPS} steps: {long}"
    return told if long > short else ""


def _count_traces(answer: Any, epochs: int) -> int:
    with record_traces() as traces:
        curve = attempt(_run, answer, _Digits(), epochs)[2]
    _require_a_mean_for_each_step(curve, epochs)
    return sum(not each.nested for each in traces)


def _accuracy(answer: Any) -> str:
    before, after, curve = attempt(_run, answer, _Digits(), _EPOCHS)
    _require("before training, about 0.1 of 1 right", before < 0.4, f"{before:.2f}")
    if not after > 0.7:
        # A tenth of the digits would be right by chance.
        return f"after {_EPOCHS} epochs, about {10 * round(10 * np.nan_to_num(after))}% are right"
    _require("after training, at most 1 of 1 right", after <= 1, f"{after:.2f}")
    _require_mean_losses(curve, _EPOCHS)
    _require("losses that fall", curve[-1] < curve[0] - 0.5, f"{curve[0]:.2f} to {curve[-1]:.2f}")
    return ""


def _require_mean_losses(curve: Any, epochs: int) -> None:
    """Require a mean for each step, of losses none of which is negative."""
    _require_a_mean_for_each_step(curve, epochs)
    steps = _STEPS * epochs
    losses = np.diff(curve * np.arange(1, 1 + steps), prepend=0.0)
    if (losses < 0).any():
        at = int(np.argmax(losses < 0))
        got = f"{curve[at - 1]:.2f}, then {curve[at]:.2f}: by a loss of {losses[at]:.2f}"
        _require(f"at step {at + 1}, the mean of the losses of all steps up to it", False, got)


def _require_a_mean_for_each_step(curve: Any, epochs: int) -> None:
    wanted = f"{_STEPS * epochs} mean losses, {_STEPS} for each epoch"
    _require(wanted, len(curve) == _STEPS * epochs, f"{len(curve)} values", epochs)


def _require(wanted: str, fine: bool, got: str, epochs: int = _EPOCHS) -> None:
    require(bool(fine), "value/differs", given=f"epochs = {epochs}", wanted=wanted, got=got)


def _again(answer: Any) -> str:
    digits = _Digits()
    first, second = (attempt(_run, answer, digits, 1)[2] for _ in range(2))
    _require_mean_losses(first, 1)
    same = first.shape == second.shape and np.allclose(first, second, rtol=1e-3)
    return "" if same else "a second run on the same digits has another curve"


def _whole(answer: Any) -> None:
    # What takes a trace for each step would take minutes to learn something.
    shows_none(("symptom/compiles-more", _traces))(answer)
    shows_none(("symptom/learns-nothing", _accuracy), ("symptom/second-call", _again))(answer)


run = Exercise(
    name="run",
    questions=(_whole,),
    hints=(
        "Do the checks of all parts pass, and were the cells of `run` and of the parts run again "
        "after the last change?",
        "The tools that found a fault in a part find it in the whole: `record_traces` around "
        "`run`, or `jax.debug_nans(True)`.",
        "Nothing is wrong in the lines of `run` itself.",
    ),
    verified="most digits right after four epochs, few traces, and the same curve in a second run",
    answer=solution,
)
