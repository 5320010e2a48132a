"""Read the jaxpr of a function: its equations, through every jaxpr nested in another."""

import contextlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any

import jax

from traced.internals.frames import calls_to, lines_of
from traced.internals.jaxprs import is_literal, nested_jaxprs, open_jaxpr
from traced.python.calls import code_behind, name_of, require_callable
from traced.python.places import Place, Spot, first_place, is_library
from traced.python.values import describe
from traced.pytrees.differences import name_arguments

if TYPE_CHECKING:
    from traced.internals.jaxprs import Jaxpr, JaxprEqn


@dataclass(frozen=True)
class Equation:
    """One equation: its primitive, the primitives it is nested in (outermost first), its line.

    `nests` says whether it holds jaxprs of its own, `dead` whether nothing reads what it computes.
    """

    primitive: str
    within: tuple[str, ...]
    nests: bool
    dead: bool
    eqn: "JaxprEqn" = field(repr=False, compare=False)
    outer: "Equation | None" = field(repr=False, compare=False)

    @cached_property
    def place(self) -> Place | None:
        """The line of the reader's code that this equation came from, or None.

        It is looked up when asked for: that takes longer than tracing the equation did.
        """
        # JAX keeps the traces of its own functions, with the frames of whoever came first.
        place = first_place(lines_of(calls_to(self.eqn), is_library))
        return place or (self.outer.place if self.outer else None)

    @cached_property
    def spots(self) -> list[Spot]:
        """The lines of the reader's code that were under way, innermost first."""
        calls = calls_to(self.eqn)
        return [*lines_of(calls, is_library), *(self.outer.spots if self.outer else [])]


def jaxpr_of(f: Callable[..., Any], *args: Any, **kwargs: Any) -> "Jaxpr":
    """Return the jaxpr that JAX traces from `f` at these arguments.

    A jitted function is traced with its own static arguments, and JAX may answer from its cache.
    Any other callable is traced afresh. Raises whatever `f` raises while it is traced.

    >>> jaxpr_of(lambda x: 2 * x, 1.0).eqns[0].primitive
    mul
    """
    return open_jaxpr(trace(f, *args, **kwargs).jaxpr)


def trace(f: Callable[..., Any], *args: Any, **kwargs: Any) -> jax.stages.Traced:
    """Return `f` traced at these arguments, as `jaxpr_of` does it.

    Raises `TypeError` with the name of an argument, or of a leaf of one, that JAX cannot trace.

    >>> trace(lambda x, mode: x, 1.0, "sum")
    Traceback (most recent call last):
    TypeError: `mode` must be an array or a number, got str: close over what is not traced, as in \
`lambda x: f(x, "relu")`, or filter the tree that holds it, as `equinox.partition` does
    """
    call = jitted(f)
    # Of the arguments of a jitted function some may be static, and JAX tells which are not.
    with contextlib.nullcontext() if call is f else naming_no_arrays(f, args, kwargs):
        traced: jax.stages.Traced = call.trace(*args, **kwargs)
    return traced


