"""Ask how an answer uses its random keys."""

from typing import Any

from traced.attempt import attempt
from traced.exercise import Question
from traced.feedback import fault
from traced.probes.keys import find_key_reuses


def spends_each_key_once(*args: Any) -> Question:
    """Ask whether the answer uses no random key twice at these arguments.

    >>> import jax
    >>> spends_each_key_once(jax.random.key(0))(lambda key: jax.random.normal(key))
    """

    def question(answer: Any) -> None:
        for reuse in attempt(find_key_reuses, answer, *args):
            raise fault("keys/reused", reuse.first, reuse.second, key=reuse.key, how=reuse.how)

    return question
