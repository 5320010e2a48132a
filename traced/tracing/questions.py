"""Ask when an answer is traced, and which work it does outside of any trace."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import FunctionType
from typing import Any

import jax

from traced.findings.feedback import Found, Question, fault, require
from traced.programs.outside_jit import Seen, find_work_outside_jit, see_work
from traced.purity.deletions import find_deleted
from traced.python.places import Place
from traced.python.reachable import code_names, used_globals
from traced.running.attempt import attempt
from traced.tracing.entries import record_entries, told_changes
from traced.tracing.traces import Trace, record_traces

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


def traces_at_most(
    most: int,
    run: Callable[[Any], None],
    calls: str,
    *,
    after: Callable[[Any], None] = lambda answer: None,
) -> Question:
    """Ask whether `run`, which calls the answer and compares, traces no function more often.

    `calls` tells the reader what `run` does, as evidence. JAX's caches are cleared first, so
    that a second check sees the same traces as the first one. What is traced on the way, such as
    the branches of a `cond` in a jitted function, does not count, and neither do the traces of
    `after`, which calls the answer before.

    >>> from traced.questions import compare
    >>> def run(answer):
    ...     for n in (1, 2):
    ...         compare(jax.numpy.ones(n), answer(jax.numpy.zeros(n)))
    >>> traces_at_most(1, run, "two lengths")(jax.jit(lambda x: x + 1))
    Traceback (most recent call last):
    traced.findings.feedback.Found: tracing/new-shape
    """

    def question(answer: Any) -> None:
        jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
        after(answer)
        with record_traces(run) as traces:
            run(answer)
        for each in find_retraced(traces, most):
            if not _are_of_several_functions(answer, run, each, most):
                again = _again(answer, (after, run), each, most)
                raise fault_of_traces(each, most, again, calls=calls)

    return question


def _are_of_several_functions(
    answer: Any, run: Callable[[Any], None], traces: list[Trace], most: int
) -> bool:
    """Return whether the answer made several functions at one place, once, and calls each of them.

    What is made anew in each call is traced in a second run too.
    """
    of_each = Counter(each.role for each in traces)
    if len(of_each) == 1 or max(of_each.values()) > most:
        return False
    with record_traces() as later:
        run(answer)
    return traces[0].place not in [each.place for each in later]


def find_retraced(traces: Iterable[Trace], most: int) -> list[list[Trace]]:
    """Return the traces of each function that was traced more often, those inside others left out.

    >>> with record_traces() as traces:
    ...     f = jax.jit(lambda x: x)
    ...     _ = f(1.0), f(2)
    >>> [[each.reason for each in group] for group in find_retraced(traces, 1)]
    [['first call', 'dtype']]
    """
    # Two functions of a library that are called on one line share their place.
    by_function: dict[tuple[Place, str], list[Trace]] = {}
    for trace in (each for each in traces if not each.nested):
        by_function.setdefault((trace.place, trace.function), []).append(trace)
    return [each for each in by_function.values() if len(each) > most]


def _again(
    answer: Any, runs: tuple[Callable[[Any], None], ...], traces: list[Trace], most: int
) -> str:
    """Return what differed from an earlier trace: in words, by argument, with both values."""
    again = traces[most]
    if again.reason == "new function" and _names(answer, CLEARING):
        return CLEARED
    if again.reason in ("new function", "configuration", "keyword"):
        return again.detail
    # Once more, to see with what the function was entered: JAX tells neither static values nor
    # the name of an argument whose structure differs.
    jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
    entries = record_entries(lambda: [run(answer) for run in runs], again.place, most + 1)
    return told_changes(entries) or again.detail


#: The methods and functions that empty JAX's caches, and what is said of that.
CLEARING = {"clear_cache", "clear_caches"}
CLEARED = "the cache was cleared"


def _names(answer: Any, names: set[str]) -> bool:
    """Return whether the code of an answer, or of a function that it names, has one of `names`."""
    f = inspect.unwrap(answer)
    functions = [f, *(inspect.unwrap(each) for each in vars(f).values() if callable(each))]
    if isinstance(f, FunctionType):
        functions += [inspect.unwrap(each) for _, each in used_globals(f) if callable(each)]
    codes = (each.__code__ for each in functions if isinstance(each, FunctionType))
    return any(names & code_names(code) for code in codes)


def uses_jit(*args: Any) -> Question:
    """Ask whether the answer runs a function that it gave to `jit`, be it its own or a library's.

    A function that JAX jits itself, such as `jnp.linalg.norm`, is none.

    >>> uses_jit(1.0)(jax.jit(jax.numpy.sin))
    >>> uses_jit(1.0)(jax.numpy.sin)
    Traceback (most recent call last):
    traced.findings.feedback.Found: tracing/not-jitted
    """

    def question(answer: Any) -> None:
        _require_jitted(attempt(see_work, answer, *args))

    return question


def works_under_jit(
    call: Callable[[Any], Callable[..., Any]], *args: Any, may_donate: bool = False
) -> Question:
    """Ask whether the answer works on the arrays in `args` only inside functions under `jit`.

    These are the functions that it gives to `jit`, be they its own or a library's; a plain
    function, a `scan` or `vmap` may call them. `call` makes of the answer a function of `args`.
    Moving an array, such as slicing or stacking, may be done outside, and so may all work on
    single numbers that such functions returned. An answer that cannot be traced as a whole, since
    it asks for values on the way, is run; then at least one of its functions has to be under `jit`,
    and do more than move arrays.

    None of these may be given an array of the caller's by donation, unless the answer `may_donate`.

    >>> works_under_jit(lambda answer: answer, jax.numpy.ones(3))(lambda x: x * 2)
    Traceback (most recent call last):
    traced.findings.feedback.Found: tracing/not-jitted
    """

    def question(answer: Any) -> None:
        # A new function around the answer: of a jitted one we would see the inside only.
        def whole(*args: Any) -> Any:
            return call(answer)(*args)

        try:
            work = attempt(find_work_outside_jit, whole, *args)
        except Found:
            seen = attempt(see_work, whole, *args)
            work = seen.outside
            _require_jitted(seen)
            require(seen.computed, "tracing/not-jitted", computed_under_jit="nothing")
        for each in work:
            raise fault("tracing/not-jitted", each.place, operation=each.operation)
        if not may_donate:
            for name in attempt(find_deleted, call(answer), *args):
                raise fault("effects/deleted", deleted=name)

    return question


def _require_jitted(seen: Seen) -> None:
    place = next((each.place for each in seen.outside), None)
    require(seen.jitted, "tracing/not-jitted", place, functions_under_jit=0)


def fault_of_traces(traces: list[Trace], most: int, detail: str, **saw: str) -> Found:
    """Return the finding that a function was traced more often than `most` times, and why.

    `detail` says what differed from an earlier trace.

    >>> with record_traces() as traces:
    ...     f = jax.jit(lambda x: x)
    ...     _ = f(1.0), f(2)
    >>> fault_of_traces(traces, 1, traces[1].detail).finding.saw[0]
    ('traces', '2, where 1 would do')
    """
    again = traces[most]
    code = "tracing/retraced" if detail == CLEARED else RETRACED.get(again.reason)
    saw |= {"traces": f"{len(traces)}, where {most} would do"}
    if detail:
        saw["again"] = detail
    called = again.called if again.called and again.called.line != again.place.line else None
    return fault(
        code or "tracing/retraced", replace(again.place, note="traced again"), called, **saw
    )
