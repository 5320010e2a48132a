"""Ask what the compiled program of an answer holds in memory."""

import re
from typing import Any

from traced.attempt import attempt
from traced.exercise import Question
from traced.feedback import fault
from traced.probes.captures import find_captured_arrays
from traced.probes.memory import measure_program
from traced.probes.trees import name_arguments


def donates(*args: Any, argument: str) -> Question:
    """Ask whether the answer donates all arrays in `argument`, and XLA writes outputs into them.

    >>> import jax
    >>> import jax.numpy as jnp
    >>> step = jax.jit(lambda w, g: w - g, donate_argnames="w")
    >>> donates(jnp.ones(3), jnp.ones(3), argument="w")(step)
    >>> donates(jnp.ones(3), jnp.ones(3), argument="g")(step)
    Traceback (most recent call last):
    traced.feedback.Found: cost/not-donated
    """

    def question(answer: Any) -> None:
        donated = {
            each.argument: each.output for each in attempt(measure_program, answer, *args).donations
        }
        for name in _named(answer, args, argument):
            if name not in donated:
                raise fault("cost/not-donated", argument=name, donated="no")
            if not donated[name]:
                raise fault("cost/not-donated", argument=name, donated="yes", output="none fits")

    return question


def _named(answer: Any, args: tuple[Any, ...], argument: str) -> list[str]:
    names = list(name_arguments(answer, args, {}))
    found = [each for each in names if re.fullmatch(rf"{re.escape(argument)}([\[.].*)?", each)]
    if not found:
        raise ValueError(f"`argument` must be one of {', '.join(names)}, got {argument}")
    return found


def captures_at_most(most: int, *args: Any) -> Question:
    """Ask whether no array of more than `most` bytes is a constant in the trace of the answer.

    >>> import jax.numpy as jnp
    >>> table = jnp.arange(1000.0)
    >>> captures_at_most(100, 2)(lambda i: table[i])
    Traceback (most recent call last):
    traced.feedback.Found: cost/captured-array
    """

    def question(answer: Any) -> None:
        for each in attempt(find_captured_arrays, answer, *args):
            if each.bytes > most:
                saw = {"array": f"{each.name} {each.type}".lstrip(), "bytes": each.bytes}
                raise fault("cost/captured-array", each.place, **saw, allowed=most)

    return question


def needs_at_most(most: int, *args: Any) -> Question:
    """Ask whether the program needs `most` bytes beside its arguments and its results, or fewer.

    The backend says so of the compiled program, which is not run. Nothing is asked of a backend
    that does not say.

    >>> import jax.numpy as jnp
    >>> def spread(x):
    ...     return jnp.sort(x[:, None] * x[None], axis=1)[:, 0]
    >>> needs_at_most(1000, jnp.ones(100))(spread)
    Traceback (most recent call last):
    traced.feedback.Found: cost/memory
    """

    def question(answer: Any) -> None:
        needed = attempt(measure_program, answer, *args).temporary_bytes
        if needed is not None and needed > most:
            raise fault("cost/memory", temporary_bytes=needed, allowed=most)

    return question
