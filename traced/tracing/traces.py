"""See when JAX traces a function, and why it did so again."""

import contextlib
import functools
import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import CodeType, FrameType
from typing import Any

import jax
import numpy as np

from traced.internals.cache_misses import record_cache_misses
from traced.internals.canary import canary, run_as_readers
from traced.internals.trace_requests import TraceRequest, see_trace_requests
from traced.python.calls import code_behind, name_of
from traced.python.places import (
    Place,
    is_library,
    is_library_code,
    is_of_package,
    place_at,
    place_of_definition,
)
from traced.python.values import type_reason
from traced.tracing.signatures import Change


@dataclass(frozen=True)
class Trace:
    """One trace that JAX made: of which function, where it is defined, and why.

    `reason` is `first call`, `new function`, `shape`, `dtype`, `weak type`, `structure`,
    `static value`, `keyword`, `configuration` or `unknown`; `detail` says what differs from the
    closest earlier trace.
    `called` is the place of the call, None where a library made it. `nested` says whether another
    function was being traced at the time, as for the branches of a `cond`.
    `role` counts the functions from this place that one run of the calling code had traced: two
    lambdas on one line are 0 and 1, and what is made anew in the next run is 0 again.
    """

    function: str
    place: Place
    reason: str
    detail: str
    called: Place | None = None
    nested: bool = False
    role: int = 0


#: Two calls of a new function, whose second trace has a reason of its own, for each of the reasons.
CALLS = """
def run(fresh, jit, pairs, precision, ref):
    for before, after in pairs:
        f = fresh(lambda x, n=2: x)
        f.trace(*before)
        f.trace(*after)
    f.trace(x=1)
    jit(lambda x: f(x)).trace(2.0)
    with precision("float32"):
        f.trace(1)
    jit(lambda: ref.__setitem__(..., 1.0)).lower()
"""
WHY = (
    ("first call", 4), ("shape", 4), ("new function", 4), ("dtype", 4), ("new function", 4),
    ("weak type", 4), ("new function", 4), ("static value", 4), ("new function", 4),
    ("structure", 4), ("keyword", 4), ("first call", 8), ("structure", 4), ("configuration", 4),
    ("first call", 11),
)  # fmt: skip  # a row for each trace: its reason, and the line of the function


@canary("when JAX traces a function, and why")
def recorded_traces() -> bool:
    """Return whether JAX says of some traces, whose reasons are known, what it said of them."""
    f32, i32, longer = (np.ones(n, kind) for n, kind in ((2, "f4"), (2, "i4"), (3, "f4")))
    pairs = [
        ((f32,), (longer,)), ((f32,), (i32,)), ((1,), (np.int32(1),)),
        ((1, 2), (1, 3)), ((1,), ((1,),)),
    ]  # fmt: skip  # each pair is the two calls of one function
    with record_traces() as traces:
        fresh = functools.partial(jax.jit, static_argnums=1)
        run = run_as_readers(CALLS)["run"]
        run(fresh, jax.jit, pairs, jax.default_matmul_precision, jax.new_ref(0.0))
    found = tuple((each.reason, each.place.line) for each in traces)
    details = [each.detail for each in traces]
    return (
        found == WHY
        and details[1] == "shape: x is f32[3], was f32[2]"
        and [each.nested for each in traces] == [False] * 12 + [True, False, False]
    )


