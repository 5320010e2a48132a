"""Questions about what values do not show: keys, effects, derivatives, and where NaN begins."""

from typing import Any

from traced.attempt import attempt
from traced.exercise import Question
from traced.feedback import fault
from traced.probes.derivatives import find_wrong_derivatives
from traced.probes.effects import find_effects
from traced.probes.keys import find_key_reuses
from traced.probes.nans import find_first_nan


def spends_each_key_once(*args: Any) -> Question:
    """Ask whether the answer uses no random key twice at these arguments.

    >>> import jax
    >>> spends_each_key_once(jax.random.key(0))(lambda key: jax.random.normal(key))
    """

    def question(answer: Any) -> None:
        for reuse in attempt(find_key_reuses, answer, *args):
            raise fault("keys/reused", reuse.first, reuse.second, key=reuse.key, how=reuse.how)

    return question


def changes_nothing(*args: Any) -> Question:
    """Ask whether the answer only returns a value, and changes and prints nothing.

    >>> changes_nothing([1.0])(lambda xs: xs.append(2.0))
    Traceback (most recent call last):
    traced.feedback.Found: effects/write
    """

    def question(answer: Any) -> None:
        for effect in attempt(find_effects, answer, *args):
            change = {effect.kind.replace(" ", "_"): effect.target}
            raise fault("effects/write", effect.place, **change)

    return question


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
    traced.feedback.Found: value/nan
    """

    def question(answer: Any) -> None:
        first = attempt(find_first_nan, answer, *args)
        if first is not None:
            seen = {"operation": first.primitive or "given", "result": str(first.result)}
            raise fault("value/nan", first.place, **seen)

    return question
