"""Find the lines that write to NNX objects, on copies inside of transforms too."""

import contextlib
import sys
from collections.abc import Container, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import jax.numpy as jnp
from flax import nnx

from traced.internals.canary import canary, run_as_readers
from traced.internals.variables import holds_value
from traced.python.places import Place, is_library_code, place_at
from traced.running.attempt import attempt

#: What every write to a Variable comes down to, and every write to an attribute of a module.
TO_VARIABLE = nnx.Variable.__setattr__.__code__
TO_METADATA = nnx.Variable.set_metadata.__code__
NEW_VARIABLE = nnx.Variable.__init__.__code__
TO_ATTRIBUTE = nnx.Pytree.__setattr__.__code__

#: How a write names the value of a Variable, which is no attribute that a reader writes.
VALUE = ""


@dataclass(frozen=True, eq=False)  # what is written may be a tracer, or have no one truth value
class Write:
    """One write: the object, the attribute or `VALUE`, what was there, and the reader's line."""

    thing: Any
    name: str
    before: Any
    value: Any
    place: Place
    #: Whether the object is a Variable that the same call made new, which is nobody's copy.
    is_new: bool = False


@canary("which line wrote to a Variable", "flax")
def _writes_are_seen() -> bool:
    """Write to a Variable in each of the two ways, to its metadata, and to an attribute."""
    variable, module = nnx.Variable(jnp.zeros(1)), nnx.Dict(n=1)
    lines = "x.set_value(y)\nx[...] = y\nmodule.n = 2\nx.set_metadata(k=1)\nnew(y)[...] = y"
    with record_writes() as writes:
        run_as_readers(lines, x=variable, y=jnp.ones(1), module=module, new=nnx.Variable)
    *writes, last = writes
    seen = [(id(each.thing), each.name, each.place.line) for each in writes]
    wanted = [(variable, VALUE, 1), (variable, VALUE, 2), (module, "n", 3), (variable, "k", 4)]
    told = [each.is_new for each in (*writes, last)] == [False] * 4 + [True]
    return told and seen == [(id(thing), name, line) for thing, name, line in wanted]


@_writes_are_seen.guards
@contextlib.contextmanager
def record_writes() -> Iterator[list[Write]]:
    """Record what the reader's code writes to NNX objects in the `with` block, in its order.

    Inside of a transform the object is a copy, and the write is made while JAX traces. All Python
    is slower in the block by a factor of two or so.

    >>> counter = nnx.Variable(0)
    >>> with record_writes() as writes:
    ...     counter.set_value(1)
    >>> writes[0].thing is counter, writes[0].place.source
    (True, 'counter.set_value(1)')
    """
    writes: list[Write] = []
    new: dict[int, Any] = {}  # kept, so that no other object gets the number of one

    def see(frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        if frame.f_code in (TO_VARIABLE, TO_ATTRIBUTE):
            writes.extend(_write(frame, new))
        elif frame.f_code is TO_METADATA:
            writes.extend(_metadata_written(frame, new))
        elif frame.f_code is NEW_VARIABLE:
            thing = frame.f_locals.get("self")
            new[id(thing)] = thing

    # A profiler is told of each call only, where a tracer is told of each line and takes longer.
    before = sys.getprofile()
    sys.setprofile(see)
    try:
        yield writes
    finally:
        sys.setprofile(before)


def _write(frame: FrameType, new: Container[int]) -> Iterator[Write]:
    thing: Any = frame.f_locals.get("self")
    name, value = str(frame.f_locals.get("name")), frame.f_locals.get("value")
    if isinstance(thing, nnx.Variable):
        if not holds_value(name):
            return
        name = VALUE
    before = thing.get_raw_value() if name == VALUE else vars(thing).get(name)
    if place := _place(frame):
        yield Write(thing, name, before, value, place, id(thing) in new)


def _metadata_written(frame: FrameType, new: Container[int]) -> Iterator[Write]:
    """Yield a write for each entry of a Variable's metadata that a call of `set_metadata` names."""
    thing: Any = frame.f_locals.get("self")
    args: Any = frame.f_locals.get("args", ())
    if not (place := _place(frame)):
        return
    before = thing.get_metadata()
    # It takes keywords, or a name and a value, or a dictionary.
    named = frame.f_locals.get("kwargs", {}) if not args else args[0] if len(args) == 1 else [args]
    for name, value in dict(named).items():
        yield Write(thing, name, before.get(name), value, place, id(thing) in new)


def _place(frame: FrameType | None) -> Place | None:
    while frame is not None and is_library_code(frame.f_code):
        # What lies outside is the line that asks for the check, and no line of the answer.
        if frame.f_code is attempt.__code__:
            return None
        frame = frame.f_back
    return frame and place_at(frame.f_code.co_filename, frame.f_lineno)


def writes_to(
    writes: list[Write], thing: Any, name: str = VALUE
) -> tuple[list[Write], list[Write]]:
    """Return the writes to an attribute of an object, and those to what may be a copy of it.

    A copy has the type of the object, and of several such the shape that a Variable has.

    >>> counter, copy = nnx.Variable(jnp.zeros(2)), nnx.Variable(jnp.ones(2))
    >>> with record_writes() as writes:
    ...     copy[...] += 1.0
    >>> [len(each) for each in writes_to(writes, counter)]
    [0, 1]
    """
    named = [each for each in writes if each.name == name and type(each.thing) is type(thing)]
    own = [each for each in named if each.thing is thing]
    others = [each for each in named if each.thing is not thing]
    return own, [each for each in others if _shape(each.thing) == _shape(thing)] or others


def _shape(thing: Any) -> Any:
    return jnp.shape(thing.get_raw_value()) if isinstance(thing, nnx.Variable) else None


def place_of_write(writes: list[Write], variable: nnx.Variable[Any]) -> Place | None:
    """Return the line of the first write to a Variable, or to what may be a copy of it, or None.

    A copy has the type and the shape of the Variable. Where several lines write to such, it is not
    known which of them it was.

    >>> counter, copy = nnx.Variable(jnp.zeros(2)), nnx.Variable(jnp.ones(2))
    >>> with record_writes() as writes:
    ...     copy[...] += 1.0
    >>> place_of_write(writes, counter).source, place_of_write(writes, nnx.Param(jnp.zeros(2)))
    ('copy[...] += 1.0', None)
    """
    own, copies = writes_to(writes, variable)
    alike = {each.place for each in (*own, *copies) if _shape(each.thing) == _shape(variable)}
    if len(alike) == 1:
        return alike.pop()
    return own[0].place if own else None
