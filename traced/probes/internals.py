"""What the probes read that is not public JAX API, kept in this one file, each with its reason.

- `jax.extend.core` has the classes of a jaxpr: JAX returns jaxprs from public functions, but names
  their classes only there.
- `eqn.source_info.traceback` holds the frames that led to an equation: nothing public tells from
  which line of Python an equation came.
- The text that `jax.explain_cache_misses` logs: JAX explains a retrace in no other form.
"""

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import jax
from jax.extend.core import Jaxpr, JaxprEqn, Literal, jaxprs_in_params

__all__ = ["Jaxpr", "JaxprEqn", "Literal", "cache_misses", "frames", "nested_jaxprs", "open_jaxpr"]


def open_jaxpr(jaxpr: Any) -> Jaxpr:
    """Return `jaxpr` without its constants: a `ClosedJaxpr` is opened, a `Jaxpr` returned as it is."""
    return getattr(jaxpr, "jaxpr", jaxpr)


def nested_jaxprs(eqn: JaxprEqn) -> list[Jaxpr]:
    """Return the jaxprs in an equation's parameters, in order: a loop's body, a branch, a function."""
    return [open_jaxpr(each) for each in jaxprs_in_params(eqn.params)]


def frames(eqn: JaxprEqn) -> Iterator[tuple[str, int]]:
    """Yield file and line of each Python frame that led to `eqn`, the innermost first."""
    traceback = eqn.source_info.traceback
    for frame in traceback.frames if traceback is not None else ():
        yield frame.file_name, frame.line_num


class _Messages(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text.startswith("TRACING CACHE MISS"):
            self.texts.append(text)


@contextlib.contextmanager
def cache_misses() -> Iterator[list[str]]:
    """Collect JAX's explanation of each trace made inside the `with` block, and print none of them."""
    logger, messages = logging.getLogger("jax"), _Messages()
    kept = logger.handlers, logger.propagate, logger.level
    logger.handlers, logger.propagate = [messages], False
    logger.setLevel(logging.WARNING)
    try:
        with jax.explain_cache_misses(True):
            yield messages.texts
    finally:
        logger.handlers, logger.propagate = kept[:2]
        logger.setLevel(kept[2])
