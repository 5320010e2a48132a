"""Tell which equations XLA fused: those whose operations it put into one loop over the data.

XLA writes beside an operation the primitive and the line that it came from. Where several equations
have both in common, it is told only if it cannot be another way; of the others nothing is said.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from traced.internals.jaxprs import Call, is_literal, nested_jaxprs, structure
from traced.programs.hlo import Instruction, Module
from traced.programs.jaxprs import dead_equations
from traced.programs.origins import Origins, is_ours
from traced.python.places import Spot, is_library

if TYPE_CHECKING:
    from traced.internals.jaxprs import Jaxpr, JaxprEqn

#: What an equation and an operation have in common: a primitive, the reader's line, a type.
Mark = tuple[str, Spot, str]

#: Of a jaxpr with more equations it is not asked which of them need each other.
LONG = 2_000

#: How XLA writes the types that JAX abbreviates in another way.
TYPES = {"s": "i", "pred": "bool"}


@dataclass(frozen=True)
class _Made:
    """An operation of the program that runs, and the fusion that holds it, or nothing."""

    instruction: Instruction
    fusion: str


def find_fusions(
    jaxpr: "Jaxpr", origins: Origins, module: Module, outer: tuple[Spot, ...] = ()
) -> "dict[JaxprEqn, str]":
    """Return the names of the fusions that equations of `jaxpr` are in, as far as that is known.

    `module` is its program, and `outer` are the lines that led to it.

    >>> import jax.numpy as jnp
    >>> from traced.programs.stages import compile_whole
    >>> def f(x):
    ...     return jnp.sin(2 * x)
    >>> whole = compile_whole(f, jnp.ones(3))
    >>> found = find_fusions(whole.jaxpr, Origins(f), whole.hlo)
    >>> [eqn.primitive.name for eqn in found], len(set(found.values()))
    (['mul', 'sin'], 1)
    """
    made: defaultdict[Mark, list[_Made]] = defaultdict(list)
    for each in _reached(module, module.entry, ""):
        for mark in _marks_of_operation(each.instruction):
            made[mark].append(each)
    wanted: defaultdict[Mark, list[JaxprEqn]] = defaultdict(list)
    dead = {id(eqn) for eqn in dead_equations(jaxpr)}
    for eqn in (each for each in jaxpr.eqns if id(each) not in dead):
        for mark in set(_marks(eqn, origins, outer)):
            wanted[mark].append(eqn)
    before = _ancestors(jaxpr) if len(jaxpr.eqns) <= LONG else {}
    told: defaultdict[int, set[str]] = defaultdict(set)
    for mark, eqns in wanted.items():
        for eqn, fusions in zip(eqns, _shares(eqns, made[mark], before), strict=True):
            told[id(eqn)] |= fusions
    # What is in two of them is computed twice, and what is outside as well is in none.
    sole = {key: next(iter(fusions)) for key, fusions in told.items() if len(fusions) == 1}
    if before:
        sole |= _between(jaxpr, sole, before, {key for key, fusions in told.items() if fusions})
    return {eqn: sole[id(eqn)] for eqn in jaxpr.eqns if sole.get(id(eqn))}


def _between(
    jaxpr: "Jaxpr", sole: dict[int, str], before: dict[int, int], known: set[int]
) -> dict[int, str]:
    """Return the fusions of equations that XLA has other names for.

    What needs a fusion, and is needed by it, is in it: nothing could run before and after it.
    """
    members: defaultdict[str, int] = defaultdict(int)
    needed: defaultdict[str, int] = defaultdict(int)
    for i, eqn in enumerate(jaxpr.eqns):
        if fusion := sole.get(id(eqn)):
            members[fusion] |= 1 << i
            needed[fusion] |= before[id(eqn)]
    return {
        id(eqn): fusion
        for i, eqn in enumerate(jaxpr.eqns)
        if id(eqn) not in known
        for fusion in members
        if needed[fusion] >> i & 1 and before[id(eqn)] & members[fusion]
    }


def _reached(module: Module, computation: str, fusion: str) -> Iterator[_Made]:
    """Yield what runs once for each run of the program, in the order of a run."""
    for each in module.computations.get(computation, ()):
        if each.opcode in ("fusion", "call"):
            inner = each.name if each.opcode == "fusion" else fusion
            for [name] in each.calls.values():
                yield from _reached(module, name, inner)
        elif each.opcode not in ("parameter", "constant"):
            yield _Made(each, fusion)


def _marks_of_operation(each: Instruction) -> Iterator[Mark]:
    spot = next(_readers(each.spots), None)
    if spot:
        dtype, bracket, shape = each.type.partition("[")
        letters = dtype.rstrip("0123456789")
        known = TYPES.get(letters, letters) + dtype[len(letters) :] + bracket + shape
        yield from ((name, spot, known) for name in each.primitives)


def _readers(spots: Sequence[Spot]) -> Iterator[Spot]:
    for spot in spots:
        if is_ours(spot[0]):  # beyond lies whoever asked
            return
        if not is_library(spot[0]):
            yield spot


def _marks(eqn: "JaxprEqn", origins: Origins, outer: tuple[Spot, ...]) -> Iterator[Mark]:
    chain = origins.find(eqn, outer)
    found = structure(eqn.primitive.name, eqn.params)
    if isinstance(found, Call):
        for body in nested_jaxprs(eqn):
            for inner in body.eqns:
                yield from _marks(inner, origins, chain)
    elif found is None and chain:
        outvars: list[Any] = eqn.outvars
        for var in outvars:
            yield eqn.primitive.name, chain[0], var.aval.str_short(short_dtypes=True)


def _ancestors(jaxpr: "Jaxpr") -> dict[int, int]:
    """Return for each equation those that it needs, as the bits of a number."""
    bits: dict[Any, int] = {}
    found = {}
    for i, eqn in enumerate(jaxpr.eqns):
        needed = 0
        for atom in eqn.invars:
            needed |= 0 if is_literal(atom) else bits.get(atom, 0)
        found[id(eqn)] = needed | 1 << i
        bits.update(dict.fromkeys(eqn.outvars, found[id(eqn)]))
    return found


def _shares(
    eqns: Sequence["JaxprEqn"], made: Sequence[_Made], before: dict[int, int]
) -> list[set[str]]:
    """Return for each of the equations of one mark the fusions that it is in."""
    fusions = {each.fusion for each in made}
    if len(fusions) <= 1 or len(eqns) == 1:
        return [fusions] * len(eqns)
    # Where each needs the one before it, there is one order in which they can run.
    is_chain = before and all(
        before[id(b)] | before[id(a)] == before[id(b)] for a, b in pairwise(eqns)
    )
    if is_chain and len(made) == len(eqns):
        return [{each.fusion} for each in made]
    return [fusions] * len(eqns)
