"""Questions that an exercise asks of an answer: its values, its equations, its traces."""

import copy
import inspect
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from traced.attempt import attempt
from traced.exercise import Question
from traced.feedback import Found, fault, require
from traced.probes.jaxprs import Equation, find_equations, find_work_outside_jit
from traced.probes.places import Place
from traced.probes.signatures import describe, describe_tree
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


def returns(wanted: Callable[..., Any], *cases: tuple[Any, ...]) -> Question:
    """Ask whether the answer returns what `wanted` returns, for each tuple of arguments.

    Compared are, in this order, the structure of the result, shapes, dtypes and values.

    >>> returns(abs, (-1.0,))(lambda x: x)
    Traceback (most recent call last):
    traced.feedback.Found: value/differs
    """

    def question(answer: Any) -> None:
        for case in cases:
            # The answer may do with its arguments as it likes: the next check has its own.
            args = copy.deepcopy(case)
            result = attempt(answer, *args)
            _compare_arguments(case, args)
            compare(wanted(*case), result, given=_brief(case))

    return question


def _compare_arguments(before: tuple[Any, ...], after: tuple[Any, ...]) -> None:
    if not _same_structure(before, after):
        raise fault("effects/argument", before=describe_tree(before), after=describe_tree(after))
    for old, new in zip(jax.tree.leaves(before), jax.tree.leaves(after), strict=True):
        # JAX's own arrays cannot be changed; NumPy's can.
        if isinstance(old, np.ndarray) and not np.array_equal(old, new, equal_nan=True):
            raise fault("effects/argument", before=_brief(old), after=_brief(new))


def compare(wanted: Any, got: Any, **given: object) -> None:
    """Raise `Found` at the first difference between two results, with the evidence.

    `given` is evidence of the caller's: what the result was computed from.

    >>> compare(jax.numpy.ones(2), jax.numpy.zeros(2), given="x = 0")
    Traceback (most recent call last):
    traced.feedback.Found: value/differs
    """
    if got is None and wanted is not None:
        raise fault("value/nothing", **given, wanted=_brief(wanted))
    if inspect.iscoroutine(got) or inspect.isgenerator(got):
        got.close()
        raise fault("value/not-computed", **given, got=f"a {type(got).__name__}")
    types = {"wanted": describe_tree(wanted), "got": describe_tree(got)}
    require(_same_structure(wanted, got), "value/structure", **given, **types)
    for left, right in zip(jax.tree.leaves(wanted), jax.tree.leaves(got), strict=True):
        _compare_leaves(left, right, given)


def _same_structure(left: Any, right: Any) -> bool:
    try:
        structures: list[Any] = [jax.tree.structure(left), jax.tree.structure(right)]
        return bool(structures[0] == structures[1])
    except (TypeError, ValueError):  # keys of a dictionary that cannot be sorted
        return False


def _compare_leaves(wanted: Any, got: Any, given: dict[str, object]) -> None:
    require(not isinstance(got, jax.core.Tracer), "tracing/leaked", got=got)
    types = {"wanted": describe(wanted).lstrip("~"), "got": describe(got).lstrip("~")}
    require("[" in types["got"], "value/structure", **given, **types)
    require(np.shape(wanted) == np.shape(got), "value/shape", **given, **types)
    require(types["wanted"] == types["got"], "value/dtype", **given, **types)
    with np.errstate(all="ignore"):  # a value out of all bounds differs, and that is all
        close = np.allclose(wanted, got, rtol=1e-4, atol=1e-6, equal_nan=True)
    if not close:
        raise fault("value/differs", **given, wanted=_brief(wanted), got=_brief(got))


def _brief(value: Any) -> str:
    leaves = [
        np.array2string(np.asarray(leaf), precision=4, threshold=8)
        for leaf in jax.tree.leaves(value)
    ]
    return ", ".join(leaves)


def keeps_its_size(
    make: Callable[[int], tuple[Any, ...]], small: int = 4, large: int = 8
) -> Question:
    """Ask whether the jaxpr has as many equations for `make(large)` as for `make(small)`.

    >>> import jax.numpy as jnp
    >>> keeps_its_size(lambda n: (jnp.ones(n),))(sum)
    Traceback (most recent call last):
    traced.feedback.Found: loops/unrolled
    """

    def question(answer: Any) -> None:
        few, many = (attempt(find_equations, answer, *make(n)) for n in (small, large))
        seen = {
            f"{n}_entries": f"{len(eqns)} equations" for n, eqns in ((small, few), (large, many))
        }
        require(len(many) <= len(few), "loops/unrolled", grown(few, many), **seen)

    return question


def grown(few: list[Equation], many: list[Equation]) -> Place | None:
    """Return the line whose equations multiplied most from one jaxpr to another, or None."""
    growth = Counter(each.place for each in many)
    growth.subtract(each.place for each in few)
    place, more = max(growth.items(), key=lambda item: item[1], default=(None, 0))
    return place if more > 0 else None


def equations_like(wanted: Callable[..., Any], *args: Any) -> Question:
    """Ask whether the answer traces to the same primitives as `wanted`, in the same order.

    >>> equations_like(lambda x: x * x, 2.0)(lambda x: x**2)
    Traceback (most recent call last):
    traced.feedback.Found: tracing/other-equations
    """

    def question(answer: Any) -> None:
        target, eqns = find_equations(wanted, *args), attempt(find_equations, answer, *args)
        names = [
            " ".join(each.primitive for each in side if not each.nests) for side in (target, eqns)
        ]
        dead = [each for each in eqns if each.dead]
        where = [each.place for each in dead[:1]]
        saw = {"target": names[0], "answer": names[1]}
        require(not dead, "tracing/dead-equation", *where, **saw)
        require(names[0] == names[1], "tracing/other-equations", **saw)

    return question


def traces_at_most(most: int, run: Callable[[Any], None], calls: str) -> Question:
    """Ask whether `run`, which calls the answer and compares, traces no function more often.

    `calls` tells the reader what `run` does, as evidence. JAX's caches are cleared first, so
    that a second check sees the same traces as the first one.

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
        for trace in traces:
            by_function.setdefault(trace.place, []).append(trace)
        for each in by_function.values():
            if len(each) > most:
                raise _retraced(each, most, calls)

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