@contextlib.contextmanager
def naming_no_arrays(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[None]:
    """Name the leaf of the arguments of `f` that JAX refuses in the `with` block, with advice."""
    try:
        yield
    except TypeError as error:
        if others := _no_arrays(f, args, kwargs):
            raise TypeError(f"{others}: {ADVICE}") from error
        raise


#: What becomes of an argument that is no array.
ADVICE = (
    'close over what is not traced, as in `lambda x: f(x, "relu")`, or filter the tree that holds'
    " it, as `equinox.partition` does"
)


def _no_arrays(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Say which leaf of the arguments is no array, and how many others; nothing if all are."""
    named = name_arguments(f, args, kwargs)
    kinds = {name: describe(leaf) for name, leaf in named.items() if not _is_abstract(leaf)}
    told = [
        f"`{name}` must be an array or a number, got {kind}"
        for name, kind in kinds.items()
        if "[" not in kind  # of an array it is the type with its shape
    ]
    others = f", and so must {len(told) - 1} other{'s' * (len(told) > 2)}" if told[1:] else ""
    return told[0] + others if told else ""


def _is_abstract(leaf: object) -> bool:
    return isinstance(leaf, jax.ShapeDtypeStruct)


def jitted(f: Callable[..., Any]) -> Any:
    """Return `f` itself if it is jitted, else a jitted function that JAX has not traced before.

    >>> jitted(abs).trace(-1.0).fun_name
    'abs'
    """
    # A bound method forwards `trace` to its function and forgets `self`; that of `nnx.jit` returns
    # no jaxpr. Both are traced from outside, as any other callable.
    if hasattr(f, "clear_cache") and hasattr(f, "trace") and not inspect.ismethod(f):
        return f
    require_callable(f)

    # JAX keeps traces by function object: a new one each time means that no old trace is shown.
    # What a callable object has for attributes, such as a module its parts, is not copied.
    @wraps(f, updated=())
    def fresh(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)

    named: Any = fresh
    named.__name__, named.__wrapped__ = name_of(f), code_behind(f)
    with contextlib.suppress(TypeError, ValueError):  # what is built in need not have a signature
        named.__signature__ = inspect.signature(f)
    return jax.jit(fresh)


def find_equations(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Equation]:
    """Return every equation of the jaxpr of `f`, nested ones included, in their order.

    >>> def f(x):
    ...     return jax.lax.fori_loop(0, 3, lambda i, y: y * x, x)
    >>> [(e.primitive, e.within) for e in find_equations(f, 2.0)]
    [('scan', ()), ('add', ('scan',)), ('mul', ('scan',))]
    """
    return list(_equations(jaxpr_of(f, *args, **kwargs), None))


def _equations(jaxpr: "Jaxpr", outer: Equation | None) -> Iterator[Equation]:
    unused, within = unread(jaxpr), (*outer.within, outer.primitive) if outer else ()
    for eqn in jaxpr.eqns:
        name, bodies = eqn.primitive.name, nested_jaxprs(eqn)
        # What has an effect, such as a print, is not dropped, whoever reads its result.
        dead = unused.issuperset(eqn.outvars) and not eqn.effects
        equation = Equation(name, within, bool(bodies), dead, eqn, outer)
        yield equation
        for body in bodies:
            yield from _equations(body, equation)


def unread(jaxpr: "Jaxpr") -> set[Any]:
    """Return the variables that an equation of `jaxpr` defines and nothing in it reads."""
    atoms = [*jaxpr.outvars, *(atom for eqn in jaxpr.eqns for atom in eqn.invars)]
    read = {atom for atom in atoms if not is_literal(atom)}
    return {var for eqn in jaxpr.eqns for var in eqn.outvars} - read


def dead_equations(jaxpr: "Jaxpr") -> "list[JaxprEqn]":
    """Return the equations of `jaxpr` that none of its results and effects needs, in their order.

    Of the jaxprs nested in it nothing is said.

    >>> def f(x):
    ...     y = x * 2
    ...     unused = y + 1
    ...     return x
    >>> [eqn.primitive.name for eqn in dead_equations(jaxpr_of(f, 3.0))]
    ['mul', 'add']
    """
    needed = {atom for atom in jaxpr.outvars if not is_literal(atom)}
    dead = []
    for eqn in reversed(jaxpr.eqns):
        if eqn.effects or not needed.isdisjoint(eqn.outvars):
            needed.update(atom for atom in eqn.invars if not is_literal(atom))
        else:
            dead.append(eqn)
    return dead[::-1]


def count_equations(f: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
    """Return the number of equations in the jaxpr of `f`, nested ones included.

    >>> def unrolled(x):
    ...     return sum(x[i] for i in range(x.shape[0]))
    >>> import jax.numpy as jnp
    >>> count_equations(jnp.sum, jnp.ones(8)) < count_equations(unrolled, jnp.ones(8))
    True
    """
    return len(find_equations(f, *args, **kwargs))


def count_primitives(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Counter[str]:
    """Return how often each primitive occurs in the jaxpr of `f`, nested ones included.

    >>> count_primitives(lambda x: x * x - x, 3.0)
    Counter({'mul': 1, 'sub': 1})
    """
    return Counter(each.primitive for each in find_equations(f, *args, **kwargs))
