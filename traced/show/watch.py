"""A jitted function that remembers its calls: traced or cached, and why."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import update_wrapper
from itertools import groupby
from types import MethodType
from typing import Any

import jax

from traced.probes.jaxprs import jitted
from traced.probes.signatures import Bare, Signature, describe, signature_of
from traced.probes.traces import Trace, record_traces
from traced.show.outline import ALIKE
from traced.show.picture import Picture
from traced.show.timeline import Event, timeline

MOST = 60  # rows shown


@dataclass(frozen=True)
class Call:
    """One call: how it reads, what `jit` looked at, why it was traced (None if cached)."""

    text: str
    signature: Signature
    reason: str | None


class Watched:
    """A jitted function that records its calls; made by `watch`."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.calls: list[Call] = []
        self._jitted = jitted(f)
        update_wrapper(self, f)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with record_traces() as traces:
            out = self._jitted(*args, **kwargs)
        signature = signature_of(self._jitted, args, kwargs)
        # A cached function runs no Python, so the first trace of a call can only be its own.
        reason = self._reason(traces[0], signature) if traces else None
        self.calls.append(Call(self._text(args, kwargs), signature, reason))
        return out

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    @property
    def traces(self) -> int:
        """How many of the calls were traced."""
        return sum(call.reason is not None for call in self.calls)

    def _reason(self, trace: Trace, now: Signature) -> str:
        earlier = [call.signature for call in self.calls if call.reason]
        if not earlier or trace.reason == "configuration":
            return trace.detail or "first call"
        changes = min((now.changes(before) for before in reversed(earlier)), key=len)
        return "; ".join(map(str, changes)) or trace.reason

    def _text(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
        passed = [str(_brief(arg)) for arg in args]
        passed += [f"{name}={_brief(arg)}" for name, arg in kwargs.items()]
        return f"{self.__name__}({', '.join(passed)})"  # type: ignore[attr-defined]  # by update_wrapper

    def _picture(self) -> Picture:
        runs = groupby(self.calls, key=lambda call: (call.text, call.reason))
        events = [event for (text, reason), run in runs for event in _events(text, reason, run)]
        if len(events) > MOST:
            half = MOST // 2
            left = sum(event.stands_out for event in events[half:-half])
            note = Event((f"… {len(events) - MOST} rows left out", f"{left} traced", ""), False)
            events = [*events[:half], note, *events[-half:]]
        return timeline(("call", "outcome", "why"), events, "calls, traced or cached")

    def __repr__(self) -> str:
        return repr(self._picture())

    def _repr_html_(self) -> str | None:
        return self._picture()._repr_html_()


def _events(text: str, reason: str | None, run: Iterable[Call]) -> list[Event]:
    """Return a row for each call, or one for many cached calls that read the same."""
    count = len(list(run))
    if reason:
        return [Event((text, "traced", reason), True)] * count
    if count < ALIKE:
        return [Event((text, "cached", ""), False)] * count
    return [Event((text, f"cached, {count} times", ""), False)]


def _brief(value: Any) -> Any:
    """Describe arrays by type and leave plain values as they are, inside any pytree."""
    return jax.tree.map(lambda x: Bare(describe(x) if hasattr(x, "dtype") else repr(x)), value)


def watch(f: Callable[..., Any]) -> Watched:
    """Return `f`, jitted if it was not, as a function that remembers its calls.

    Display it to see each call, traced or cached, with the reason of each trace. Four or more
    cached calls in a row that read the same become one.
    Raises `TypeError` if `f` is not callable.

    >>> double = watch(lambda x: 2 * x)
    >>> _ = double(1.0), double(2.0), double(3)
    >>> double
    call           outcome  why
    <lambda>(1.0)  traced   first call
    <lambda>(2.0)  cached
    <lambda>(3)    traced   dtype: x is ~i32[], was ~f32[]
    """
    return Watched(f)
