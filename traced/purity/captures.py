"""Find the arrays that a trace holds in itself: those a function reads without being given them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from traced.internals.jaxprs import captured_arrays
from traced.programs.jaxprs import trace
from traced.purity.hidden_reads import find_hidden_reads
from traced.purity.stale_reads import JITTED, without_self
from traced.python.places import Place
from traced.python.values import describe
from traced.pytrees.differences import name_leaves


@dataclass(frozen=True)
class Capture:
    """An array that a trace holds: its name in the reader's code, its type, and its bytes.

    `place` is where it is read first. Name and place are empty where the array was made while
    tracing, is bound by `partial`, or takes an index or `getattr` to get at.
    """

    name: str
    type: str
    bytes: int
    place: Place | None


def find_captured_arrays(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Capture]:
    """Return the arrays that the trace of `f` holds as constants, the largest first.

    They go into each program that is compiled from it. Numbers are literals and not among them,
    nor is what XLA makes itself, such as zeros.

    >>> import jax.numpy as jnp
    >>> table = jnp.arange(6.0)
    >>> [(each.name, each.bytes) for each in find_captured_arrays(lambda i: table[i], 2)]
    [('table', 24)]
    """
    reads, (inner, passed) = find_hidden_reads(f), without_self(f, args)
    if isinstance(inner, JITTED):
        f, args = inner, passed
    # Any other method is traced as it is called: what its object holds is not an argument of it.
    leaves = [
        (name, leaf, read.place)
        for read in reads
        for name, leaf in name_leaves(read.thing, read.name).items()
    ]
    found = {id(each): each for each in captured_arrays(trace(f, *args, **kwargs).jaxpr)}
    captures = (_capture(array, leaves) for array in found.values())
    return sorted(captures, key=lambda each: (-each.bytes, each.name))


def _capture(array: jax.Array, leaves: list[tuple[str, Any, Place]]) -> Capture:
    name, place = next(_origins(array, leaves), ("", None))
    return Capture(name, describe(array), array.size * array.dtype.itemsize, place)


def _origins(array: jax.Array, leaves: list[tuple[str, Any, Place]]) -> Iterator[tuple[str, Place]]:
    # JAX holds its own arrays themselves, and of NumPy's a copy.
    yield from ((name, place) for name, leaf, place in leaves if leaf is array)
    yield from ((name, place) for name, leaf, place in leaves if _is_copy(leaf, array))


def _is_copy(leaf: object, array: jax.Array) -> bool:
    """Return whether JAX may have copied `array` from an array of NumPy's."""
    if not isinstance(leaf, np.ndarray) or describe(leaf) != describe(array):
        return False
    return bool(np.array_equal(leaf, array, equal_nan=leaf.dtype.kind in "fc"))
