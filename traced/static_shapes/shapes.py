"""Tell the shapes that a function returns, and where it asks a tracer for its value."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.errors import (
    ConcretizationTypeError,
    NonConcreteBooleanIndexError,
    TracerArrayConversionError,
    TracerBoolConversionError,
    TracerIntegerConversionError,
)

from traced.internals.canary import canary
from traced.internals.refused_tracers import refused_tracers, whole_tracebacks
from traced.programs.jaxprs import trace
from traced.python.places import Place, is_library, place_of_error
from traced.pytrees.differences import name_leaves

#: The kinds of value dependence, by the error that JAX or Python raises, most special one first.
ERRORS: tuple[tuple[type[Exception], str, str], ...] = (
    (TracerBoolConversionError, "", "branch"),
    (NonConcreteBooleanIndexError, "", "index"),
    (IndexError, r"must (?:have|be) static", "index"),
    (TypeError, "Shapes must be 1D sequences of concrete values", "shape"),
    (TracerIntegerConversionError, "", "conversion"),
    (TracerArrayConversionError, "", "conversion"),
    (ConcretizationTypeError, r"`(?:float|int|complex)` function|item\(\) method", "conversion"),
    (TypeError, r"unhashable type: '\w*Tracer'|format string passed to \w*Tracer", "conversion"),
    (ConcretizationTypeError, "", "static"),
    (TypeError, "parameters to jaxpr equations must have __hash__", "static"),
    (ValueError, r"Non-hashable static arguments.*Tracer", "static argument"),
)


@dataclass(frozen=True)
class Shape:
    """The type of one array that a function returns, at its path, which starts with `result`."""

    path: str
    shape: tuple[int, ...]
    dtype: str
    weak: bool


def find_shapes(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Shape]:
    """Return the type of each array in the result of `f`, which is traced and not run.

    The arguments may be `jax.ShapeDtypeStruct`.

    >>> import jax
    >>> find_shapes(lambda x: {"twice": 2 * x}, jax.ShapeDtypeStruct((3,), "float32"))
    [Shape(path="result['twice']", shape=(3,), dtype='float32', weak=False)]
    """
    traced = trace(f, *args, **kwargs)
    result = jax.tree.unflatten(jax.tree.structure(traced.out_info), traced.jaxpr.out_avals)
    leaves = name_leaves(result, "result")
    return [
        Shape(path, leaf.shape, str(leaf.dtype), leaf.weak_type) for path, leaf in leaves.items()
    ]


@dataclass(frozen=True)
class Dependence:
    """The place at which a function cannot be traced, since something there depends on a value.

    What needs the value is told by `kind`: a `branch` (`if`, `while`, `and`, `in`), a `shape`
    (`jnp.zeros(n)`), an `index` (a mask, a slice), a `conversion` to a number, to NumPy or to text
    by Python, something that must be `static` (a parameter that JAX reads: `length`, `axis`, the
    `stop` of `jnp.arange`, the size that `jnp.nonzero` cannot know), or a `static argument` of a
    function under `jit`.

    `arguments` names those arguments of `function` on which the value depends. `function` is the
    innermost traced function: it may be the body of a loop. Both are empty where JAX cannot tell,
    as for a value made from constants.
    """

    kind: str
    arguments: tuple[str, ...]
    function: str
    place: Place | None


#: Functions that cannot be traced, each with the kind of its dependence and the argument.
DEPENDENCES: tuple[tuple[Callable[..., Any], str, tuple[str, ...]], ...] = (
    (lambda x, n: 1 if n > 0 else 2, "branch", ("n",)),
    (lambda x, n: jnp.zeros(n), "shape", ("n",)),
    (lambda x, n: x[:n], "index", ("n",)),
    (lambda x, n: x[x > n], "index", ("x", "n")),
    (lambda x, n: float(n), "conversion", ("n",)),
    (lambda x, n: n.item(), "conversion", ("n",)),
    (lambda x, n: f"{n:d}", "conversion", ()),
    (lambda x, n: hash(n), "conversion", ()),
    (lambda x, n: np.asarray(n), "conversion", ("n",)),
    (lambda x, n: range(n), "conversion", ("n",)),
    (lambda x, n: jnp.arange(n), "static", ("n",)),
    (lambda x, n: jax.lax.slice(x, (0,), (n,)), "static", ("n",)),
    (lambda x, n: jax.jit(lambda m: m, static_argnums=0)(n), "static argument", ()),
)


@canary("which value JAX asked for, and of which argument")
def _asks_for_values() -> bool:
    """Ask for values in every way that has a kind of its own."""
    x, n = np.ones(3, "float32"), np.int32(2)
    found = [(find_first_dependence(f, x, n), kind, names) for f, kind, names in DEPENDENCES]
    return all(
        seen is not None and (seen.kind, seen.arguments) == (kind, names)
        for seen, kind, names in found
    )


@_asks_for_values.guards
def find_first_dependence(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Dependence | None:
    """Return where tracing `f` fails because a value is needed, or None where it does not fail.

    Tracing stops at the first such place: what comes after it is not seen. Any other error comes
    through.

    >>> import jax.numpy as jnp
    >>> find_first_dependence(lambda x, n: x[:n], jnp.ones(3), 2).arguments
    ('n',)
    """
    with whole_tracebacks():
        try:
            trace(f, *args, **kwargs)
        except Exception as error:
            kind = _kind(error)
            if kind is None:
                raise
            return Dependence(kind, *_origin(error), place_of_error(error))
    return None


def _kind(error: Exception) -> str | None:
    for family, pattern, kind in ERRORS:
        if isinstance(error, family) and re.search(pattern, str(error), re.DOTALL):
            return kind
    return None


ORIGIN = re.compile(r"while tracing the function (\S+) (?:at .+? )?for .+ arguments? (.+)\.$", re.M)


def _origin(error: Exception) -> tuple[tuple[str, ...], str]:
    found = ORIGIN.search(str(error)) or ORIGIN.search(_retold(error))
    if found is None:
        return (), ""
    names = re.split(r"(?:, and |, | and )(?![^\[]*\])", found[2])
    return tuple(names), found[1].replace("<unknown>", "")


def _retold(error: Exception) -> str:
    # JAX tells the origin of any tracer, but not in each of its errors.
    return "".join(
        str(ConcretizationTypeError(tracer)) for tracer in refused_tracers(error, is_library)[:1]
    )