@recorded_traces.guards
@contextlib.contextmanager
def record_traces(run: Callable[..., Any] | None = None) -> Iterator[list[Trace]]:
    """Record each trace that JAX makes, inside the `with` block, of a function outside libraries.

    The roles are those in each call of the reader's code that ours makes, or that `run` does.

    A function of a library or of this package counts if the reader put it under `jit` and called
    it: its place is that of the call, and its reason `first call` where it is the first one in the
    block.
    The reasons come from `jax.explain_cache_misses`, whose words are put into ours.

    >>> import jax
    >>> f = jax.jit(lambda x: 2 * x)
    >>> with record_traces() as traces:
    ...     _ = f(1.0), f(2.0), f(3)
    >>> [(each.reason, each.detail) for each in traces]
    [('first call', ''), ('dtype', 'dtype: x is i32[], was f32[]')]
    """
    traces: list[Trace] = []
    libraries: dict[int, tuple[Any, list[TraceRequest]]] = {}
    with record_cache_misses() as texts:
        # Both are in one list, since a trace has its place in the order.
        told: list[tuple[str | Trace, bool]] = texts  # type: ignore[assignment]  # it is ours alone

        roles = _Roles(run)

        def note(request: TraceRequest) -> None:
            trace = _untold(request, libraries)
            roles.note(request, trace)
            if trace:
                told.append((trace, trace.nested))

        try:
            with see_trace_requests(note):
                yield traces
        finally:
            seen: set[tuple[str, int]] = set()
            for each, nested in told:
                own = [each] if isinstance(each, Trace) else _parse(each, nested, seen, roles.names)
                traces.extend(own)
            traces[:] = list(roles.given_to(traces))


class _Roles:
    """Which of the functions from one place was traced, in the order in which a call has them.

    JAX's log tells the place of a function and not the function, which the requests have.
    """

    def __init__(self, run: Callable[..., Any] | None) -> None:
        self.run = set(_codes_of(run))
        self.of: dict[int, int] = {}
        self.in_turn: dict[tuple[Place, str], list[int]] = {}
        self.in_call: Counter[tuple[int, Place, str]] = Counter()
        # Held on to, since the number of what is gone would go to another one.
        self.held: list[Any] = []
        self.names: dict[Place, tuple[str, ...]] = {}  # of the arguments of what is defined there

    def note(self, request: TraceRequest, untold: Trace | None) -> None:
        code = _code_of(request.function)
        # Flax puts an object of its own around a function, which JAX's log looks through.
        if own := getattr(inspect.unwrap(request.function), "__code__", None):
            place = place_of_definition(own.co_filename, own.co_firstlineno)
            self.names[place] = own.co_varnames[: own.co_argcount]
        if untold:
            at = untold.place, untold.function
        elif request.is_new and code is not None and not is_library_code(code):
            place = place_of_definition(code.co_filename, code.co_firstlineno)
            at = place, name_of(request.function)
        else:
            return
        if (number := id(request.function)) not in self.of:
            call = self._call_of_reader(request.called)
            self.of[number] = self.in_call[id(call), *at]
            self.in_call[id(call), *at] += 1
            self.held += [request.function, call]
        self.in_turn.setdefault(at, []).append(self.of[number])

    def _call_of_reader(self, frame: FrameType | None) -> FrameType | None:
        """Return the outermost frame of the reader's code inside of ours, or inside of `run`."""
        call = None
        while frame and not self._calls_the_reader(frame.f_code):
            call = frame if not is_library_code(frame.f_code) else call
            frame = frame.f_back
        return call

    def _calls_the_reader(self, code: CodeType) -> bool:
        return code in self.run or is_of_package(code.co_filename)

    def given_to(self, traces: list[Trace]) -> Iterator[Trace]:
        """Yield the traces with their roles; where they are not as many as the requests, as is."""
        count = Counter((each.place, each.function) for each in traces)
        turns = {at: iter(roles) for at, roles in self.in_turn.items() if len(roles) == count[at]}
        for each in traces:
            at = each.place, each.function
            yield replace(each, role=next(turns[at])) if at in turns else each


def _code_of(f: Any) -> CodeType | None:
    """Return the code behind what is under `jit`, if it has any of Python's."""
    # Flax puts an object of its own around a function, and what is inside may be one, too.
    return getattr(inspect.unwrap(code_behind(inspect.unwrap(f))), "__code__", None)


