"""Ask when an answer is traced, and which work it does outside of any trace."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax

from traced.attempt import attempt
from traced.exercise import Question
from traced.feedback import Found, fault, require
from traced.probes.jaxprs import Equation, find_work_outside_jit
from traced.probes.places import Place
from traced.probes.traces import Trace, record_traces

#: The finding for each reason of a trace; any other is `tracing/retraced`.
RETRACED = {
    "new function": "tracing/new-function",
    "shape": "tracing/new-shape",
    "dtype": "tracing/new-dtype",
    "weak type": "tracing/weak-type",
    "structure": "tracing/new-structure",
    "static value": "tracing/static-value",
    "keyword": "tracing/keyword",
}


def traces_at_most(most: int, run: Callable[[Any], None], calls: str) -> Question:
    """Ask whether `run`, which calls the answer and compares, traces no function more often.

    `calls` tells the reader what `run` does, as evidence. JAX's caches are cleared first, so
    that a second check sees the same traces as the first one. What is traced on the way, such as
    the branches of a `cond` in a jitted function, does not count.

    >>> from traced.questions import compare
    >>> def run(answer):
    ...     for n in (1, 2):
    ...         compare(jax.numpy.ones(n), answer(jax.numpy.zeros(n)))
    >>> traces_at_most(1, run, "two lengths")(jax.jit(lambda x: x + 1))
    Traceback (most recent call last):
    traced.feedback.Found: tracing/new-shape
    """

    def question(answer: Any) -> None:
        jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
        with record_traces() as traces:
            run(answer)
        by_function: dict[Place, list[Trace]] = {}
        for trace in (each for each in traces if not each.nested):
            by_function.setdefault(trace.place, []).append(trace)
        for each in by_function.values():
            if len(each) > most:
                raise _retraced(each, most, calls)

    return question


def uses_jit(*args: Any) -> Question:
    """Ask whether a function of the answer's, and not of a library, is traced by `jit`.

    >>> uses_jit(1.0)(jax.numpy.sin)
    Traceback (most recent call last):
    traced.feedback.Found: tracing/not-jitted
    """

    def question(answer: Any) -> None:
        jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
        with record_traces() as traces:
            attempt(answer, *args)
        require(bool(traces), "tracing/not-jitted", traces=0)

    return question


def works_under_jit(call: Callable[[Any], Callable[..., Any]], *args: Any) -> Question:
    """Ask whether the answer works on the arrays in `args` only inside functions under `jit`.

    `call` makes of the answer a function of `args`. Moving an array, such as slicing or stacking,
    may be done outside. An answer that asks for values on the way cannot be traced as a whole; then
    it passes if `jit` traced anything at all.

    >>> works_under_jit(lambda answer: answer, jax.numpy.ones(3))(lambda x: x * 2)
    Traceback (most recent call last):
    traced.feedback.Found: tracing/not-jitted
    """

    def question(answer: Any) -> None:
        # A new function around the answer: of a jitted one we would see the inside only.
        def whole(*args: Any) -> Any:
            return call(answer)(*args)

        with record_traces() as traces:
            jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
            work = _work_outside(whole, *args)
        for each in work or ():
            raise fault("tracing/not-jitted", each.place, operation=each.primitive)
        require(bool(traces) or work is not None, "tracing/not-jitted", traces=0)

    return question


def _work_outside(whole: Callable[..., Any], *args: Any) -> list[Equation] | None:
    """Find the work outside `jit`, or run `whole` and return None where it cannot be traced."""
    try:
        work: list[Equation] = attempt(find_work_outside_jit, whole, *args)
    except Found:
        attempt(whole, *args)
        return None
    return work


def _retraced(traces: list[Trace], most: int, calls: str) -> Found:
    again = traces[most]
    code = RETRACED.get(again.reason, "tracing/retraced")
    saw = {"calls": calls, "traces": f"{len(traces)}, where {most} would do"}
    if again.detail:
        saw["again"] = again.detail
    called = again.called if again.called and again.called.line != again.place.line else None
    return fault(code, replace(again.place, note="traced again"), called, **saw)
