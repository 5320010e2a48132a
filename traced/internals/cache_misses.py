"""JAX's own explanation of each trace that it makes.

- The text that `jax.explain_cache_misses` logs: JAX explains a retrace in no other form.
- Whether a trace is under way, only `jax.extend.core` tells.
"""

import contextlib
import functools
import logging
import threading
from collections.abc import Iterator
from typing import Any

import jax

# As soon as this file is: it loads Pallas, whose settings make JAX trace anew what it had traced.
from jax.extend.core import get_opaque_trace_state

from traced.internals.frames import are_refs_rewritten


class _Messages(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[tuple[str, bool]] = []
        self.outside = _trace_state()

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text.startswith("TRACING CACHE MISS") and not are_refs_rewritten():
            self.texts.append((text, _trace_state() != self.outside))


def is_tracing() -> bool:
    """Return whether a function is being traced here and now."""
    return bool(_trace_state() != _clean_state())


@functools.cache
def _clean_state() -> Any:
    # In a thread of its own no trace is under way.
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(_trace_state()))
    thread.start()
    thread.join()
    return found[0]


def _trace_state() -> Any:
    try:
        return get_opaque_trace_state()  # type: ignore[no-untyped-call]  # JAX gives it no types
    except AssertionError:
        return None  # JAX has set the trace that is under way aside, as for `shard_map` inside it


@contextlib.contextmanager
def record_cache_misses() -> Iterator[list[tuple[str, bool]]]:
    """Collect JAX's explanation of each trace made in the `with` block, and print none of them.

    Beside each stands whether it was made while another function was being traced.
    """
    messages = _Messages()
    with _heard_by(messages), jax.explain_cache_misses(True):
        yield messages.texts


@contextlib.contextmanager
def _heard_by(messages: logging.Handler) -> Iterator[None]:
    """Let this handler have JAX's warnings, however the reader has turned logging off."""
    top = logging.getLogger("jax")
    loggers = [top, *_below(top)]
    kept = [dict(vars(each)) for each in loggers]
    off = logging.root.manager.disable
    # A collection around this one goes on collecting.
    outer = [handler for handler in top.handlers if isinstance(handler, _Messages)]
    logging.disable(min(off, logging.INFO))
    for each in loggers:
        each.disabled, each.filters = False, []
        each.propagate = each is not top
        # Of one below, no level is the one above.
        each.setLevel(logging.WARNING if each is top else min(each.level, logging.WARNING))
    top.handlers = [*outer, messages]
    try:
        yield
    finally:
        for each, before in zip(loggers, kept, strict=True):
            for name in ("disabled", "filters", "propagate", "handlers"):
                setattr(each, name, before[name])
            each.setLevel(before["level"])
        logging.disable(off)


def _below(top: logging.Logger) -> list[logging.Logger]:
    found = top.manager.loggerDict.items()
    own = [each for name, each in found if name.startswith(f"{top.name}.")]
    return [each for each in own if isinstance(each, logging.Logger)]
