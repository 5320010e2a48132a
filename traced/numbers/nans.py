"""Find the equation in which a NaN or an infinity first appears."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.internals import jaxprs
from traced.internals.frames import calls_to, lines_of
from traced.internals.interpreter import Interpreter, Results, choose
from traced.programs.jaxprs import jitted
from traced.python.calls import require_callable
from traced.python.places import Place, first_place, is_library
from traced.python.values import describe
from traced.pytrees.differences import call_with, name_arguments, require_values

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
    require_callable(f)
    named = name_arguments(f, args, kwargs)
    require_values(named)
    leaves = _inputs(f, named)

    def call(*values: Any) -> Any:
        return call_with(f, args, kwargs, dict(zip(leaves, values, strict=True)))

    values = list(leaves.values())
    with jax.debug_nans(False), jax.debug_infs(False):
        return _search(jitted(call).trace(*values).jaxpr, values, list(leaves))


def _inputs(f: Callable[..., Any], leaves: dict[str, Any]) -> dict[str, Any]:
    # A number may be static for a jitted function, and an object for any: they stay as they are.
    # So does a Python integer, which is always finite: it may be an axis or a size.
    arrays = (jax.Array, np.ndarray) if hasattr(f, "trace") else object
    kept = {
        name: leaf
        for name, leaf in leaves.items()
        if isinstance(leaf, arrays) and not isinstance(leaf, int)
    }
    # What `f` writes to a Ref is written to a copy of it.
    return {
        name: jax.new_ref(leaf[...]) if isinstance(leaf, jax.Ref) else leaf
        for name, leaf in kept.items()
        if "[" in describe(leaf)
    }


class _Evaluator(Interpreter):
    """Does one equation after the other, each under the settings that it was traced under."""

    def equation(self, eqn: "jaxprs.JaxprEqn", inputs: Sequence[Any], state: None) -> Results:
        with jaxprs.settings_of(eqn):
            return super().equation(eqn, inputs, state)


_EVALUATOR = _Evaluator()


def _search(jaxpr: Any, args: Sequence[Any], names: Sequence[str]) -> FirstNan | None:
    opened, (env, _) = jaxprs.open_jaxpr(jaxpr), _EVALUATOR.evaluate(jaxpr, args)
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
    argument = "" if jaxprs.is_literal(atom) else names.get(atom, "")
    return FirstNan("", None, (), _brief(graph.value(atom)), argument=argument)


@dataclass(frozen=True)
class _Graph:
    """The values of the variables of a jaxpr, and the equations that make them."""

    env: dict[Any, Any]
    makers: dict[Any, "jaxprs.JaxprEqn"]

    def value(self, atom: Any) -> Any:
        return _EVALUATOR.read(atom, self.env)

    def level(self, atoms: Iterable[Any]) -> int:
        return _worst(map(self.value, atoms))

    def sources(
        self, atoms: Iterable[Any], level: int
    ) -> tuple[list["jaxprs.JaxprEqn"], list[Any]]:
        """Return the equations that made values of `level` from better ones, and the given ones."""
        made, given, seen = [], [], set()
        todo = [atom for atom in atoms if self.level([atom]) >= level]
        while todo:
            atom = todo.pop()
            eqn = None if jaxprs.is_literal(atom) else self.makers.get(atom)
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


def _enter(eqn: "jaxprs.JaxprEqn", graph: _Graph) -> FirstNan:
    name, inputs = eqn.primitive.name, [graph.value(atom) for atom in eqn.invars]
    outputs = [graph.env[var] for var in eqn.outvars]
    worst = max(outputs, key=_level)
    place = first_place(lines_of(calls_to(eqn), is_library))
    here = FirstNan(name, place, _operands(inputs, worst), _brief(worst, _at(worst)))
    entry = _first_bad(eqn, inputs, outputs)
    found = _search(entry.jaxpr, entry.inputs, []) if entry else None
    iterations = () if entry is None or entry.index is None else (entry.index,)
    if found is None or not found.primitive:
        return replace(here, iterations=iterations)
    within, inner = (name, *found.within), (*iterations, *found.iterations)
    return replace(found, within=within, iterations=inner, place=found.place or place)


@dataclass(frozen=True)
class _Entry:
    """A jaxpr that an equation runs, and its inputs: those of one iteration, if it is a loop.

    `index` is the number of the iteration, `carry` what it got from the one before.
    """

    jaxpr: Any
    inputs: Sequence[Any]
    index: int | None = None
    carry: Sequence[Any] = ()


def _entries(eqn: "jaxprs.JaxprEqn", inputs: list[Any]) -> Iterator[_Entry]:
    """Yield what an equation runs, in its order, and nothing where that cannot be told."""
    if any(isinstance(each, jax.Ref) for each in inputs):
        return  # it has been written to by now
    match jaxprs.structure(eqn.primitive.name, eqn.params):
        case jaxprs.Call(body):
            yield _Entry(body, inputs)
        case jaxprs.Cond(branches):
            yield _Entry(branches[int(jnp.clip(inputs[0], 0, len(branches) - 1))], inputs[1:])
        case jaxprs.Scan() as scan:
            yield from _steps(scan, inputs)
        case jaxprs.While() as loop:
            yield from _rounds(loop, inputs)


def _steps(scan: jaxprs.Scan, inputs: list[Any]) -> Iterator[_Entry]:
    fixed, carry, columns = scan.split(inputs)
    run = _compiled(scan.body)
    for i in scan.order:
        now = [*fixed, *carry, *(column[i] for column in columns)]
        yield _Entry(scan.body, now, i, carry)
        carry = run(now)[: scan.carried]


def _rounds(loop: jaxprs.While, inputs: list[Any]) -> Iterator[_Entry]:
    asked, fixed, carry = loop.split(inputs)
    goes_on, run = _compiled(loop.condition), _compiled(loop.body)
    index = 0
    while jnp.any(active := goes_on([*asked, *carry])[0]):
        now = [*fixed, *carry]
        yield _Entry(loop.body, now, index, carry)
        carry = choose(active, run(now), carry)
        index += 1


def _compiled(jaxpr: Any) -> Any:
    return jax.jit(lambda inputs: _EVALUATOR.run(jaxpr, inputs)[0])


def _first_bad(eqn: "jaxprs.JaxprEqn", inputs: list[Any], outputs: list[Any]) -> _Entry | None:
    """Return what made a value that is not finite: of a loop, the iteration that did so."""
    first = next(_entries(eqn, inputs), None)
    if first is None or first.index is None:
        return first
    steps = [(step.index, _worst(step.carry)) for step in _entries(eqn, inputs)]
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
    return next(itertools.islice(_entries(eqn, inputs), step, None))


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
