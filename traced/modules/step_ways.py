"""Call one step of training on NNX objects in each of the ways that Flax and JAX have for it.

All ways compile the same step. They differ in what happens at each call before and after the
compiled code: who walks through the objects, and how much of that is Python.

- `nnx.jit`: takes the objects apart and writes what changed back, in Python, at every call.
- `nnx.jit(graph_updates=False)`: the same walk, values of Variables only.
- `nnx.jit(graph=False)`: tree mode; the objects are flattened as pytrees.
- `nnx.cached_partial`: the walk over the inputs is done once, that over the results remains.
- `nnx.jit_partial`: tree mode; the objects are flattened once, when the step is made.
- `jax.jit split/merge`: a `State` goes in and comes out.
- `jax.jit leaves`: a list of arrays goes in and comes out.
- `jax.jit modules`: the objects go in as pytrees and come out as new ones.
"""

from collections.abc import Callable, Mapping
from typing import Any

import jax
from flax import nnx

from traced.python.values import PyTree

TrainStep = Callable[..., Any]
Objects = tuple[Any, ...]


def make_step_ways(step: TrainStep, *objects: Any) -> dict[str, TrainStep]:
    """Return each way of calling `step(*objects, *batch)`, as a function of the batch.

    Each way has its own copy of the objects, which it carries on from call to call, and returns
    what `step` returns. A step may change values of Variables only, since most of the ways bring
    nothing else back. Raises `TypeError` for what is no NNX object, and `ValueError` where two
    places hold one Variable, which tree mode refuses.

    >>> def count(counter, n):
    ...     counter[...] += n
    ...     return counter[...]
    >>> ways = make_step_ways(count, nnx.Variable(jax.numpy.array(0)))
    >>> {int(call(2)) for call in ways.values()}, {int(call(3)) for call in ways.values()}
    ({2}, {5})
    """
    for each in objects:
        if not isinstance(each, nnx.Pytree | nnx.Variable):
            raise TypeError(f"`objects` must be NNX objects, got {type(each).__name__}")
    return {name: way(step, nnx.clone(objects, graph=True)) for name, way in WAYS.items()}


def _jitted(graph: bool, graph_updates: bool = True) -> Callable[[TrainStep, Objects], TrainStep]:
    """Return the way of `nnx.jit` in a mode."""

    def way(step: TrainStep, objects: Objects) -> TrainStep:
        jitted = nnx.jit(step, graph=graph, graph_updates=graph_updates)
        return lambda *batch: jitted(*objects, *batch)

    return way


def _cached_partial(step: TrainStep, objects: Objects) -> TrainStep:
    call: TrainStep = nnx.cached_partial(nnx.jit(step, graph=True), *objects)
    return call


def _jit_partial(step: TrainStep, objects: Objects) -> TrainStep:
    return nnx.jit_partial(step, *objects, graph=False)


def _split_merge(step: TrainStep, objects: Objects) -> TrainStep:
    graphdef, state = nnx.split(objects)

    def pure(state: Any, *batch: Any) -> Any:
        merged = nnx.merge(graphdef, state)
        result = step(*merged, *batch)
        return nnx.state(merged), result

    return _carrying(pure, state)


def _leaves(step: TrainStep, objects: Objects) -> TrainStep:
    graphdef, state = nnx.split(objects)
    leaves, structure = jax.tree.flatten(state)

    def pure(leaves: list[jax.Array], *batch: Any) -> Any:
        merged = nnx.merge(graphdef, jax.tree.unflatten(structure, leaves))
        result = step(*merged, *batch)
        return jax.tree.leaves(nnx.state(merged)), result

    return _carrying(pure, leaves)


def _modules(step: TrainStep, objects: Objects) -> TrainStep:
    def pure(objects: Objects, *batch: Any) -> Any:
        result = step(*objects, *batch)
        return objects, result

    return _carrying(pure, objects)


def _carrying(pure: TrainStep, carry: PyTree) -> TrainStep:
    """Return a function of the batch that keeps the first result of `pure` for its next call."""
    jitted = jax.jit(pure)

    def call(*batch: Any) -> Any:
        nonlocal carry
        carry, result = jitted(carry, *batch)
        return result

    return call


#: Each way, and how a step and its objects become a function of the batch.
WAYS: Mapping[str, Callable[[TrainStep, Objects], TrainStep]] = {
    "nnx.jit": _jitted(graph=True),
    "nnx.jit(graph_updates=False)": _jitted(graph=True, graph_updates=False),
    "nnx.jit(graph=False)": _jitted(graph=False),
    "nnx.cached_partial": _cached_partial,
    "nnx.jit_partial": _jit_partial,
    "jax.jit split/merge": _split_merge,
    "jax.jit leaves": _leaves,
    "jax.jit modules": _modules,
}
