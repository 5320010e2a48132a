"""What the probes of effects read that is not public, each with its reason.

- `tracer._line_info` holds the frames that led to a tracer of `jit`, and `primal` or `val` the
  tracer inside one of `grad` or `vmap`: the public way to learn the line is to use the dead
  tracer and to parse the message of the error.
- `jaxpr.consts` holds the arrays that a trace closed over: JAX prints their names only.
- `_raw_value` holds the value of an NNX Variable: the public setter refuses a value that was
  put in at another trace level, and a leak has to be undone from outside that level.
"""

import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from traced.probes.internals.traces import frames, is_literal, nested_jaxprs, open_jaxpr

#: The slot of an NNX Variable that its reader writes as `variable[...]`.
VARIABLE = "_raw_value"

#: Where an `nnx.State` holds what its reader writes as `state[...]`.
STATE = "_mapping"


def tracer_frames(tracer: Any, skip: Callable[[str], bool]) -> Iterator[tuple[str, int]]:
    """Yield file and line of the frames that made `tracer`, innermost first, less some files.

    None are known for an input of the function, or where no tracer of `jit` is inside.
    """
    while not hasattr(tracer, "_line_info"):
        tracer = getattr(tracer, "primal", getattr(tracer, "val", None))
        if tracer is None:
            return
    yield from frames(SimpleNamespace(source_info=tracer._line_info), skip)  # type: ignore[arg-type]


def constants(f: Any, *args: Any, **kwargs: Any) -> list[Any]:
    """Return the arrays in the trace of a jitted function that are no arguments of it."""
    return list(f.trace(*args, **kwargs).jaxpr.consts)


def literals(eqn: Any) -> list[Any]:
    """Return the values of an equation's inputs that are literals, as NumPy arrays."""
    return [np.asarray(atom.val) for atom in eqn.invars if is_literal(atom)]


def parameters(eqn: Any) -> dict[str, str]:
    """Return an equation's parameters as text, without addresses and without nested jaxprs."""
    nested = set(map(id, nested_jaxprs(eqn)))
    texts = {}
    for name, value in eqn.params.items():
        group = value if type(value) in (tuple, list) else (value,)
        if nested.isdisjoint(id(open_jaxpr(each)) for each in group):
            texts[name] = re.sub(r" at 0x[0-9a-f]+", "", str(value))
    return texts
