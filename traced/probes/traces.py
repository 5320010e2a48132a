"""See when JAX traces a function, and why it did so again."""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from traced.probes.internals.traces import cache_misses
from traced.probes.places import Place, is_library, place_at, place_of_definition
from traced.probes.signatures import Change, type_reason

#: Every reason that a trace can have.
REASONS = (
    "first call", "new function", "shape", "dtype", "weak type", "structure", "static value",
    "keyword", "configuration", "unknown",
)  # fmt: skip


@dataclass(frozen=True)
class Trace:
    """One trace that JAX made: of which function, where it is defined, and why.

    `reason` is one of `REASONS`; `detail` says what differs from the closest earlier trace.
    `called` is the place of the call, None where a library made it. `nested` says whether another
    function was being traced at the time, as for the branches of a `cond`.
    """

    function: str
    place: Place
    reason: str
    detail: str
    called: Place | None = None
    nested: bool = False


@contextlib.contextmanager
def record_traces() -> Iterator[list[Trace]]:
    """Record each trace that JAX makes, inside the `with` block, of a function outside libraries.

    The reasons come from `jax.explain_cache_misses`, whose words are put into those of `REASONS`.

    >>> import jax
    >>> f = jax.jit(lambda x: 2 * x)
    >>> with record_traces() as traces:
    ...     _ = f(1.0), f(2.0), f(3)
    >>> [(each.reason, each.detail) for each in traces]
    [('first call', ''), ('dtype', 'dtype: x is i32[], was f32[]')]
    """
    traces: list[Trace] = []
    with cache_misses() as texts:
        try:
            yield traces
        finally:
            seen: set[tuple[str, int]] = set()
            for text, nested in texts:
                traces.extend(_parse(text, nested, seen))


def _parse(text: str, nested: bool, seen: set[tuple[str, int]]) -> Iterator[Trace]:
    found = re.search(r"^\s+(?:for )?(\S+)\s.*defined at (.+):(\d+)$", text, re.MULTILINE)
    if found is None or is_library(found[2]):
        return
    place = place_of_definition(found[2], int(found[3]))
    again = (place.file, place.line) in seen
    seen.add((place.file, place.line))
    reason, detail = _reason(text, again)
    yield Trace(found[1], place, reason, detail, _called(text), nested)


def _called(text: str) -> Place | None:
    found = re.match(r"TRACING CACHE MISS at (.+):(\d+):\d+ \(", text)
    if found is None or is_library(found[1]):
        return None
    return place_at(found[1], int(found[2]), "called here")


def _reason(text: str, again: bool) -> tuple[str, str]:
    if "never seen function" in text:
        return ("new function", "") if again else ("first call", "")
    if "different input types" in text:
        return _types(text)
    if found := re.search(r"\* (\w+) differs: now (.+) and before (.+)", text):
        return "configuration", str(Change("configuration", *found.groups()))
    if "Static(val=" in text or "explanation unavailable" in text:
        return "static value", ""
    if re.search(r"path \[0\], now tuple.*\n.*path \[1\], now <class 'dict'>", text):
        return "keyword", ""
    if found := re.search(r"\* at input path (.+), now (.+) and before (.+), so the", text):
        return "structure", str(Change("structure", f"the tree at {found[1]}", found[2], found[3]))
    return "unknown", ""


# What follows the brackets is about devices and weak types: `f32[3]({}){weak_type=True}`.
TYPES = re.compile(r"\* at (.+), now (\w+\[.*?\])(\S*) and before (\w+\[.*?\])(\S*)")


def _types(text: str) -> tuple[str, str]:
    changes = [
        Change(type_reason(_weak(*now), _weak(*old)), name, _weak(*now), _weak(*old))
        for name, *types in TYPES.findall(text)
        for now, old in [(types[:2], types[2:])]
    ]
    return (changes[0].reason, "; ".join(map(str, changes))) if changes else ("unknown", "")


def _weak(described: str, rest: str) -> str:
    return ("~" if "weak_type=True" in rest else "") + described
