"""Find the equation in which a NaN or an infinity first appears."""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.probes.internals.nans import Body, bodies, evaluate
from traced.probes.internals.traces import frames, is_literal, open_jaxpr
from traced.probes.jaxprs import jitted
from traced.probes.places import Place, first_place, is_library
from traced.probes.signatures import describe
from traced.probes.trees import call_with, name_arguments

if TYPE_CHECKING:
    from traced.probes.internals.traces import JaxprEqn

#: How bad a value is: finite, infinite, not a number.
FINITE, INF, NAN = 0, 1, 2


@dataclass(frozen=True)
class FirstNan:
    """Where a NaN or an infinity comes from that reaches the result of a function.

    `primitive` is that of the equation, and `within` those it is nested in, outermost first.
    `iterations` has one number for each loop among them, the index of a `scan` in its inputs.
    `operands` and `result` describe its values, with the first entry that is not finite; in a loop
    under `vmap` it may be one whose loop had ended.

    Where the value came in from outside, `primitive` is empty, and `argument` names the argument,
    or is empty for a constant, which is what a number is that is given to a jitted function.
    """

    primitive: str
    place: Place | None
    operands: tuple[str, ...]
    result: str
    within: tuple[str, ...] = ()
    iterations: tuple[int, ...] = ()
    argument: str = ""


def find_first_nan(f: Callable[..., Any], *args: Any, **kwargs: Any) -> FirstNan | None:
    """Return the equation from which a NaN or an infinity in the result of `f` comes, or None.

    The jaxpr is evaluated one equation after the other. From what is not finite in the result, the
    search goes back through what is not finite: a NaN that `where` discards is not reported. It
    ends at a result that is not finite though all operands are; at a NaN made from infinities if
    those were given, as a mask of `-inf` is; or at an argument or a constant.

    Calls, `cond`, `scan` and `while` are entered, loops step by step. Anything else that holds a
    jaxpr, as `shard_map` or a Pallas kernel, is reported as one equation, as is what takes a Ref.
    What XLA would make of the whole may differ. All values are kept in memory, and what `f` prints
    by way of JAX is printed each time that it is evaluated.

    >>> import jax.numpy as jnp
    >>> found = find_first_nan(lambda x: jnp.exp(x) / jnp.exp(x), 100.0)
    >>> found.primitive, found.operands, found.result
    ('exp', ('~f32[] 100.',), '~f32[] inf')
    """
    leaves = _inputs(f, name_arguments(f, args, kwargs))

    def call(*values: Any) -> Any:
        return call_with(f, args, kwargs, dict(zip(leaves, values, strict=True)))

    values = list(leaves.values())
    with jax.debug_nans(False), jax.debug_infs(False):
        return _search(jitted(call).trace(*values).jaxpr, values, list(leaves))


def _inputs(f: Callable[..., Any], leaves: dict[str, Any]) -> dict[str, Any]:
    # A number may be static for a jitted function, and an object for any: they stay as they are.
    arrays = (jax.Array, np.ndarray) if hasattr(f, "trace") else object
    kept = {name: leaf for name, leaf in leaves.items() if isinstance(leaf, arrays)}
    # What `f` writes to a Ref is written to a copy of it.
    return {
        name: jax.new_ref(leaf[...]) if isinstance(leaf, jax.Ref) else leaf
        for name, leaf in kept.items()
        if "[" in describe(leaf)
    }


def _search(jaxpr: Any, args: list[Any], names: list[str]) -> FirstNan | None:
    opened, env = open_jaxpr(jaxpr), evaluate(jaxpr, args)
    graph = _Graph(env, {var: eqn for eqn in opened.eqns for var in eqn.outvars})
    level = graph.level(opened.outvars)
    if level == FINITE:
        return None
    made, given = graph.sources(opened.outvars, level)
    if level == NAN:
        # A NaN made from infinities comes from where those were made, unless they were given.
        made = [each for nan in made for each in graph.sources(nan.invars, INF)[0] or [nan]]
    if made:
        return _enter(next(eqn for eqn in opened.eqns if any(eqn is each for each in made)), graph)
    return _given(given[0], dict(zip(opened.invars, names, strict=False)), graph)


def _given(atom: Any, names: dict[Any, str], graph: "_Graph") -> FirstNan:
    argument = "" if is_literal(atom) else names.get(atom, "")
    return FirstNan("", None, (), _brief(graph.value(atom)), argument=argument)