def _codes_of(f: Callable[..., Any] | None) -> Iterator[CodeType]:
    """Yield the code of a function, and that of the functions and comprehensions inside it."""
    code = getattr(f, "__code__", None)
    if code is not None:
        yield from (code, *(each for each in code.co_consts if isinstance(each, CodeType)))


def _untold(
    request: TraceRequest, earlier: dict[int, tuple[Any, list[TraceRequest]]]
) -> Trace | None:
    """Return the trace of what the reader put under `jit` and called, where JAX's log is silent.

    That is so of a function of a library or of ours, and of an object that can be called.
    """
    f, called = request.function, _around_flax(request)
    by_check = called is not None and is_of_package(called.f_code.co_filename)
    if not request.is_new or called is None or (is_library_code(called.f_code) and not by_check):
        return None
    code = _code_of(f)
    # What we put under `jit` and call ourselves is none of the reader's.
    if by_check and code is not None and is_of_package(code.co_filename):
        return None
    is_own = code is not None and not is_library_code(code)
    is_told = hasattr(inspect.unwrap(f.func if isinstance(f, functools.partial) else f), "__code__")
    if (is_own and is_told) or _is_jitted_at_home(f):
        return None
    # Held on to, since the number of a function that is gone would go to another one.
    _, before = earlier.setdefault(id(f), (f, []))
    changes = [_changes(request, each) for each in before]
    before.append(request)
    nearest = min(changes, key=len, default=[])
    call = place_at(called.f_code.co_filename, called.f_lineno, "called here")
    file, line = (code.co_filename, code.co_firstlineno) if code else ("", 0)
    # A library's function has no line of the reader's but that of the call.
    at_call = not is_own and not by_check
    place = replace(call, note="") if at_call else place_of_definition(file, line)
    others = [other for other, _ in earlier.values() if other is not f]
    is_anew = any(_code_of(other) is code for other in others)
    first = "new function" if is_anew and not is_own else "first call"
    reason = nearest[0].reason if nearest else "unknown" if changes else first
    detail = "; ".join(map(str, nearest))
    return Trace(name_of(f), place, reason, detail, None if by_check else call)


def _around_flax(request: TraceRequest) -> FrameType | None:
    """Return the frame that called the function under `jit`, also where that is `nnx.jit`."""
    frame = request.called
    while _is_of_flax(request.function) and frame and _module_of(frame).startswith("flax."):
        frame = frame.f_back
    return frame


def _is_of_flax(f: Any) -> bool:
    """Return whether `nnx.jit` put an object of its own around a function."""
    return type(f).__module__.startswith("flax.nnx.transforms.")


def _module_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _is_jitted_at_home(f: Any) -> bool:
    """Return whether a library or a lesson has its own function under `jit`, as `jax.numpy` has."""
    home: Any = sys.modules.get(getattr(f, "__module__", None) or "")
    for name in getattr(f, "__qualname__", "").split("."):
        home = getattr(home, name, None)
    inside = inspect.unwrap(f) if _is_of_flax(f) else f
    return hasattr(home, "lower") and getattr(home, "__wrapped__", None) is inside


def _changes(now: TraceRequest, before: TraceRequest) -> list[Change]:
    pairs = zip(now.types, before.types, strict=False)
    texts = [(name, _short(kind), _short(old)) for (name, kind), (_, old) in pairs]
    found = [
        Change(type_reason(kind, old), name, kind, old) for name, kind, old in texts if kind != old
    ]
    if len(now.types) != len(before.types):
        sizes = (f"{len(each.types)} leaves" for each in (now, before))
        return [Change("structure", "the tree", *sizes)]
    return found


def _short(aval: Any) -> str:
    return f"{'~' if aval.weak_type else ''}{aval.str_short(short_dtypes=True)}"


