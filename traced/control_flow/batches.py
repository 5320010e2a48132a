"""See what `vmap` makes of branches and loops: what each example needs, and what runs for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from traced.control_flow.steps import MOST
from traced.internals import jaxprs
from traced.internals.interpreter import Interpreter, Results
from traced.programs.jaxprs import trace
from traced.python.calls import require_callable
from traced.python.values import PyTree
from traced.pytrees.differences import name_arguments


@dataclass(frozen=True)
class BatchedCond:
    """A `cond` or a `switch`: which branch each example selects, and what all of them computed.

    `branches` has the primitives of each, and `results` what it gave, with a row for each example;
    nothing of a branch that was not run. Where the predicate `is_mapped`, all branches run for all
    examples; else the one that is selected does, for the batch as a whole. That of a `cond`
    `is_true_or_false`.
    """

    is_mapped: bool
    selected: list[int]
    branches: list[tuple[str, ...]]
    results: list[list[Any] | None]
    is_true_or_false: bool

    @property
    def thrown_away(self) -> int:
        """How many results of branches are computed and not selected."""
        return (len(self.branches) - 1) * len(self.selected) if self.is_mapped else 0


@dataclass(frozen=True)
class BatchedLoop:
    """A `while_loop`: the rounds that each example needs; all run until the last of them is done.

    Where the condition is not mapped, one answer holds for all. A loop is left after ten thousand
    rounds, and has not `ended` then.
    """

    is_mapped: bool
    rounds: list[int]
    ended: bool

    @property
    def run(self) -> int:
        """How many rounds run, of all examples together."""
        return max(self.rounds) * len(self.rounds)


@dataclass(frozen=True)
class Batch:
    """What a function under `vmap` gets and gives for each example, and its branches and loops.

    `given` are the arguments that are mapped, by name, and `results` has an entry for each example.
    """

    size: int
    given: dict[str, Any]
    results: list[Any]
    found: list[BatchedCond | BatchedLoop]


def record_batch(f: Callable[..., Any], *args: Any, in_axes: PyTree = 0) -> Batch:
    """Return what `jax.vmap(f, in_axes)` does at these arguments, at each branch and each loop.

    Those are told that `f` comes to outside of other branches and loops, and calls are entered.
    Raises whatever `vmap` and `f` raise.

    >>> batch = record_batch(lambda x: lax.while_loop(lambda y: y < 9, lambda y: 2 * y, x),
    ...                      jnp.array([1, 4, 9]))
    >>> batch.found[0].rounds, batch.found[0].run
    ([4, 2, 0], 12)
    """
    require_callable(f)
    seen: list[_Seen] = []
    trees: list[Any] = []
    names: list[str] = []

    def run(*args: Any) -> Any:
        leaves = name_arguments(f, args, {})
        given = {name: leaf for name, leaf in leaves.items() if _is_mapped(leaf)}
        names.extend(given)
        traced, inputs = _traced(f, args)
        trees.append(jax.tree.structure(traced.out_info))
        results, _ = _Recorder(seen).run(traced.jaxpr, inputs)
        return [*given.values()], results, [each.values for each in seen]

    leaves, results, values = jax.vmap(run, in_axes)(*args)
    given = dict(zip(names, leaves, strict=True))
    size = len(leaves[0])
    rows = [jax.tree.unflatten(trees[0], [each[i] for each in results]) for i in range(size)]
    found = [each.told(row) for each, row in zip(seen, values, strict=True)]
    return Batch(size, given, rows, found)


def _traced(f: Callable[..., Any], args: tuple[Any, ...]) -> tuple[jax.stages.Traced, list[Any]]:
    """Return `f` traced inside of `vmap`, and what it is traced for."""
    leaves, tree = jax.tree.flatten(args)
    try:
        return trace(f, *args), leaves
    except (jax.errors.ConcretizationTypeError, TypeError):
        # What is not mapped has a value under `vmap`, which `f` needs, or is no array.
        mapped = {i: leaf for i, leaf in enumerate(leaves) if _is_mapped(leaf)}

    def filled(*inputs: Any) -> Any:
        given = {**dict(enumerate(leaves)), **dict(zip(mapped, inputs, strict=True))}
        return f(*jax.tree.unflatten(tree, given.values()))

    return trace(filled, *mapped.values()), [*mapped.values()]


def _is_mapped(value: Any) -> bool:
    """Return whether a value is one of a batch, inside of `vmap`."""
    return isinstance(value, jax.core.Tracer)


@dataclass(frozen=True)
class _Seen:
    """A branch or a loop inside of `vmap`, with its values of all examples still to come."""

    is_mapped: bool
    values: Any
    branches: Sequence[tuple[str, ...]] | None = None
    is_true_or_false: bool = False

    def told(self, values: Any) -> BatchedCond | BatchedLoop:
        if self.branches is None:
            rounds, going = values
            return BatchedLoop(self.is_mapped, [int(each) for each in rounds], not going.any())
        index, results = values
        return BatchedCond(
            self.is_mapped,
            [int(each) for each in index],
            list(self.branches),
            [each and _rows(each) for each in results],
            self.is_true_or_false,
        )


def _rows(columns: Sequence[Any]) -> list[Any]:
    rows = [tuple(column[i] for column in columns) for i in range(len(columns[0]))]
    return [row[0] if len(row) == 1 else row for row in rows]


class _Recorder(Interpreter):
    """Does one operation after the other inside of `vmap`, and keeps the branches and loops."""

    def __init__(self, seen: list[_Seen]) -> None:
        self.seen = seen
        self.truths: set[Any] = set()

    def equation(self, eqn: "jaxprs.JaxprEqn", inputs: Sequence[Any], state: Any) -> Results:
        if eqn.primitive.name == "convert_element_type" and jnp.asarray(inputs[0]).dtype == bool:
            self.truths.update(eqn.outvars)
        return super().equation(eqn, inputs, state)

    def call(self, call: jaxprs.Call, operation: jaxprs.Operation, state: Any) -> Results:
        return self.run(call.body, operation.inputs, state)

    def cond(self, cond: jaxprs.Cond, operation: jaxprs.Operation, state: Any) -> Results:
        index, *operands = operation.inputs
        is_mapped = _is_mapped(index)
        results = [
            self._results(branch, operands) if is_mapped or i == int(index) else None
            for i, branch in enumerate(cond.branches)
        ]
        eqn = operation.eqn
        truth = eqn is not None and eqn.invars[0] in self.truths
        names = [_primitives(branch) for branch in cond.branches]
        self.seen.append(_Seen(is_mapped, (index, results), names, truth))
        # What has an effect, such as a print, has it once: nothing is computed again.
        told = [each for each in results if each is not None]
        if not is_mapped:
            return told[0], state
        return [lax.select_n(index, *cases) for cases in zip(*told, strict=True)], state

    def _results(self, branch: Any, operands: Sequence[Any]) -> list[Any]:
        return [jnp.asarray(each) for each in Interpreter().run(branch, operands)[0]]

    def while_loop(self, loop: jaxprs.While, operation: jaxprs.Operation, state: Any) -> Results:
        asked, fixed, carry = loop.split(operation.inputs)
        plain = Interpreter()

        def is_going(carry: Any) -> Any:
            return plain.run(loop.condition, [*asked, *carry])[0][0]

        def goes_on(counted: Any) -> Any:
            count, carry = counted
            return (count < MOST) & is_going(carry)

        def step(counted: Any) -> Any:
            count, carry = counted
            return count + 1, plain.run(loop.body, [*fixed, *carry])[0]

        # Whatever carries it, the count is mapped if JAX asks the condition for each example.
        count, carry = lax.while_loop(goes_on, step, (0, list(carry)))
        self.seen.append(_Seen(_is_mapped(count), (count, is_going(carry))))
        return carry, state


def _primitives(branch: Any) -> tuple[str, ...]:
    return tuple(eqn.primitive.name for eqn in jaxprs.open_jaxpr(branch).eqns)
