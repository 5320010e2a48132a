"""Find the lines that write to NNX Variables, on copies inside of transforms too."""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import jax.numpy as jnp
from flax import nnx

from traced.probes.internals.effects import VARIABLE
from traced.probes.places import Place, is_library, place_at

#: What every write to a Variable comes down to.
WRITE = nnx.Variable.__setattr__.__code__


@dataclass(frozen=True)
class Write:
    """One write to a Variable: the Variable, and the line of the reader's code that led to it."""

    variable: nnx.Variable[Any]
    place: Place


@contextlib.contextmanager
def record_writes() -> Iterator[list[Write]]:
    """Record the writes to the values of NNX Variables in the `with` block, in their order.

    Inside of a transform the Variable is a copy, and the write is made while JAX traces. All Python
    is slower in the block by a factor of two or so.

    >>> counter = nnx.Variable(0)
    >>> with record_writes() as writes:
    ...     counter.set_value(1)
    >>> writes[0].variable is counter, writes[0].place.source
    (True, 'counter.set_value(1)')
    """
    writes: list[Write] = []

    def see(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is WRITE and frame.f_locals.get("name") == VARIABLE:
            place = _place(frame)
            writes.extend([Write(frame.f_locals["self"], place)] if place else [])

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        yield writes
    finally:
        sys.setprofile(before)


def _place(frame: FrameType | None) -> Place | None:
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    return frame and place_at(frame.f_code.co_filename, frame.f_lineno)


def find_write(writes: list[Write], variable: Any) -> Place | None:
    """Return the line of the first write to a Variable, or to what may be a copy of it, or None.

    A copy has the type and the shape of the Variable. Where several lines write to such, it is not
    known which of them it was.

    >>> counter, copy = nnx.Variable(jnp.zeros(2)), nnx.Variable(jnp.ones(2))
    >>> with record_writes() as writes:
    ...     copy[...] += 1.0
    >>> find_write(writes, counter).source, find_write(writes, nnx.Param(jnp.zeros(2)))
    ('copy[...] += 1.0', None)
    """
    own = [write.place for write in writes if write.variable is variable]
    alike = {write.place for write in writes if _kind(write.variable) == _kind(variable)}
    if len(alike) == 1:
        return alike.pop()
    return own[0] if own else None


def _kind(variable: Any) -> tuple[Any, ...]:
    return type(variable), jnp.shape(variable.get_raw_value())
