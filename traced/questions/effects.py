"""Ask what an answer does besides returning a value."""

from typing import Any

from traced.attempt import attempt
from traced.exercise import Question
from traced.feedback import fault
from traced.probes.effects import find_effects


def changes_nothing(*args: Any) -> Question:
    """Ask whether the answer only returns a value, and changes and prints nothing.

    >>> changes_nothing([1.0])(lambda xs: xs.append(2.0))
    Traceback (most recent call last):
    traced.feedback.Found: effects/write
    """

    def question(answer: Any) -> None:
        for effect in attempt(find_effects, answer, *args):
            change = {effect.kind.replace(" ", "_"): effect.target}
            if effect.kind == "leaked tracer":
                raise fault("tracing/leaked", effect.made, effect.place, **change)
            raise fault("effects/write", effect.place, **change)

    return question