@dataclass(frozen=True)
class _Graph:
    """The values of the variables of a jaxpr, and the equations that make them."""

    env: dict[Any, Any]
    makers: dict[Any, "JaxprEqn"]

    def value(self, atom: Any) -> Any:
        return atom.val if is_literal(atom) else self.env[atom]

    def level(self, atoms: Iterable[Any]) -> int:
        return _worst(map(self.value, atoms))

    def sources(self, atoms: Iterable[Any], level: int) -> tuple[list["JaxprEqn"], list[Any]]:
        """Return the equations that made values of `level` from better ones, and the given ones."""
        made, given, seen = [], [], set()
        todo = [atom for atom in atoms if self.level([atom]) >= level]
        while todo:
            atom = todo.pop()
            eqn = None if is_literal(atom) else self.makers.get(atom)
            if eqn is None:
                given.append(atom)
            elif id(eqn) not in seen:
                seen.add(id(eqn))
                worse = [each for each in eqn.invars if self.level([each]) >= level]
                todo += worse
                made += [] if worse else [eqn]
        return made, given


def _level(value: Any) -> int:
    if isinstance(value, jax.Ref) or not jnp.issubdtype(_dtype(value), jnp.inexact):
        return FINITE
    array = np.asarray(value)
    return NAN if np.isnan(array).any() else INF if np.isinf(array).any() else FINITE


def _dtype(value: Any) -> Any:
    return value.dtype if hasattr(value, "dtype") else np.asarray(value).dtype


def _enter(eqn: "JaxprEqn", graph: _Graph) -> FirstNan:
    name, inputs = eqn.primitive.name, [graph.value(atom) for atom in eqn.invars]
    outputs = [graph.env[var] for var in eqn.outvars]
    worst = max(outputs, key=_level)
    place = first_place(frames(eqn, is_library))
    here = FirstNan(name, place, _operands(inputs, worst), _brief(worst, _at(worst)))
    body = _first_bad(eqn, inputs, outputs)
    found = _search(body.jaxpr, body.inputs, []) if body else None
    iterations = () if body is None or body.index is None else (body.index,)
    if found is None or not found.primitive:
        return replace(here, iterations=iterations)
    within, inner = (name, *found.within), (*iterations, *found.iterations)
    return replace(found, within=within, iterations=inner, place=found.place or place)


def _first_bad(eqn: "JaxprEqn", inputs: list[Any], outputs: list[Any]) -> Body | None:
    """Return the body that makes what is not finite: of a loop, that of the iteration it did so."""
    first = next(bodies(eqn, inputs), None)
    if first is None or first.index is None:
        return first
    steps = [(step.index, _worst(step.carry)) for step in bodies(eqn, inputs)]
    indices, levels = zip(*steps, strict=True)
    level, carried = _worst(outputs), len(first.carry)
    bad = [
        i for i, index in enumerate(indices) if _worst(y[index] for y in outputs[carried:]) >= level
    ]
    if _worst(outputs[:carried]) >= level:
        bad.append(len(levels) - 1)
    step = min(_since(levels, i, level) for i in bad)
    if levels[_since(levels, step, INF)] == FINITE:
        step = _since(levels, step, INF)
    return next(itertools.islice(bodies(eqn, inputs), step, None))


def _worst(values: Iterable[Any]) -> int:
    return max(map(_level, values), default=FINITE)


def _since(levels: tuple[int, ...], step: int, level: int) -> int:
    """Return the last step up to `step` that began better than `level`, or the first of all."""
    while step and levels[step] >= level:
        step -= 1
    return step


def _at(value: Any) -> tuple[int, ...]:
    bad = np.argwhere(~np.isfinite(np.asarray(value)))
    return tuple(bad[0].tolist())


def _operands(inputs: list[Any], result: Any) -> tuple[str, ...]:
    at = _at(result)
    shape = np.shape(result)
    return tuple(_brief(each, at if np.shape(each) == shape else ()) for each in inputs)


def _brief(value: Any, at: tuple[int, ...] = ()) -> str:
    """Describe a value, by its entry at an index if there is one, else by all or some of it."""
    if "[" not in (text := describe(value)) or isinstance(value, jax.Ref):
        return text
    if jnp.issubdtype(_dtype(value), jax.dtypes.prng_key):
        return text
    array = np.asarray(value)
    some = np.array2string(array, precision=4, threshold=8)
    entries = str(array[at]) if at else " ".join(some.split())
    where = f" at [{', '.join(map(str, at))}]" if at else ""
    return f"{text} {entries}{where}"
