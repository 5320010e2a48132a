"""Ask whether JAX can trace an answer: whether any shape, branch or number needs a value."""

from typing import Any

from traced.findings.feedback import Question, fault
from traced.running.attempt import attempt
from traced.static_shapes.shapes import find_first_dependence

#: The finding for each kind of dependence; for any other a shape depends on a value.
NEEDED = {
    "branch": "tracing/branch-on-tracer",
    "conversion": "tracing/value-needed",
    "static argument": "tracing/static-tracer",
}


def can_be_traced(*args: Any) -> Question:
    """Ask whether JAX can trace the answer, without `jit` too: whether nothing needs a value.

    What needs one is a shape, an index or a branch that depends on an argument. Any other error
    is told as it is in a call.

    >>> import jax.numpy as jnp
    >>> can_be_traced(jnp.ones(3))(lambda x: x[x > 0])
    Traceback (most recent call last):
    traced.findings.feedback.Found: tracing/shape-from-tracer
    """

    def question(answer: Any) -> None:
        found = attempt(find_first_dependence, answer, *args)
        if found is None:
            return
        code = NEEDED.get(found.kind, "tracing/shape-from-tracer")
        saw = {"needs_a_value": NAMES.get(found.kind, found.kind)}
        if found.arguments:
            saw["depends_on"] = ", ".join(found.arguments)
        raise fault(code, found.place, **saw)

    return question


#: What is said of a kind of dependence, where its name does not say it.
NAMES = {"conversion": "a conversion to Python or NumPy", "static": "a static parameter"}
