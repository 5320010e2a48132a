"""Find the work on arrays that is done outside of the functions that a program gives to `jit`."""

import linecache
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from traced.internals.canary import canary
from traced.internals.frames import Call, calls_now, calls_to, lines_of
from traced.internals.jaxprs import (
    definition_of,
    equations_in,
    is_inlined,
    is_literal,
    nested_with_constants,
    open_jaxpr,
)
from traced.internals.operations import see_compiled_calls, see_operations
from traced.programs.jaxprs import jaxpr_of
from traced.python.calls import require_callable
from traced.python.places import Place, first_place, is_library
from traced.python.values import bits

if TYPE_CHECKING:
    from traced.internals.jaxprs import Jaxpr

#: Primitives that move an array and compute nothing with it.
MOVES = {
    "broadcast_in_dim",
    "concatenate",
    "convert_element_type",
    "copy",
    "device_put",
    "dynamic_slice",
    "dynamic_update_slice",
    "gather",
    "get",
    "pad",
    "reshape",
    "rev",
    "scatter",
    "slice",
    "split",
    "squeeze",
    "stack",
    "stage",
    "swap",
    "tile",
    "transpose",
    "unstack",
}


@dataclass(frozen=True)
class Work:
    """One operation on an array outside `jit`, by name, and the calls that led to it."""

    operation: str
    calls: tuple[Call, ...] = field(repr=False, compare=False)

    @property
    def place(self) -> Place | None:
        """The line of the reader's code that did it, or None."""
        return first_place(lines_of(self.calls, is_library))


@dataclass
class Seen:
    """What was seen of a run: whether a function that it gives to `jit` ran, and work outside.

    `computed` says whether such a function did more than move arrays.
    """

    jitted: bool = False
    computed: bool = False
    outside: list[Work] = field(default_factory=list)


@canary("which operations move an array, and what the reader gave to `jit`")
def _work_is_known() -> bool:
    """Move an array in every way, add something once, and have JAX and the reader jit a product."""

    def move(x: Any, i: Any) -> Any:
        parts = jnp.concatenate([x[0], x[:, 0], x[i], jnp.copy(x.T).reshape(4)])
        return lax.convert_element_type(jnp.stack([parts, parts + 1]), "int32"), x[jnp.array([0])]

    x, none = np.ones(2, "float32"), np.ones(0, "float32")
    work = find_work_outside_jit(move, np.ones((2, 2), "float32"), np.int32(0))
    plain, given = (see_work(f, none, none) for f in (jnp.vdot, jax.jit(jnp.vdot)))
    norm, given_norm = jnp.linalg.norm, jax.jit(jnp.linalg.norm)
    norms = (find_work_outside_jit(lambda x, f=f: f(x), x) for f in (norm, given_norm))
    # An index may be negative, which is worked on.
    return (
        "add" in {each.operation for each in work} <= {"add", "lt", "select_n"}
        and [len(plain.outside), plain.jitted] == [1, False]
        and [len(given.outside), given.jitted] == [0, True]
        and list(map(len, norms)) == [1, 0]
    )


@_work_is_known.guards
def find_work_outside_jit(f: Callable[..., Any], *args: Any) -> list[Work]:
    """Trace `f` and return its work on its arguments outside the functions it gives to `jit`.

    Such a function may be a library's, but not one that the library jits itself, such as
    `jnp.linalg.norm`. It may be called by a `scan`, a `cond` or under `vmap`. Moving an array,
    such as slicing it, is no work; neither is what is done with single numbers that functions
    under `jit` returned.

    >>> double = jax.jit(lambda x: 2 * x)
    >>> [each.operation for each in find_work_outside_jit(lambda x: double(x) + double(x), 1.0)]
    []
    >>> [each.operation for each in find_work_outside_jit(lambda x: double(x + 1), 1.0)]
    ['add']
    """
    jaxpr = jaxpr_of(f, *args)
    return list(_work_in(jaxpr, jaxpr.invars, ()))


@_work_is_known.guards
def see_work(f: Callable[..., Any], *args: Any) -> Seen:
    """Run `f`, and return whether it calls a function that it gave to `jit`, and work outside.

    That is for functions that ask for values, and cannot be traced. Of the work of NumPy is seen
    what a function under `jit` is given: an array of the kind of an argument, with other values
    than those of any array before.
    A program that was compiled ahead of time, by `.lower(x).compile()`, is a function under `jit`.

    >>> see_work(lambda x: float(jnp.sum(x)), jnp.ones(3))
    Seen(jitted=False, computed=False, outside=[Work(operation='_reduce_sum')])
    """
    require_callable(f)
    given_at_first = jax.tree.leaves(args)
    kinds = {(np.shape(x), jnp.result_type(x)) for x in given_at_first if np.shape(x)}
    known: dict[int, Any] = {id(each): each for each in given_at_first}
    seen, books = Seen(), _Books(known)

    def see(primitive: Any, inputs: Any, params: Any, result: Any) -> None:
        outputs = list(result) if primitive.multiple_results else [result]
        given_to_jit = _holds_given(primitive.name, params)
        if given_to_jit and any(_is_of_numpy(each, kinds, known) for each in inputs):
            seen.outside.append(Work("NumPy made what is passed", calls_now()))
        # An array that no operation has made comes from the arguments, or from NumPy.
        books.raw.update(id(each) for each in inputs if np.shape(each) and id(each) not in known)
        known.update((id(each), each) for each in (*inputs, *outputs))
        seen.jitted |= given_to_jit
        seen.computed |= given_to_jit and _computes(params)
        given, back = ([_Value(id(x), np.shape(x)) for x in side] for side in (inputs, outputs))
        seen.outside += books.work(primitive.name, params, given, back, calls_now())

    def see_compiled(result: Any) -> None:
        seen.jitted = seen.computed = True  # what it computes is not known any longer
        leaves = {id(leaf): leaf for leaf in jax.tree.leaves(result)}
        known.update(leaves)
        books.made.update(name for name, leaf in leaves.items() if np.shape(leaf))

    with see_operations(see), see_compiled_calls(see_compiled):
        f(*args)
    return seen


