"""Tell whether a trace that JAX keeps is out of date: whether tracing now would give another."""

import contextlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import jax
import numpy as np

from traced.internals.jaxprs import constants_of, literals, parameters
from traced.programs.jaxprs import Equation, find_equations
from traced.purity.hidden_reads import HiddenRead, find_hidden_reads
from traced.python.places import Place
from traced.python.reachable import reachable_from, roots_of, used_globals
from traced.python.values import Bare, PyTree, bits, brief_both

# JAX looks at its contexts before it answers from a cache. To make one empties all caches, so it
# is made on import, and not when it is asked which traces are kept.
_AFRESH = jax.make_user_context()  # type: ignore[no-untyped-call]  # JAX gives it no types

#: The class of what `jax.jit` returns, which has no public name.
JITTED = type(jax.jit(abs))

#: What a trace can hold the value of.
NUMBERS = (bool, int, float, complex, np.ndarray, np.generic, jax.Array)

#: What a kept trace has, what a trace made now has instead, and the line of the equation.
Difference = tuple[Any, Any, Place | None]


@dataclass(frozen=True)
class StaleRead:
    """What a kept trace has, what a trace made now has instead, and which reads may be the cause.

    `suspects` are the hidden reads whose value is what the new trace has, else all of them: it
    may be computed from any. `place` is the line of the equation, None for a captured array.
    """

    before: str
    now: str
    suspects: tuple[HiddenRead, ...]
    place: Place | None


