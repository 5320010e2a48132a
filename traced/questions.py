"""Questions that an exercise asks of an answer: its values, its equations, its traces."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from traced.attempt import attempt
from traced.exercise import Question
from traced.feedback import require
from traced.probes.jaxprs import Equation, find_equations
from traced.probes.places import Place
from traced.probes.signatures import describe
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
        for args in cases:
            compare(wanted(*args), attempt(answer, *args))

    return question


def compare(wanted: Any, got: Any) -> None:
    """Raise `Found` at the first difference between two results, with the evidence."""
    require(got is not None or wanted is None, "value/nothing", wanted=_brief(wanted))
    trees: list[Any] = [jax.tree.structure(wanted), jax.tree.structure(got)]
    require(trees[0] == trees[1], "value/structure", wanted=trees[0], got=trees[1])
    for left, right in zip(jax.tree.leaves(wanted), jax.tree.leaves(got), strict=True):
        _compare_leaves(left, right)


def _compare_leaves(wanted: Any, got: Any) -> None:
    require(not isinstance(got, jax.core.Tracer), "tracing/leaked", got=got)
    types = describe(wanted).lstrip("~"), describe(got).lstrip("~")
    require("[" in types[1], "value/structure", wanted=types[0], got=types[1])
    require(np.shape(wanted) == np.shape(got), "value/shape", wanted=types[0], got=types[1])
    require(types[0] == types[1], "value/dtype", wanted=types[0], got=types[1])
    close = np.allclose(wanted, got, rtol=1e-4, atol=1e-6, equal_nan=True)
    require(close, "value/differs", wanted=_brief(wanted), got=_brief(got))


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


def traces_at_most(most: int, run: Callable[[Any], None]) -> Question:
    """Ask whether `run`, which calls the answer and compares, makes 1 to `most` traces by `jit`.

    JAX's caches are cleared first, so that a second check sees the same traces as the first one.

    >>> def run(answer):
    ...     compare(jax.numpy.ones(3), answer(jax.numpy.zeros(3)))
    >>> traces_at_most(1, run)(lambda x: x + 1)
    Traceback (most recent call last):
    traced.feedback.Found: tracing/not-jitted
    """

    def question(answer: Any) -> None:
        jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
        with record_traces() as traces:
            run(answer)
        require(bool(traces), "tracing/not-jitted", traces=0)
        if len(traces) > most:
            _retraced(traces, most)

    return question


def _retraced(traces: list[Trace], most: int) -> None:
    again = next((trace for trace in traces if trace.reason != "first call"), traces[-1])
    code = RETRACED.get(again.reason, "tracing/retraced")
    saw = {
        "traces": f"{len(traces)}, at most {most} needed",
        "again": again.detail or again.function,
    }
    require(False, code, again.place, **saw)
