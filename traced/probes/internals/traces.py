"""What reading a trace takes that is not public JAX API, each with its reason.

- The parts of a jaxpr (`eqns`, `invars`, `params`, `consts`, a literal's `val`): JAX returns jaxprs
  from public functions, and documents how they print, not how they are built. `jax.extend.core`
  has their classes; it is used for types only, since importing it takes a tenth as long as JAX.
- `eqn.source_info.traceback` holds the frames that led to an equation: nothing public tells from
  which line of Python an equation came.
- The text that `jax.explain_cache_misses` logs: JAX explains a retrace in no other form. Whether a
  trace is under way, only `jax.extend.core` tells; whether it is a rewriting of refs while JAX
  lowers, which is logged as a trace, only the name of a function on the stack.
"""

import contextlib
import logging
from collections.abc import Callable, Iterator
from traceback import walk_stack
from types import CodeType
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


def captured(jaxpr: Any) -> Iterator[Any]:
    """Yield the arrays that a jaxpr and those nested in it hold, other than literals."""
    yield from getattr(jaxpr, "consts", ())
    for eqn in open_jaxpr(jaxpr).eqns:
        for value in eqn.params.values():
            for each in value if type(value) in (tuple, list) else (value,):
                if hasattr(open_jaxpr(each), "eqns"):
                    yield from captured(each)


def frames(eqn: "JaxprEqn", skip: Callable[[str], bool]) -> Iterator[tuple[str, int]]:
    """Yield file and line of the frames that led to `eqn`, innermost first, less some files."""
    return ((code.co_filename, line) for code, line in calls(eqn, skip))


def calls(eqn: "JaxprEqn", skip: Callable[[str], bool]) -> Iterator[tuple[CodeType, int]]:
    """Yield code and line of the frames that led to `eqn`, innermost first, less some files."""
    traceback = eqn.source_info.traceback
    if traceback is None:
        return
    # Dozens of frames lead to each equation: only those that are asked for get a line number.
    for code, address in zip(*traceback.raw_frames(), strict=True):
        if not skip(code.co_filename):
            yield code, traceback.code_addr2line(code, address)


class _Messages(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[tuple[str, bool]] = []
        self.outside = _trace_state()

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text.startswith("TRACING CACHE MISS") and not _discharges_refs():
            self.texts.append((text, _trace_state() != self.outside))


def _discharges_refs() -> bool:
    """Return whether a jaxpr that writes to refs is rewritten, which no Python runs for."""
    return any(frame.f_code.co_name == "discharge_state" for frame, _ in walk_stack(None))


def _trace_state() -> Any:
    from jax.extend.core import get_opaque_trace_state  # takes a tenth as long to import as JAX

    return get_opaque_trace_state()  # type: ignore[no-untyped-call]  # JAX gives it no types


@contextlib.contextmanager
def cache_misses() -> Iterator[list[tuple[str, bool]]]:
    """Collect JAX's explanation of each trace made in the `with` block, and print none of them.

    Beside each stands whether it was made while another function was being traced.
    """
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
