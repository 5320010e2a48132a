"""The compilations that XLA makes, and how long each stage of a call takes.

- The names of the events that JAX records: `jax.monitoring` is public, and what its events are
  called is not documented.
"""

import contextlib
from collections.abc import Callable, Iterator

import jax

from traced.internals.canary import canary, is_watching

_EVENT = "/jax/core/compile/backend_compile_duration"
#: Compiling begins with the translation into StableHLO.
_STAGES = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "compile",
    _EVENT: "compile",
}


@canary("what XLA compiles")
def _compiles() -> bool:
    """Compile a function that has a name, and hear of it."""
    names: list[str] = []
    with see_compilations(names.append):
        jax.jit(lambda x: x).lower(1.0).compile()
    return names == ["jit(<lambda>)"] or names == ["<lambda>"]


@_compiles.guards
@contextlib.contextmanager
def see_compilations(note: Callable[[str], None]) -> Iterator[None]:
    """Call `note` with the name of each function that is compiled inside the `with` block."""
    with hearing(_EVENT, note):
        yield


@canary("how long tracing and compiling take")
def _takes_time() -> bool:
    """Trace, translate and compile a function, and hear of each."""
    stages: list[str] = []
    with see_stages(lambda stage, seconds: stages.append(stage)):
        jax.jit(lambda x: x).lower(1.0).compile()
    return stages == ["trace", "compile", "compile"]


@_takes_time.guards
@contextlib.contextmanager
def see_stages(note: Callable[[str, float], None]) -> Iterator[None]:
    """Call `note` with `trace` or `compile` and the seconds of each, inside the `with` block."""

    def listen(event: str, seconds: float, _: str) -> None:
        if event in _STAGES:
            note(_STAGES[event], seconds)

    with _listening(listen):
        yield


@contextlib.contextmanager
def hearing(wanted: str, note: Callable[[str], None]) -> Iterator[None]:
    """Call `note` with the name of the function of each event, other than those of canaries."""

    def listen(event: str, _: float, name: str) -> None:
        if event == wanted:
            note(name)

    with _listening(listen):
        yield


@contextlib.contextmanager
def _listening(note: Callable[[str, float, str], None]) -> Iterator[None]:
    of_a_canary = is_watching()

    def listen(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if is_watching() == of_a_canary:
            note(event, duration_secs, str(kwargs.get("fun_name", "")))

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
