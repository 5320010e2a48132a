"""Ask about an answer as one program, so that a new shape compiles one thing and not many."""

from typing import Any

import jax

from traced.findings.feedback import Question


def as_one_program(question: Question) -> Question:
    """Put a question about the answer under `jit`, which it has to bear.

    >>> as_one_program(lambda answer: print(answer(2)))(lambda x: x + 1)
    3
    """

    def asked(answer: Any) -> None:
        question(jax.jit(answer))

    return asked
