"""Ask of the numbers that an answer computes: their derivatives, and where NaN begins."""

from typing import Any

from traced.findings.feedback import Question, fault
from traced.numbers.derivatives import find_wrong_derivatives
from traced.numbers.nans import find_first_nan
from traced.running.attempt import attempt


def derives_its_values(*args: Any) -> Question:
    """Ask whether the answer's derivatives agree with differences of its values.

    >>> derives_its_values(2.0)(lambda x: x**3)
    """

    def question(answer: Any) -> None:
        for wrong in attempt(find_wrong_derivatives, answer, *args):
            verdict = f"{wrong.verdict}, {wrong.mode} mode, with respect to `{wrong.argument}`"
            raise fault("derivatives/wrong", verdict=verdict)

    return question


def stays_finite(*args: Any) -> Question:
    """Ask whether everything that the answer computes on its way to the result is finite.

    >>> import jax.numpy as jnp
    >>> stays_finite(-1.0)(jnp.log)
    Traceback (most recent call last):
    traced.findings.feedback.Found: value/nan
    """

    def question(answer: Any) -> None:
        first = attempt(find_first_nan, answer, *args)
        if first is not None:
            seen = {"operation": first.primitive or "given", "result": str(first.result)}
            raise fault("value/nan", first.place, **seen)

    return question