def _parse(
    text: str, nested: bool, seen: set[tuple[str, int]], names: Mapping[Place, tuple[str, ...]]
) -> Iterator[Trace]:
    found = re.search(r"^\s+(?:for )?(\S+)\s.*defined at (.+):(\d+)$", text, re.MULTILINE)
    if found is None or is_library(found[2]):
        return
    place = place_of_definition(found[2], int(found[3]))
    again = (place.file, place.line) in seen
    seen.add((place.file, place.line))
    reason, detail = _reason(text, again, names.get(place, ()))
    yield Trace(found[1], place, reason, detail, _called(text), nested)


def _called(text: str) -> Place | None:
    found = re.match(r"TRACING CACHE MISS at (.+):(\d+):\d+ \(", text)
    if found is None or is_library(found[1]):
        return None
    return place_at(found[1], int(found[2]), "called here")


def _reason(text: str, again: bool, arguments: tuple[str, ...]) -> tuple[str, str]:
    if "never seen function" in text:
        return ("new function", "") if again else ("first call", "")
    if "different input types" in text:
        return _types(text)
    if found := re.search(r"\* (\w+) differs: now (.+) and before (.+)", text):
        return "configuration", str(Change("configuration", *found.groups()))
    if "Static(val=" in text or "explanation unavailable" in text:
        return "static value", ""
    if re.search(r"path \[0\], now tuple.*\n.*path \[1\], now <class 'dict'>", text):
        names = re.search(r"key sets[^{]*\{(.+?)\}", text)
        return "keyword", f"{_listed(names[1])} by keyword in one call only" if names else ""
    if found := STRUCTURES.search(text):
        path, *sides = found.groups()
        name = _argument_at(path, arguments)
        for entry in _differing_attributes(*sides):
            return "static value", str(Change("static value", f"{name}.{entry[0]}", *entry[1:]))
        kinds = [CLASS.sub(r"\1", side.partition(" with pytree metadata")[0]) for side in sides]
        return "structure", str(Change("structure", name, *kinds))
    return "unknown", ""


# `* at input path [0][1]['a'], now <class 'tuple'> and before pytree leaf, so their Python types
# differ`. Metadata, such as the graphdef of an NNX module, goes over many lines.
STRUCTURES = re.compile(r"\* at input path (.+?), now (.+?) and before (.+?), so the", re.DOTALL)
CLASS = re.compile(r"<class '(?:\w+\.)*(\w+)'>")
# `('deterministic', Static(value=True))` in the graphdef of an NNX module.
ATTRIBUTE = re.compile(r"\('(\w+)', Static\(value=([^(){}]*)\)\)")


def _argument_at(path: str, arguments: tuple[str, ...]) -> str:
    """Return what lies at a path that begins with the positional arguments and one of them."""
    found = re.fullmatch(r"\[0\]\[(\d+)\](.*?)(?:\._graphdef)?", path)
    if found is None or int(found[1]) >= len(arguments):
        return f"the tree at {path}"
    return arguments[int(found[1])] + found[2]


def _differing_attributes(now: str, before: str) -> Iterator[tuple[str, str, str]]:
    pairs = [ATTRIBUTE.findall(side) for side in (now, before)]
    for (name, value), (other, old) in zip(*pairs, strict=False):
        if name == other and value != old:
            yield name, value, old


def _listed(names: str) -> str:
    return ", ".join(re.findall(r"'(\w+)'", names))


# What follows the brackets is about meshes and weak types: `f32[3@i]({Explicit: ('i',)})` and
# `f32[]({}){weak_type=True}`.
TYPES = re.compile(r"\* at (.+), now (\w+\[.*?\])(.*?) and before (\w+\[.*?\])(.*)")


def _types(text: str) -> tuple[str, str]:
    changes = [
        Change(type_reason(_weak(*now), _weak(*old)), name, _weak(*now), _weak(*old))
        for name, *types in TYPES.findall(text)
        for now, old in [(types[:2], types[2:])]
    ]
    return (changes[0].reason, "; ".join(map(str, changes))) if changes else ("unknown", "")


def _weak(described: str, rest: str) -> str:
    return ("~" if "weak_type=True" in rest else "") + described
