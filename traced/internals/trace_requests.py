"""The traces that `jit` looks for: each is made, or found among those that JAX keeps.

- The name of the event that JAX records when it has looked: `jax.monitoring` is public, and what
  its events are called is not documented.
- `fun`, `dbg` and `jaxpr`, locals of the frame that looks: JAX tells the name of the function only.
  A jaxpr that was made now has the names of the arguments of this call, and one that was found has
  those of another call, which are equal and not the same. One that holds arrays has copies of them
  in any case: it is taken for a new one when it is met for the first time.
- That `f.trace(...)`, which is public, gives one and the same jaxpr for as long as JAX keeps it.
"""

import contextlib
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import jax
import numpy as np

from traced.internals.canary import canary
from traced.internals.compilations import hearing
from traced.internals.frames import frames_now

_EVENT = "/jax/core/compile/jaxpr_trace_duration"

#: The jaxprs that hold arrays, and were met before.
_MET: weakref.WeakSet[Any] = weakref.WeakSet()


@dataclass(frozen=True)
class TraceRequest:
    """A function under `jit` that a trace was looked for: was it made, and by whom was it called.

    `called` is the frame that called the function under `jit`, and `types` has those of its
    arguments, by name.
    """

    function: Any
    is_new: bool
    called: FrameType | None
    types: tuple[tuple[str, Any], ...] = ()


@canary("whether `jit` traced a call")
def _is_heard() -> bool:
    """Hear of a first call, of one with another type, of one that is kept, and of no other."""
    requests: list[TraceRequest] = []

    def same(x: Any) -> Any:
        return x

    f, held = jax.jit(same), jax.device_put(np.ones(2))
    with see_trace_requests(requests.append):
        counts = [(f(x), len(requests))[1] for x in (1.0, 2.0, 3)]
        jax.jit(same, donate_argnums=0).trace(3)
        jax.jit(lambda: held + held).trace()
    first, again, other = (kept_trace(f, (x,), {}).jaxpr for x in (1.0, 2.0, 3))
    return (
        counts == [1, 1, 2]
        and [each.is_new for each in requests] == [True, True, False, True]
        and all(each.function is same for each in requests[:-1])
        and all(each.called and each.called.f_code.co_filename == __file__ for each in requests)
        and first is again is not other
        and [(name, str(kind.dtype)) for name, kind in requests[1].types] == [("x", "int32")]
    )


@_is_heard.guards
@contextlib.contextmanager
def see_trace_requests(note: Callable[[TraceRequest], None]) -> Iterator[None]:
    """Call `note` with each trace that is looked for inside the `with` block.

    A call that the compiled code answers by itself is not heard of, nor is one in another trace.
    """
    with hearing(_EVENT, lambda _: note(_request())):
        yield


def _request() -> TraceRequest:
    frames = list(frames_now())
    at = next(i for i, each in enumerate(frames) if {"fun", "dbg"}.issubset(each.f_locals))
    found = frames[at].f_locals
    jaxpr, own = found.get("jaxpr"), frames[at].f_code
    # A function that raised while it was traced has no jaxpr.
    is_new = jaxpr is None or _is_of(jaxpr, found["dbg"])
    names = found["dbg"].arg_names or ()
    # Arrays that a jaxpr holds may stand before its inputs.
    avals = [var.aval for var in getattr(jaxpr, "jaxpr", jaxpr).invars] if jaxpr else []
    types = zip(names, avals[len(avals) - len(names) :], strict=False)
    return TraceRequest(found["fun"], is_new, _caller(frames[at:], own), tuple(types))


def _is_of(jaxpr: Any, names: Any) -> bool:
    if jaxpr.debug_info.arg_names is names.arg_names:
        return True
    is_met = jaxpr in _MET
    _MET.add(jaxpr)
    return bool(jaxpr.consts) and not is_met


def _caller(frames: list[FrameType], own: CodeType) -> FrameType | None:
    # Around its functions JAX has one that tidies tracebacks, in another file.
    boundary: Any = jax.jit(abs).trace
    inside = own.co_filename, boundary.__func__.__code__.co_filename
    return next((each for each in frames if each.f_code.co_filename not in inside), None)


@_is_heard.guards
def kept_trace(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what JAX keeps of the call `f(*args, **kwargs)`: its jaxpr is one object.

    `f` is a function under `jax.jit` or `nnx.jit`. Where JAX keeps no trace, it makes one.
    """
    kept = f.trace(*args, **kwargs)
    return getattr(kept, "traced", kept)  # that of `nnx.jit` holds the one of `jax.jit`
