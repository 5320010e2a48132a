"""Tell of an update whose result nothing reads, where a value differs."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from traced.findings.feedback import Found, fault
from traced.programs.jaxprs import find_equations
from traced.running.attempt import attempt


@contextlib.contextmanager
def unless_lost(answer: Callable[..., Any], *args: Any) -> Iterator[None]:
    """Raise in place of `value/differs` that an updated array is thrown away, where one is."""
    try:
        yield
    except Found as found:
        lost = _lost_update(answer, *args) if found.finding.code == "value/differs" else None
        raise lost or found from None


def _lost_update(answer: Callable[..., Any], *args: Any) -> Found | None:
    """Return the finding of the first update in the trace of a call that nothing reads."""
    try:
        equations = attempt(find_equations, answer, *args)
    except Found:
        return None
    for each in equations:
        if each.dead and each.primitive.startswith("scatter"):
            return fault("arrays/lost-update", each.place, result="read by nothing")
    return None
