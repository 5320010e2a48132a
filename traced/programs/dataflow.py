"""Tell how values flow through a function: what each is made from, and what becomes of it."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from traced.internals.jaxprs import Call, Scan, is_literal, nested_jaxprs, open_jaxpr, structure
from traced.programs.fusions import find_fusions
from traced.programs.jaxpr_lines import VariableNames, equation_line, parameter_texts
from traced.programs.jaxprs import dead_equations
from traced.programs.memory import Donation, measure_program
from traced.programs.origins import Origins
from traced.programs.stages import Compiled, compile_whole
from traced.pytrees.differences import name_arguments, name_leaves

if TYPE_CHECKING:
    from traced.internals.jaxprs import Jaxpr, JaxprEqn

ROOM = 18  # characters of a primitive with its parameters


@dataclass(frozen=True)
class Step:
    """An argument, a captured array, an equation or a result.

    `text` says it as `show_jaxpr` does, and `brief` in fewer letters. `reads` are the places of the
    steps that it is made from, in their order. `fusion` is the number of the fusion that an
    equation is in with others, or 0. `memory` names the result that takes the memory of a donated
    argument, or the argument whose memory a result takes.
    """

    kind: str
    name: str
    types: tuple[str, ...]
    text: str
    brief: str
    reads: tuple[int, ...] = ()
    is_needed: bool = True
    fusion: int = 0
    is_donated: bool = False
    memory: str = ""


def find_dataflow(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Step]:
    """Return the steps of `f` at these arguments: what comes in, each equation, what goes out.

    `f` is traced and compiled for this backend, and not run. A function that only calls a jitted
    one is taken apart. Raises whatever `f` raises while it is traced.

    >>> def f(x):
    ...     unused = x + 1
    ...     return 2 * x
    >>> [(step.text, step.reads, step.is_needed) for step in find_dataflow(f, 3.0)]
    [('x', (), True), ('add a 1.0:f32[]', (0,), False), ('mul 2.0:f32[] a', (0,), True), \
('c', (2,), True)]
    """
    with warnings.catch_warnings():
        # That a donation is of no use is told by the step.
        warnings.filterwarnings("ignore", "Some donated buffers were not usable")
        whole = compile_whole(f, *args, **kwargs)
        donations = _donations(whole, f, args, kwargs)
    return list(_Reader(f, whole, donations).steps(args, kwargs))


def _donations(
    whole: Compiled, f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Donation, ...]:
    if not any(each.donated for each in jax.tree.leaves(whole.lowered.args_info)):
        return ()
    return measure_program(f, *args, **kwargs).donations


class _Reader:
    """Reads the steps one after the other, and remembers which of them made a variable."""

    def __init__(
        self, f: Callable[..., Any], whole: Compiled, donations: tuple[Donation, ...]
    ) -> None:
        self.f, self.whole, self.donations = f, whole, donations
        self.names = VariableNames()
        self.places: dict[Any, int] = {}
        origins = Origins(f)
        self.jaxpr, outer = _unfolded(whole.jaxpr, origins)
        fusions = find_fusions(self.jaxpr, origins, whole.hlo, outer)
        sizes = Counter(fusions.values())
        shared = dict.fromkeys(name for name in fusions.values() if sizes[name] > 1)
        numbers = {name: number for number, name in enumerate(shared, start=1)}
        self.fusions = {id(eqn): numbers.get(name, 0) for eqn, name in fusions.items()}
        self.dead = {id(eqn) for eqn in dead_equations(self.jaxpr)}
        live = [eqn for eqn in self.jaxpr.eqns if id(eqn) not in self.dead]
        atoms = [*self.jaxpr.outvars, *(atom for eqn in live for atom in eqn.invars)]
        self.needed = {atom for atom in atoms if not is_literal(atom)}

    def steps(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Iterator[Step]:
        given = self._arguments(args, kwargs)
        captured = [f"captured {i}" for i, _ in enumerate(self.jaxpr.constvars, start=1)]
        # The names of the variables follow the order in which JAX writes them.
        for var in (*self.jaxpr.constvars, *self.jaxpr.invars):
            self.names.bind(var)
            self.places[var] = len(self.places)
        yield from map(self._captured, self.jaxpr.constvars, captured)
        yield from map(self._argument, self.jaxpr.invars, given)
        count = len(self.places)
        for place, eqn in enumerate(self.jaxpr.eqns, start=count):
            yield self._equation(eqn)
            self.places.update(dict.fromkeys(eqn.outvars, place))
        named = name_leaves(self.whole.lowered.out_info, "result")
        yield from map(self._result, named, self.jaxpr.outvars)

    def _arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[str]:
        leaves = name_arguments(self.f, args, kwargs)
        # Static arguments have no variable, and JAX does not say which are static.
        arrays = [name for name, leaf in leaves.items() if isinstance(leaf, jax.Array | np.ndarray)]
        count = len(self.jaxpr.invars)
        numbered = [f"argument {i + 1}" for i in range(count)]
        return next((each for each in (list(leaves), arrays) if len(each) == count), numbered)

    def _captured(self, var: Any, name: str) -> Step:
        is_needed = var in self.needed
        return Step("captured", self.names[var], _types([var]), name, "captured", (), is_needed)

    def _argument(self, var: Any, name: str) -> Step:
        found = [each.output for each in self.donations if each.argument == name]
        return Step(
            "argument",
            self.names[var],
            _types([var]),
            name,
            name,
            is_needed=var in self.needed,
            is_donated=bool(found),
            memory="".join(found),
        )

    def _equation(self, eqn: "JaxprEqn") -> Step:
        reads = self._places(eqn.invars)
        line = equation_line(eqn, self.names, 0)
        outputs, equals, text = (line.brief or line.text).partition(" = ")
        names = " ".join(each.partition(":")[0] for each in outputs.split()) if equals else ""
        return Step(
            "equation",
            names,
            _types(eqn.outvars),
            text or outputs,
            self._brief(eqn),
            reads,
            id(eqn) not in self.dead,
            self.fusions.get(id(eqn), 0),
        )

    def _result(self, name: str, atom: Any) -> Step:
        memory = "".join(each.argument for each in self.donations if each.output == name)
        text = self.names.read(atom)
        return Step("result", name, _types([atom]), text, name, self._places([atom]), memory=memory)

    def _places(self, atoms: Any) -> tuple[int, ...]:
        return tuple(self.places[atom] for atom in atoms if not is_literal(atom))

    def _brief(self, eqn: "JaxprEqn") -> str:
        """Write `div 8.0` for `div a 8.0:f32[]`: a literal stands on its own side."""
        name = eqn.primitive.name
        found = structure(name, eqn.params)
        if isinstance(found, Scan):
            return f"{name} × {found.length}"
        if called := _called(eqn):
            return f"{name} {called}"
        atoms: list[Any] = eqn.invars
        texts = [
            self.names.read(each).partition(":")[0] if is_literal(each) else "" for each in atoms
        ]
        if len(atoms) == 2 and any(texts):
            return " ".join(filter(None, (texts[0], name, texts[1])))
        if any(texts) and len(brief := " ".join([name, *filter(None, texts)])) <= ROOM + 4:
            return brief
        parameters = " ".join(parameter_texts(eqn))
        told = f"{name}[{parameters}]"
        return told if parameters and len(told) <= ROOM else name


def _called(eqn: "JaxprEqn") -> str:
    """Return the name of the function that an equation calls, or nothing."""
    if name := eqn.params.get("name"):
        return str(name)
    inner = [each for body in nested_jaxprs(eqn) for each in body.eqns]
    is_call = isinstance(structure(eqn.primitive.name, eqn.params), Call)
    return _called(inner[0]) if is_call and len(inner) == 1 else ""


def _types(variables: Any) -> tuple[str, ...]:
    return tuple(each.aval.str_short(short_dtypes=True) for each in variables)


def _unfolded(jaxpr: "Jaxpr", origins: Origins) -> "tuple[Jaxpr, tuple[Any, ...]]":
    """Return the jaxpr of a jitted function where nothing but its call is in `jaxpr`."""
    outer: tuple[Any, ...] = ()
    while call := _sole_call(jaxpr):
        outer = origins.find(jaxpr.eqns[0], outer)
        jaxpr = open_jaxpr(call.body)
    return jaxpr, outer


def _sole_call(jaxpr: "Jaxpr") -> Call | None:
    if len(jaxpr.eqns) != 1 or jaxpr.constvars or jaxpr.eqns[0].primitive.name != "jit":
        return None
    (eqn,) = jaxpr.eqns
    passes_on = (eqn.invars, eqn.outvars) == (jaxpr.invars, jaxpr.outvars)
    found = structure("jit", eqn.params)
    return found if passes_on and isinstance(found, Call) else None
