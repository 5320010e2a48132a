"""Ask how an answer uses its random keys."""

from typing import Any

from traced.findings.feedback import Found, Question, fault
from traced.randomness.events import KeyReuse
from traced.randomness.keys import find_key_reuses
from traced.running.attempt import attempt


def spends_each_key_once(*args: Any) -> Question:
    """Ask whether the answer uses no random key twice at these arguments.

    >>> import jax
    >>> spends_each_key_once(jax.random.key(0))(lambda key: jax.random.normal(key))
    """

    def question(answer: Any) -> None:
        for reuse in attempt(find_key_reuses, answer, *args):
            raise fault_of_reuse(reuse)

    return question


def fault_of_reuse(reuse: KeyReuse) -> Found:
    """Return the finding that a key is used again, with both places.

    >>> fault_of_reuse(KeyReuse("key", "used twice", None, None)).finding.saw
    (('key', 'key'), ('how', 'used twice'))
    """
    return fault("keys/reused", reuse.first, reuse.second, key=reuse.key, how=reuse.how)
