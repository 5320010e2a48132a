"""What is asked of a part of the script: whether it still shows a symptom.

Of each symptom it is told what was done and what came out, and never why.
"""

from collections.abc import Callable
from typing import Any

from traced.findings.feedback import Question, fault

#: Tells in a sentence what was seen of a symptom, or nothing if it does not show.
Probe = Callable[[Any], str]


def shows_none(*probes: tuple[str, Probe]) -> Question:
    """Ask for each symptom by itself, and tell of the first that shows, and how many do not.

    A symptom is a code of the catalogue and its probe. So they may be mended in any order.

    >>> is_odd = lambda n: "it is odd" if n % 2 else ""
    >>> is_long = lambda n: "it is long" if n > 99 else ""
    >>> question = shows_none(("symptom/remains", is_long), ("symptom/remains", is_odd))
    >>> question(2)
    >>> question(3)
    Traceback (most recent call last):
    traced.findings.feedback.Found: symptom/remains
    """

    def question(answer: Any) -> None:
        seen = [(code, told) for code, probe in probes if (told := probe(answer))]
        for code, told in seen:
            gone = f"{len(probes) - len(seen)} of {len(probes)} symptoms"
            raise fault(code, symptom=told, gone=gone)

    return question
