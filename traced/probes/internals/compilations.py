"""What seeing a compilation takes that is not public JAX API, with its reason.

- The name of the event that JAX records for each compilation: `jax.monitoring` is public, and what
  its events are called is not documented.
"""

import contextlib
from collections.abc import Callable, Iterator

import jax

EVENT = "/jax/core/compile/backend_compile_duration"


@contextlib.contextmanager
def compilations(note: Callable[[str], None]) -> Iterator[None]:
    """Call `note` with the name of each function that is compiled inside the `with` block."""

    def listen(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event == EVENT:
            note(str(kwargs.get("fun_name", "")))

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
