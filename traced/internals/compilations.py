"""The compilations that XLA makes.

- The name of the event that JAX records for each compilation: `jax.monitoring` is public, and what
  its events are called is not documented.
"""

import contextlib
from collections.abc import Callable, Iterator

import jax

from traced.internals.canary import canary, is_watching

_EVENT = "/jax/core/compile/backend_compile_duration"


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


@contextlib.contextmanager
def hearing(wanted: str, note: Callable[[str], None]) -> Iterator[None]:
    """Call `note` with the name of the function of each event, other than those of canaries."""
    of_a_canary = is_watching()

    def listen(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event == wanted and is_watching() == of_a_canary:
            note(str(kwargs.get("fun_name", "")))

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
