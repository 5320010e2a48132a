"""Assert of one's own functions what a check asks of an answer; what fails is told as a finding."""

import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import unwrap
from itertools import zip_longest
from pathlib import Path
from types import TracebackType
from typing import Any

from traced.drawing.lines import Line, flat
from traced.findings.feedback import Found, fault
from traced.internals.cache_misses import is_tracing
from traced.internals.frames import calls_to, frames_now, lines_of
from traced.programs.jaxpr_lines import jaxpr_lines
from traced.programs.jaxprs import jaxpr_of
from traced.purity.effects import find_effects
from traced.purity.questions import fault_of
from traced.python.calls import code_behind, name_of, require_callable
from traced.python.places import (
    Place,
    first_place,
    is_library,
    is_library_code,
    place_at,
    place_of_definition,
)
from traced.randomness.keys import find_key_reuses
from traced.randomness.questions import fault_of_reuse
from traced.tracing.questions import fault_of_traces, find_retraced
from traced.tracing.traces import Trace, record_traces
from traced.tracing.watch import TRACED, Watched, is_under_jit, watch

# Where a frame has a variable `__tracebackhide__`, pytest leaves it out of what a failure shows.


def assert_keys_used_once(f: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Assert that `f` gets no random numbers twice from one key, at these arguments.

    It is followed as `find_key_reuses` does, which says what is not seen. Raises `AssertionError`
    with both lines, and whatever `f` raises.

    >>> import jax
    >>> assert_keys_used_once(lambda key: jax.random.normal(key), jax.random.key(0))
    """
    __tracebackhide__ = True
    for reuse in find_key_reuses(f, *args, **kwargs):
        raise _failure(name_of(f), fault_of_reuse(reuse))


def assert_changes_nothing(f: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Assert that `f` only returns a value: it writes, prints, leaks and draws nothing besides.

    It is run once, or traced where it is under `jit`, as `find_effects` does, and what it changed
    is put back. Raises `AssertionError` with the first effect, and whatever `f` raises.

    >>> assert_changes_nothing(sorted, [2, 1])
    >>> assert_changes_nothing(lambda xs: xs.append(2.0), [1.0])
    Traceback (most recent call last):
    AssertionError: <lambda>: the function changes what lies outside it  [effects/write]
      line 1:  assert_changes_nothing(lambda xs: xs.append(2.0), [1.0])
    seen: argument write: xs
    seen: before: [1.0]
    seen: after: [1.0, 2.0]
    rule: a pure function returns a value and does nothing else, at no call
    read: field guide, effects/write
    """
    __tracebackhide__ = True
    for effect in find_effects(f, *args, **kwargs):
        raise _failure(name_of(f), fault_of(effect))


def assert_same_equations(
    f: Callable[..., Any], g: Callable[..., Any], *args: Any, **kwargs: Any
) -> None:
    """Assert that two functions have the same jaxpr at these arguments, line by line.

    Compared is what `show_jaxpr` shows, with no line left out: the primitives in their order, what
    they read, types, literals, and what says what is computed, such as axes. Arrays that a function
    captures are compared by type. Raises `AssertionError` with the first two lines that differ, and
    whatever `f` or `g` raises.

    >>> assert_same_equations(lambda x: 2 * x + 1, lambda y: y * 2 + 1, 1.0)
    Traceback (most recent call last):
    AssertionError: <lambda>: the trace has different equations  [tracing/other-equations]
    ...
    >>> assert_same_equations(lambda x: 2 * x + 1, lambda y: 2 * y + 1, 1.0)
    """
    __tracebackhide__ = True
    require_callable(f)
    require_callable(g, "g")
    for ours, others in zip_longest(_lines(f, args, kwargs), _lines(g, args, kwargs)):
        if ours is None or others is None or ours.text != others.text:
            saw = {"first": _text(ours), "second": _text(others)}
            places = _place(ours, "first"), _place(others, "second")
            raise _failure(name_of(g), fault("tracing/other-equations", *places, **saw))


def _lines(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Line]:
    return list(flat(jaxpr_lines(jaxpr_of(f, *args, **kwargs), whole=True)))


def _text(line: Line | None) -> str:
    return line.text if line else "no more equations"


def _place(line: Line | None, note: str) -> Place | None:
    spots = [
        spot for eqn in (line.of if line else ()) for spot in lines_of(calls_to(eqn), is_library)
    ]
    place = first_place(spots)
    return place and replace(place, note=note)


def assert_traces_at_most(n: int) -> "TracesAtMost":
    """Assert that JAX traces no function more than `n` times, in a `with` block or as a decorator.

    In a `with` block the traces of each function count, but for those inside another trace. What
    JAX has kept from before is not traced again: where earlier tests may have called the function,
    `jax.clear_caches()` comes first. Above `jit`, as a decorator, all calls
    of that function count, from then on; of any other function, such as a test, each call is a
    block. Below `jit` it cannot count, and a call raises `TypeError`. What is decorated keeps a
    record of its calls, so this is for tests.

    Raises `AssertionError` with what was new in the call, at the end of the block, or by the call.

    >>> import jax
    >>> double = jax.jit(lambda x: 2 * x)
    >>> with assert_traces_at_most(1):
    ...     _ = double(1.0), double(2)
    Traceback (most recent call last):
    AssertionError: <lambda>: JAX traced again for a new dtype  [tracing/new-dtype]
    ...
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        got = f"{name_of(n)}: write `@assert_traces_at_most(1)`" if callable(n) else repr(n)
        raise TypeError(f"`n` must be a number of traces, such as 1, got {got}")
    return TracesAtMost(n)


class TracesAtMost:
    """A limit on traces, for a `with` block or for a function; made by `assert_traces_at_most`."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._blocks: list[tuple[contextlib.AbstractContextManager[Any], list[Trace]]] = []

    def __enter__(self) -> None:
        block = record_traces()
        self._blocks.append((block, block.__enter__()))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        __tracebackhide__ = True
        block, traces = self._blocks.pop()
        block.__exit__(kind, error, traceback)
        for each in find_retraced(traces, self.most) if error is None else ():
            again = each[self.most]
            raise _failure(again.function, fault_of_traces(each, self.most, again.detail))

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Return `f` with the limit on all of its calls, or on each if it is not under `jit`."""
        require_callable(f)
        return self._limited(f) if is_under_jit(f) else self._each_limited(f)

    def _limited(self, f: Callable[..., Any]) -> Callable[..., Any]:
        watched = watch(f)

        @wraps(f, updated=())
        def limited(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            before = watched.traces
            out = watched(*args, **kwargs)
            if watched.traces > max(before, self.most):
                traces = _traces_of(watched, f)
                again = traces[self.most]
                raise _failure(again.function, fault_of_traces(traces, self.most, again.detail))
            return out

        return limited

    def _each_limited(self, f: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(f)
        def limited(*args: Any, **kwargs: Any) -> Any:
            if is_tracing():
                raise TypeError(
                    "`assert_traces_at_most` cannot count below `jit`, inside a trace: put it "
                    f"above, as in `assert_traces_at_most({self.most})(jax.jit({name_of(f)}))`"
                )
            with TracesAtMost(self.most):
                return f(*args, **kwargs)

        return limited


def _traces_of(watched: Watched, f: Callable[..., Any]) -> list[Trace]:
    """Return the traces of `f` under `watch`, each as if it was called where the last one was."""
    inner = unwrap(f)
    code = getattr(inner, "__code__", getattr(code_behind(inner), "__code__", None))
    own = (frame for frame in frames_now() if not is_library_code(frame.f_code))
    caller = next(own, None)
    called = caller and place_at(caller.f_code.co_filename, caller.f_lineno, "called here")
    place = place_of_definition(code.co_filename, code.co_firstlineno) if code else called
    return [
        Trace(watched.__name__, place or Place("", 0, ""), _reason(each.why), each.why, called)
        for each in watched.calls
        if each.outcome == TRACED
    ]


def _reason(why: str) -> str:
    """Return the first reason in the words of a watched call."""
    return why.partition(":")[0]


def _failure(name: str, found: Found) -> AssertionError:
    finding = found.finding
    own = replace(finding, read=f"field guide, {finding.code}")
    headline, *rest = own.lines(file_of=_file)
    return AssertionError("\n".join([f"{name}: {headline}  [{finding.code}]", *rest]))


def _file(place: Place) -> str:
    """Return the path of a place's file from where the tests run; that of a cell says nothing."""
    file = Path(place.file)
    if not file.is_file():
        return ""
    return os.path.relpath(file) if file.is_relative_to(Path.cwd()) else str(file)
