"""Write a jaxpr down, the same on every supported JAX."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import count, groupby
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from traced.drawing.lines import Line, flat
from traced.drawing.picture import Picture, listing, telling
from traced.internals.jaxprs import is_literal, nested_jaxprs
from traced.programs.jaxprs import dead_equations, jaxpr_of, unread
from traced.python.values import describe

if TYPE_CHECKING:
    from traced.internals.jaxprs import Jaxpr, JaxprEqn

#: The parameters that say what an equation computes; the others differ between releases of JAX.
PARAMETERS = (
    "name",
    "new_dtype",
    "y",
    "axes",
    "axis",
    "index_dtype",
    "dimension",
    "dimensions",
    "dimension_numbers",
    "permutation",
    "shape",
    "broadcast_dimensions",
    "new_sizes",
    "start_indices",
    "limit_indices",
    "strides",
    "slice_sizes",
    "length",
    "reverse",
    "k",
)
#: What is said of an equation that does not reach the program that runs, with who leaves it out.
UNNEEDED = "dropped by {}: no result needs it"
#: How the first line of a jaxpr begins.
OPENED = "{ lambda"
#: Characters of parameters that a line has room for, and how many operands or results.
ROOM, MANY = 16, 6
KEPT = 3  # equations shown of a long run of the same primitive


@telling
def show_jaxpr(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Picture:
    """Return the jaxpr of `f` as JAX writes it, less what changes from release to release.

    A run of more than six equations of one primitive is cut, with a line that says how many are
    left out. Raises whatever `f` raises while it is traced.

    >>> show_jaxpr(lambda x: 2 * x + 1, 3.0)
    { lambda ; a:f32[]. let
        b:f32[] = mul 2.0:f32[] a
        c:f32[] = add b 1.0:f32[]
      in (c,) }
    """
    return listing("\n".join(map(str, flat(jaxpr_lines(jaxpr_of(f, *args, **kwargs))))))


def jaxpr_lines(jaxpr: "Jaxpr", whole: bool = False) -> list[Line]:
    """Return the lines of a jaxpr, each made from its equations, with nested jaxprs folded.

    Long runs of one primitive are cut, unless it has to be `whole`.
    """
    return list(_lines(jaxpr, VariableNames(whole), 0, "JAX"))


class VariableNames(dict[Any, str]):
    """Names for variables, in order of appearance: a … z, then ba, bb, … as JAX does."""

    def __init__(self, whole: bool = False) -> None:
        self.whole = whole
        self.fresh = map(_letters, count())
        self.unread: set[Any] = set()
        self.dead: dict[int, str] = {}

    def __missing__(self, var: Any) -> str:
        self[var] = next(self.fresh)
        return self[var]

    def bind(self, var: Any) -> str:
        """Return the variable with its type, where it is defined; `_` where nothing reads it."""
        return f"{'_' if var in self.unread else self[var]}:{var.aval.str_short(short_dtypes=True)}"

    def read(self, atom: Any) -> str:
        """Return the name of a variable, or a literal with its type."""
        if is_literal(atom):
            # JAX's numbers print their dtype, or more digits than it has; NumPy's do neither.
            number = np.asarray(atom.val, atom.aval.dtype)
            return f"{number!s}:{describe(atom.val).lstrip('~')}"
        return self[atom]


def _letters(n: int) -> str:
    head, last = divmod(n, 26)
    return (_letters(head) if head else "") + chr(ord("a") + last)


@cache
def _drops_in_while() -> bool:
    """Tell whether JAX leaves out what no result of the body of a `while` needs, or XLA does."""

    def body(x: Any) -> Any:
        jax.numpy.sin(x)
        return x + 1

    loop = jax.jit(lambda x: jax.lax.while_loop(lambda x: x < 3, body, x))
    return "stablehlo.sine" not in loop.lower(np.float32(0)).as_text()


def _lines(jaxpr: "Jaxpr", names: VariableNames, depth: int, dropper: str) -> Iterator[Line]:
    names.unread |= unread(jaxpr)
    names.dead |= {id(eqn): UNNEEDED.format(dropper) for eqn in dead_equations(jaxpr)}
    consts = " ".join(map(names.bind, jaxpr.constvars))
    inputs = " ".join(map(names.bind, jaxpr.invars))
    yield Line(f"{OPENED} {consts}; {inputs}. let", depth)
    for _, run in groupby(jaxpr.eqns, key=lambda eqn: eqn.primitive.name):
        yield from _run(list(run), names, depth + 4, dropper)
    yield Line(f"in {_tuple(map(names.read, jaxpr.outvars))} }}", depth + 2)


def _tuple(texts: Iterable[Any]) -> str:
    texts = list(map(str, texts))
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def _run(eqns: list["JaxprEqn"], names: VariableNames, depth: int, dropper: str) -> Iterator[Line]:
    long = len(eqns) > 2 * KEPT and not names.whole
    for i, eqn in enumerate(eqns):
        # Every equation is written, so that the names after a cut are the ones without it.
        line = equation_line(eqn, names, depth, dropper)
        if not long or i < KEPT - 1 or i == len(eqns) - 1:
            yield line
        elif i == KEPT:
            left = tuple(eqns[KEPT - 1 : -1])
            yield Line(f"... {len(left)} more {eqn.primitive.name} ...", depth, left)


def equation_line(eqn: "JaxprEqn", names: VariableNames, depth: int, dropper: str = "JAX") -> Line:
    """Return the line of an equation, with the jaxprs nested in it below.

    `dropper` leaves out what no result needs.
    """
    inputs = [names.read(var) for var in eqn.invars]
    outputs = [*map(names.bind, eqn.outvars)]
    parameters = parameter_texts(eqn)
    told = f"[{' '.join(parameters)}]" if parameters else ""
    below = "XLA" if eqn.primitive.name == "while" and not _drops_in_while() else dropper
    bodies = nested_jaxprs(eqn)
    inner = (line for body in bodies for line in _lines(body, names, depth + 2, below))

    def call(parameters: str, outputs: list[str], inputs: list[str]) -> str:
        call = " ".join([eqn.primitive.name + parameters, *inputs])
        return f"{' '.join(outputs)} = {call}".removeprefix(" = ")

    is_long, whole = len(told) > ROOM, call(told, outputs, inputs)
    brief = call("[…]" if is_long else told, _ends(outputs), _ends(inputs))
    sides = {"results": outputs, "operands": inputs}
    many = [f"{side}: {' '.join(each)}" for side, each in sides.items() if len(each) > MANY]
    return Line(
        whole,
        depth,
        (eqn,),
        tuple(inner),
        fate=names.dead.get(id(eqn), ""),
        brief=brief if brief != whole else "",
        details=(*many, *(parameters if is_long else ())),
    )


def _ends(texts: list[str]) -> list[str]:
    return [texts[0], "…", texts[-1]] if len(texts) > MANY else texts


def parameter_texts(eqn: "JaxprEqn") -> list[str]:
    """Return the parameters that say what an equation computes, each as `name=value`."""
    shown = {name: eqn.params[name] for name in PARAMETERS if eqn.params.get(name) is not None}
    return [f"{name}={_value(value)}" for name, value in shown.items()]


def _value(value: Any) -> str:
    """Write a parameter; the integers in a tuple may be NumPy's, which print differently."""
    return _tuple(map(_value, value)) if type(value) is tuple else str(value)
