"""What reading a trace takes that is not public JAX API, each with its reason.

- The parts of a jaxpr (`eqns`, `invars`, `params`, a literal's `val`): JAX returns jaxprs from
  public functions, and documents how they print, not how they are built. `jax.extend.core` has
  their classes; it is used for types only, since importing it takes a tenth as long as JAX.
- `eqn.source_info.traceback` holds the frames that led to an equation: nothing public tells from
  which line of Python an equation came.
- The text that `jax.explain_cache_misses` logs: JAX explains a retrace in no other form.
"""

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import jax

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr as Jaxpr
    from jax.extend.core import JaxprEqn as JaxprEqn


def open_jaxpr(jaxpr: Any) -> "Jaxpr":
    """Return the `Jaxpr` in a `ClosedJaxpr`, and a `Jaxpr` as it is."""
    opened: Jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    return opened


def is_literal(atom: Any) -> bool:
    """Return whether an input of an equation is a literal, which has a value, or a variable."""
    return hasattr(atom, "val")


def nested_jaxprs(eqn: "JaxprEqn") -> list["Jaxpr"]:
    """Return the jaxprs in an equation's parameters: a loop's body, branches, a function."""
    values = (value if type(value) in (tuple, list) else (value,) for value in eqn.params.values())
    opened = (open_jaxpr(each) for group in values for each in group)
    return [each for each in opened if hasattr(each, "eqns")]


def frames(eqn: "JaxprEqn", skip: Callable[[str], bool]) -> Iterator[tuple[str, int]]:
    """Yield file and line of the frames that led to `eqn`, innermost first, less some files."""
    traceback = eqn.source_info.traceback
    if traceback is None:
        return
    # Dozens of frames lead to each equation: only those that are asked for get a line number.
    for code, address in zip(*traceback.raw_frames(), strict=True):
        if not skip(code.co_filename):
            yield code.co_filename, traceback.code_addr2line(code, address)


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
    """Collect JAX's explanation of each trace made in the `with` block, and print none of them."""
    logger, messages = logging.getLogger("jax"), _Messages()
    kept = logger.handlers, logger.propagate, logger.level
    # A collection around this one goes on collecting.
    outer = [handler for handler in logger.handlers if isinstance(handler, _Messages)]
    logger.handlers, logger.propagate = [*outer, messages], False
    logger.setLevel(logging.WARNING)
    try:
        with jax.explain_cache_misses(True):
            yield messages.texts
    finally:
        logger.handlers, logger.propagate = kept[:2]
        logger.setLevel(kept[2])