def _is_of_numpy(given: Any, kinds: set[Any], known: Mapping[int, Any]) -> bool:
    """Return whether `given` is an array of one of these kinds, and unlike all that are known."""
    if not np.shape(given) or id(given) in known:
        return False
    is_alike = (np.shape(given), jnp.result_type(given)) in kinds
    same = (bits(given) == bits(each) for each in known.values() if np.shape(each))
    return is_alike and not any(same)


@dataclass(frozen=True)
class _Value:
    """A value of a program: what it is known by, and its shape."""

    name: Any
    shape: tuple[int, ...]


class _Books:
    """Which values were made from the arguments outside `jit`, and which of its results."""

    def __init__(self, raw: Iterable[Any]) -> None:
        self.raw, self.made = set(raw), set[Any]()

    def work(
        self,
        primitive: str,
        params: Any,
        inputs: list[_Value],
        outputs: list[_Value],
        calls: tuple[Call, ...],
    ) -> list[Work]:
        """Enter one operation, and return the work that it does outside `jit`."""
        # An array that comes out of `jit` must go into another one; a number is done with.
        arrays = {each.name for each in outputs if each.shape}
        if _is_given(primitive, params):
            self.made |= arrays
            return []
        raw, made = (
            {each.name for each in inputs if each.name in group} for group in (self.raw, self.made)
        )
        if not (raw or made):
            return []
        bodies = _bodies(params)
        inside = [each for body in bodies for each in self._inside(body, inputs, calls)]
        if primitive in MOVES or (bodies and not inside):
            by_jit = not raw or _holds_given(primitive, params)
            (self.made if by_jit else self.raw).update(
                arrays if by_jit else (each.name for each in outputs)
            )
            return []
        self.raw.update(each.name for each in outputs)
        if bodies and primitive != "jit":
            return inside
        return [Work(params.get("name", primitive) if bodies else primitive, calls)]

    def _inside(
        self, body: "Jaxpr", inputs: list[_Value], calls: tuple[Call, ...]
    ) -> Iterator[Work]:
        # What a body is given stands last among the inputs of the operation.
        pairs = zip(reversed(body.invars), reversed(inputs), strict=False)
        raw = [var for var, value in pairs if value.name in self.raw | self.made]
        return _work_in(body, raw, calls)


def _work_in(jaxpr: "Jaxpr", raw: Iterable[Any], calls: tuple[Call, ...]) -> Iterator[Work]:
    books = _Books(raw)
    for eqn in jaxpr.eqns:
        inputs = [_Value(id(x) if is_literal(x) else x, _shape(x)) for x in eqn.invars]
        outputs = [_Value(var, _shape(var)) for var in eqn.outvars]
        yield from books.work(
            eqn.primitive.name, eqn.params, inputs, outputs, (*calls_to(eqn), *calls)
        )


def _shape(atom: Any) -> tuple[int, ...]:
    return getattr(atom.aval, "shape", ())


def _bodies(params: Any) -> list["Jaxpr"]:
    return [open_jaxpr(each) for each in nested_with_constants(params)]


def _holds_given(primitive: str, params: Any) -> bool:
    inside = equations_in(nested_with_constants(params))
    return _is_given(primitive, params) or any(
        _is_given(eqn.primitive.name, eqn.params) for eqn in inside
    )


def _computes(params: Any) -> bool:
    names = {eqn.primitive.name for eqn in equations_in(nested_with_constants(params))}
    return not names <= MOVES | {"jit"}


def _is_given(primitive: str, params: Any) -> bool:
    """Return whether an operation calls what somebody else than its own library gave to `jit`."""
    if primitive != "jit":
        return False
    where = definition_of(params["jaxpr"])
    if not where[0] or not is_library(where[0]):
        return True
    if is_inlined(params):  # as a library does with its own functions
        return False
    # A function that its library has jitted, and the reader again, calls itself.
    (first, *rest) = [*_bodies(params)[0].eqns, None]
    is_twice = first is not None and first.primitive.name == "jit" and rest == [None]
    again = is_twice and definition_of(first.params["jaxpr"]) == where
    how = _jitted_by_itself(*where)
    return again or not how or "inline" in how


@cache
def _jitted_by_itself(file: str, line: int) -> str:
    """Return the decorators by which a function that begins at `line` is jitted, or nothing."""
    lines = (linecache.getline(file, number) for number in range(line, line + 20))
    decorators = "".join(takewhile(lambda text: not text.startswith("def "), lines))
    return decorators if re.search(r"\bp?jit\b", decorators) else ""
