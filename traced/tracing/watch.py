"""A jitted function that remembers its calls: traced or cached, and why."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import update_wrapper
from inspect import ismethod
from itertools import groupby
from time import perf_counter
from types import MethodType, NoneType
from typing import Any

import jax

from traced.drawing.outline import ALIKE
from traced.drawing.picture import Picture
from traced.drawing.timeline import Event, timeline
from traced.internals.cache_misses import is_tracing
from traced.internals.canary import CouldNotTell
from traced.internals.compilations import see_compilations, see_stages
from traced.internals.frames import frames_now
from traced.internals.trace_requests import TraceRequest, kept_trace, see_trace_requests
from traced.programs.jaxprs import jitted, naming_no_arrays
from traced.python.calls import name_of
from traced.python.places import is_library
from traced.python.values import Bare, PyTree, describe, one_line, shortened
from traced.pytrees.nodes import is_node
from traced.tracing.signatures import Change, Signature, arguments_of, with_static

MOST = 60  # rows shown
WIDEST = 300  # characters of a call

#: What is shown as it reads.
SHORT = (str, bytes, int, float, complex, frozenset, set, NoneType, Enum)


#: What can become of a call.
TRACED, CACHED, COMPILED, AGAIN = "traced", "cached", "compiled", "compiled again"
PLAIN, RAISED, UNSEEN = "not jitted", "raised", "could not tell"


@dataclass(frozen=True)
class StageSeconds:
    """Seconds that one call took: for tracing, for compiling, and for all the rest of it."""

    trace: float
    compile: float
    run: float


@dataclass(frozen=True)
class WatchedCall:
    """One call: how it reads, what `jit` looked at, what became of it, and why.

    `outcome` is `traced`, `cached`, `compiled`, where the trace was there before the first call of
    its own, `compiled again`, for another device or sharding, `not jitted`, `raised` or
    `could not tell`. `nested` says whether it was a part of another trace. `seconds` are there
    for a call that was not, and whose result was waited for.
    """

    text: str
    signature: Signature
    outcome: str
    why: str = ""
    nested: bool = False
    seconds: "StageSeconds | None" = None

    @property
    def reason(self) -> str | None:
        """Why it was traced, None if it was not."""
        return self.why if self.outcome == TRACED else None


class Watched:
    """A jitted function that records its calls; made by `watch`."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self._jitted = _jitted(f)
        self._function = None if self._jitted is f else f
        # What a callable object has for attributes is no concern of this one.
        update_wrapper(self, f, updated=())
        self.__name__ = name_of(f)
        self.calls: list[WatchedCall] = []
        self._kept: dict[int, Any] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # The call may change its arguments, and give away what they hold.
        kept_args, kept_kwargs = _copied(args), _copied(kwargs)
        text = self._text(args, kwargs)
        signature = arguments_of(self._jitted, args, kwargs)
        work = _Work(self.__name__)
        try:
            with work.seen(), self._naming(args, kwargs):
                out = work.timed(lambda: self._jitted(*args, **kwargs))
        except BaseException as error:
            self.calls.append(WatchedCall(text, signature, RAISED, type(error).__name__))
            raise
        self.calls.append(self._call(text, signature, work, kept_args, kept_kwargs))
        return out

    def _naming(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> contextlib.AbstractContextManager[None]:
        """Name an argument that is no array, unless the function has static ones of its own."""
        if self._function is None:
            return contextlib.nullcontext()
        return naming_no_arrays(self._function, args, kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    @property
    def traces(self) -> int:
        """How many of the calls were traced; raises `CouldNotTell` where that is not known."""
        if any(call.outcome == UNSEEN for call in self.calls):
            raise CouldNotTell("whether `jit` traced a call")
        return sum(call.outcome == TRACED for call in self.calls)

    def _call(
        self, text: str, now: Signature, work: "_Work", args: tuple[Any, ...], kwargs: Any
    ) -> WatchedCall:
        config: Any = jax.config  # whose types name some settings only
        if config.jax_disable_jit:
            return WatchedCall(text, now, PLAIN, "jax_disable_jit is set")
        try:
            work.require()
            kept = kept_trace(self._jitted, args, kwargs)
        except Exception as error:
            why = str(error) if isinstance(error, CouldNotTell) else type(error).__name__
            return WatchedCall(text, now, UNSEEN, why)
        now, is_first = with_static(now, kept), id(kept.jaxpr) not in self._kept
        self._kept[id(kept.jaxpr)] = kept.jaxpr
        outcome, why = self._outcome(now, work, is_first)
        return WatchedCall(text, now, outcome, why, work.nested, work.seconds)

    def _outcome(self, now: Signature, work: "_Work", is_first: bool) -> tuple[str, str]:
        # Of what is traced inside another trace JAX tells nothing.
        if work.traced or (work.nested and is_first):
            return TRACED, self._why(now)
        if not work.compiled:
            return CACHED, ""
        if all(call.nested for call in self._earlier()):
            return COMPILED, "its trace was made before"
        return AGAIN, self._moved(now) or "not for its arguments"

    def _why(self, now: Signature) -> str:
        earlier = [call.signature for call in self._earlier()]
        if not earlier:
            return "first call"
        differences: list[list[Change]] = [now.changes(old) or now.moves(old) for old in earlier]
        changes: list[Change] = min(differences, key=len)
        return "; ".join(map(str, changes)) or "JAX has not kept the earlier trace"

    def _moved(self, now: Signature) -> str:
        moves: list[list[Change]] = [now.moves(call.signature) for call in self._earlier()]
        least: list[Change] = min(moves, key=len, default=[])
        return "; ".join(map(str, least))

    def _earlier(self) -> list[WatchedCall]:
        """Return the earlier calls for which there was a trace, the last one first."""
        known = TRACED, CACHED, COMPILED, AGAIN
        return [call for call in reversed(self.calls) if call.outcome in known]

    def _text(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
        passed = [_typed(arg) for arg in args]
        passed += [f"{name}={_typed(arg)}" for name, arg in kwargs.items()]
        return shortened(f"{self.__name__}({', '.join(passed)})", WIDEST)

    def _picture(self) -> Picture:
        runs = groupby(self.calls, key=lambda call: (call.text, call.outcome, call.why))
        events = [event for key, run in runs for event in _events(*key, run)]
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


def is_under_jit(f: object) -> bool:
    """Return whether `f` is what `jax.jit` or `nnx.jit` returns.

    >>> is_under_jit(jax.jit(abs)), is_under_jit(abs)
    (True, False)
    """
    has_own = all(hasattr(f, name) for name in ("trace", "lower", "eval_shape"))
    return has_own and not ismethod(f)


def _jitted(f: Callable[..., Any]) -> Any:
    # What `nnx.jit` returns writes to its modules, which another `jit` around it would forbid.
    return f if is_under_jit(f) else jitted(f)


class _Work:
    """What JAX does for a call itself, and not for the Python that the call runs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.traced = self.compiled = False
        self.nested = is_tracing()
        self.unseen: CouldNotTell | None = None
        self.is_timed = False
        self.stages: list[tuple[str, float]] = []
        self.seconds: StageSeconds | None = None

    def timed(self, call: Callable[[], Any]) -> Any:
        """Return the result of the call, and keep how long each of its stages took."""
        start = perf_counter()
        out = call()
        if self.is_timed and not self.nested:
            jax.block_until_ready(out)  # type: ignore[no-untyped-call]  # JAX gives it no types
            whole = perf_counter() - start
            # What a function calls is traced within its own trace, and compiled with it.
            traces = [seconds for stage, seconds in self.stages if stage == "trace"]
            compiling = sum(seconds for stage, seconds in self.stages if stage == "compile")
            tracing = max(traces, default=0.0)
            self.seconds = StageSeconds(tracing, compiling, max(whole - tracing - compiling, 0.0))
        return out

    @contextlib.contextmanager
    def seen(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(see_trace_requests(self._ask))
                stack.enter_context(see_compilations(self._compile))
            except CouldNotTell as error:
                self.unseen = error
            with contextlib.suppress(CouldNotTell):
                stack.enter_context(see_stages(lambda *stage: self.stages.append(stage)))
                self.is_timed = True
            yield

    def require(self) -> None:
        """Raise `CouldNotTell` where that could not be seen."""
        if self.unseen:
            raise self.unseen

    def _ask(self, request: TraceRequest) -> None:
        self.traced = self.traced or (request.is_new and self._is_own())

    def _compile(self, name: str) -> None:
        self.compiled = self.compiled or self._is_own()

    def _is_own(self) -> bool:
        """Return whether no Python but JAX's and Flax's runs between the call and here."""
        # A callback that calls a jitted function has that compiled while this one runs.
        for frame in frames_now():
            if frame.f_code is Watched.__call__.__code__:
                return True
            if not is_library(frame.f_code.co_filename):
                return False
        return False


def _events(text: str, outcome: str, why: str, run: Iterable[WatchedCall]) -> list[Event]:
    """Return a row for each call, or one for many cached calls that read the same."""
    count = len(list(run))
    if outcome == CACHED and count >= ALIKE:
        return [Event((text, f"{CACHED}, {count} times", ""), False)]
    return [Event((text, outcome, why), outcome not in (CACHED, PLAIN))] * count


def _copied(tree: PyTree) -> PyTree:
    """Return the same leaves in other lists, tuples and dictionaries."""
    containers = list, tuple, dict
    return jax.tree.map(lambda x: x, tree, is_leaf=lambda x: not isinstance(x, containers))


def _typed(value: PyTree) -> str:
    """Describe arrays by type, and leave plain values and short objects as they are."""
    return one_line(jax.tree.map(_bare, value, is_leaf=_is_object))


def _is_object(value: object) -> bool:
    return is_node(value) and not isinstance(value, (list, tuple, dict, NoneType))


def _bare(value: object) -> Bare:
    if _is_object(value):
        return Bare(_text_of_object(value))
    if hasattr(value, "dtype"):
        return Bare(describe(value))
    if isinstance(value, SHORT):
        return Bare(shortened(repr(value), MOST))
    if callable(value) and isinstance(name := getattr(value, "__qualname__", None), str):
        return Bare(name.rpartition(".")[2])
    return Bare(type(value).__name__)


def _text_of_object(thing: PyTree) -> str:
    """Return an object's own text with types in place of arrays, or its class if that is long."""
    try:
        leaves, structure = jax.tree.flatten(thing)
        text = repr(jax.tree.unflatten(structure, map(_bare, leaves)))
    except Exception:  # an object of a class that does not take texts
        text = "\n"
    is_short = len(text) <= MOST and "\n" not in text and " at 0x" not in text
    return text if is_short else type(thing).__name__


def watch(f: Callable[..., Any]) -> Watched:
    """Return `f`, jitted if it was not, as a function that remembers its calls.

    Display it to see each call, traced or cached, with the reason of each trace. Four or more
    cached calls in a row that read the same become one.
    Raises `TypeError` if `f` is not callable, and in a call with the name of an argument, or of a
    leaf of one, that JAX cannot trace.

    >>> double = watch(lambda x: 2 * x)
    >>> _ = double(1.0), double(2.0), double(3)
    >>> double
    call           outcome  why
    <lambda>(1.0)  traced   first call
    <lambda>(2.0)  cached
    <lambda>(3)    traced   dtype: x is ~i32[], was ~f32[]
    """
    return Watched(f)
