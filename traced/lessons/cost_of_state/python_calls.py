"""The Python that a step may run at each call, in both exercises that bound it."""

from collections.abc import Callable
from typing import Any

from traced.findings.feedback import require
from traced.python.calls import count_python_calls
from traced.running.attempt import attempt

MOST_PYTHON_CALLS = 300


def require_little_python(call: Callable[..., Any], *args: Any) -> None:
    """Require a call of the step, traced before, to run few Python functions."""
    counts = attempt(count_python_calls, call, *args)
    # One digit: the number changes a little with the release of Flax.
    saw = {"Python functions at each call": f"about {float(f'{counts.total():.0e}'):,.0f}"}
    saw |= {"most of them of": "".join(name for name, _ in counts.most_common(1))}
    saw |= {"allowed": str(MOST_PYTHON_CALLS)}
    require(counts.total() <= MOST_PYTHON_CALLS, "cost/python-calls", **saw)