def find_stale_reads(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[StaleRead]:
    """Return how the trace that a jitted `f` keeps for these arguments differs from one made now.

    Nothing is stale where no trace is kept yet: one is made. The Python of `f` runs once more,
    with all it does besides returning a value. Where equations come, go or change places, only
    the first difference is told. Raises `TypeError` where `f` is not jitted by `jax.jit`.

    Not seen is a NumPy array that was written to in place: a trace holds that very array, and only
    the compiled program what was in it. A call can be compared with one inside of `with_copies`.

    >>> factors = [2.0]
    >>> f = jax.jit(lambda x: x * factors[0])
    >>> f(1.0), factors.insert(0, 3.0)
    (Array(2., dtype=float32, weak_type=True), None)
    >>> [(each.before, each.now, each.suspects[0].name) for each in find_stale_reads(f, 1.0)]
    [('2.0', '3.0', 'factors')]
    """
    reads, (f, args) = find_hidden_reads(f), without_self(f, args)
    if not isinstance(f, JITTED):
        raise TypeError(f"`f` must be jitted by `jax.jit`, got {type(f).__name__}")
    before = find_equations(f, *args, **kwargs), constants_of(f.trace(*args, **kwargs).jaxpr)
    with retraced():
        now = find_equations(f, *args, **kwargs), constants_of(f.trace(*args, **kwargs).jaxpr)
    found = [*_between_equations(before[0], now[0]), *_between_arrays(before[1], now[1])]
    stale = (StaleRead(*brief_both(a, b), _suspects(reads, b), place) for a, b, place in found)
    return list(dict.fromkeys(stale))


def find_reads_under_jit(f: Callable[..., Any]) -> list[HiddenRead]:
    """Return what `f`, if it is jitted, and the jitted functions that it names read unseen.

    Their traces hold what was read: a read by a function around them is done at each call.

    >>> scale = 2.0
    >>> g = jax.jit(lambda x: x * scale)
    >>> [each.name for each in find_reads_under_jit(lambda x: g(x) + scale)]
    ['scale']
    """
    inner = inspect.unwrap(f)
    named = [each for _, each in used_globals(inner)] if inspect.isfunction(inner) else []
    jitted = [each for each in (f, *named) if isinstance(each, JITTED)]
    return [read for each in jitted for read in find_hidden_reads(each)]


@contextlib.contextmanager
def retraced() -> Iterator[None]:
    """Have JAX trace afresh in the `with` block, and go back to the traces it keeps after that.

    >>> calls = []
    >>> f = jax.jit(calls.append)
    >>> with retraced():
    ...     _ = f.trace(1.0), f.trace(1.0)
    >>> _ = f.trace(1.0)
    >>> len(calls)
    2
    """
    with _AFRESH(object()):
        yield


@contextlib.contextmanager
def with_copies(f: Any) -> Iterator[None]:
    """Have `f` and what it names hold copies of their NumPy arrays in the `with` block.

    JAX converts an array once and keeps the result as long as the array lives, whatever is written
    to it in the meantime: only of another array is a new trace made with what is in it now.

    >>> table = np.ones(2)
    >>> f = jax.jit(lambda x: x * jax.numpy.asarray(table))
    >>> before, table[:] = f(1.0), 3.0
    >>> with with_copies(f), retraced():
    ...     print(before, f(1.0))
    [1. 1.] [3. 3.]
    """
    mutables = reachable_from(roots_of(f, (), {})).mutables
    # An array has no name of its own to bind a copy to: that has whatever holds it.
    holders = [each for each in mutables if not isinstance(each.thing, np.ndarray)]
    held = [(mutable, mutable.read()) for mutable in holders]
    held = [pair for pair in held if any(type(each) is np.ndarray for each in pair[1].values())]
    try:
        for mutable, contents in held:
            mutable.write({key: _copied(value) for key, value in contents.items()})
        yield
    finally:
        for mutable, contents in held:
            mutable.write(contents)


def _copied(value: object) -> Any:
    return value.copy() if type(value) is np.ndarray else value


def without_self(f: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """Return a method's function and the arguments that this takes; any other `f` as it is.

    A method has the attributes of its function, and a jitted one's `trace` would miss `self`.

    >>> without_self(Place("cell.py", 1, "").__repr__, ())[1], without_self(abs, (1,))[1]
    ((Place(file='cell.py', line=1, source='', note=''),), (1,))
    """
    return (f.__func__, (f.__self__, *args)) if inspect.ismethod(f) else (f, args)


def _between_equations(before: list[Equation], now: list[Equation]) -> Iterator[Difference]:
    for old, new in zip_longest(before, now):
        if old and new and _way(old) == _way(new):
            yield from _between_inputs(old, new)
        else:
            # From here on the two are out of step: whatever follows would differ as well.
            yield _told(old, before), _told(new, now), (new or old).place
            return


def _told(equation: Equation | None, among: list[Equation]) -> Bare:
    name = equation.primitive if equation else "nothing"
    return Bare(f"{name}, of {len(among)} equation{'s' if len(among) != 1 else ''}")


def _way(equation: Equation) -> tuple[str, ...]:
    return (*equation.within, equation.primitive)


def _between_inputs(old: Equation, new: Equation) -> Iterator[Difference]:
    values = list(zip(literals(old.eqn), literals(new.eqn), strict=False))
    yield from ((a, b, new.place) for a, b in values if bits(a) != bits(b))
    texts = parameters(old.eqn), parameters(new.eqn)
    for name in texts[0] | texts[1]:
        was, becomes = (Bare(f"{name}={side.get(name)}") for side in texts)
        if was != becomes:
            yield was, becomes, new.place


def _between_arrays(before: list[Any], now: list[Any]) -> Iterator[Difference]:
    pairs = zip(before, now, strict=False)
    return ((a, b, None) for a, b in pairs if a is not b and bits(a) != bits(b))


def _suspects(reads: list[HiddenRead], value: object) -> tuple[HiddenRead, ...]:
    fitting = [read for read in reads if _holds(read.thing, value)]
    return tuple(fitting or reads)


def _holds(thing: PyTree, value: object) -> bool:
    """Return whether an array from a trace is one of the leaves of `thing`."""
    if isinstance(value, str):  # a parameter or the name of a primitive
        return False
    numbers = (leaf for leaf in leaves_of(thing) if isinstance(leaf, NUMBERS))
    return any(bits(_as(leaf, value)) == bits(value) for leaf in numbers)


def leaves_of(thing: object) -> list[Any]:
    """Return the leaves of anything, which is one leaf itself if it cannot be flattened.

    >>> leaves_of({"w": 1.0, 0: 2.0})
    [{'w': 1.0, 0: 2.0}]
    """
    try:
        return jax.tree.leaves(thing)
    except (TypeError, ValueError):  # keys of a dictionary that cannot be sorted
        return [thing]


def _as(leaf: Any, value: Any) -> Any:
    # Python's numbers took the dtype of what they were computed with.
    keep = isinstance(leaf, jax.Array) or (np.iscomplexobj(leaf) and not np.iscomplexobj(value))
    return leaf if keep else np.asarray(leaf).astype(value.dtype)
