"""See what a call changed in Flax NNX objects: values, attributes, aliases, structure.

What comes back from inside an NNX transform depends on the mode. Graph mode is Flax's default;
`nnx.set_graph_mode(False)`, or `graph=False` for one transform, is tree mode.

- The value of a Variable, and with it the count of an `nnx.Rngs`: both modes.
- An attribute added, removed or replaced, a static one, a plain array, an alias: graph mode only.
  Tree mode loses them without an error, and so does graph mode with `graph_updates=False`. The
  carry of `nnx.scan` and of the loops may hold values only: they raise for most of the rest.
- The metadata of a Variable: both modes, except `nnx.jit` in graph mode, which loses it.
- An object with two paths to one Variable: graph mode only, tree mode raises `ValueError`.

JAX's own transforms bring nothing back, without an error. The probes look at objects from the
outside, and so see the same in both modes.
"""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from flax import nnx
from numpy.typing import NDArray

from traced.modules.object_graphs import (
    Node,
    ObjectGraph,
    Path,
    graph_of,
    natural,
    node_at,
    paths_in,
    text_of,
)
from traced.python.calls import require_callable

#: Every kind of change.
KINDS = (
    "value",
    "rng count",
    "added",
    "removed",
    "replaced",
    "static",
    "alias added",
    "alias removed",
    "structure",
)

ABSENT = "absent"


@dataclass(frozen=True)
class ModuleChange:
    """One difference: its kind, one of `KINDS`, where, what was there before and what is after.

    *Replaced* is another object at the same path, *static* another value of an attribute that is
    no data or of a Variable's metadata, *structure* another `nnx.graphdef`. `before` and `after`
    have the types of the Variable and of its value, and the value of a scalar; `detail` says how
    far larger values differ. `path` is empty for an object that was given without a name.

    >>> str(ModuleChange("value", "scale", "Param f32[] = 1", "Param f32[] = 2"))
    'value: scale is Param f32[] = 2, was Param f32[] = 1'
    """

    kind: str
    path: str
    before: str
    after: str
    detail: str = ""

    def __str__(self) -> str:
        was = "" if self.after == self.before else f", was {self.before}"
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.kind}: {self.path or 'the object'} is {self.after}{was}{detail}"


@dataclass(frozen=True)
class Alias:
    """One object that several paths lead to: the paths, and the type of the object."""

    paths: tuple[str, ...]
    type: str


def find_module_changes(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[ModuleChange]:
    """Call `f` and return what it changed in the NNX objects among its arguments.

    A path begins with the name of the parameter (`args[0]` where a transform hides it), or with
    `self` for the object that `f` is or is bound to. Objects that `f` reaches by a closure or a
    global name are not compared: for those there is `record_changes`. Raises `ValueError` where
    no argument holds an NNX object, and what `f` raises. What each mode brings back from a
    transform, the top of this module says.

    >>> def see(model):
    ...     model.seen = nnx.Intermediate(jax.numpy.ones(3))
    >>> find_module_changes(nnx.jit(see, graph=False), nnx.Linear(2, 3, rngs=nnx.Rngs(0)))
    []
    >>> print(find_module_changes(nnx.jit(see), nnx.Linear(2, 3, rngs=nnx.Rngs(0)))[-1])
    added: model.seen is Intermediate f32[3], was absent
    """
    require_callable(f)
    with record_changes(**_named(f, args, kwargs)) as changes:
        f(*args, **kwargs)
    return changes


@contextlib.contextmanager
def record_changes(*args: Any, **kwargs: Any) -> Iterator[list[ModuleChange]]:
    """Record what the `with` block changes in the NNX objects in these pytrees.

    The list is filled when the block ends, also by an exception. A keyword is the first part of
    the paths. What each mode brings back from a transform, the top of this module says.

    >>> rngs = nnx.Rngs(0)
    >>> with record_changes(rngs=rngs) as changes:
    ...     _ = rngs(), rngs()
    >>> print(*changes)
    rng count: rngs.default.count is RngCount u32[] = 2, was RngCount u32[] = 0
    """
    changes: list[ModuleChange] = []
    before = graph_of(*args, **kwargs)
    try:
        yield changes
    finally:
        changes.extend(find_changes(before, graph_of(*args, **kwargs)))


def find_changes(before: ObjectGraph, after: ObjectGraph) -> list[ModuleChange]:
    """Return what differs between two graphs of the same objects, sorted by path.

    A module that was added or replaced is one change, with all it holds. A shared object is looked
    at once, at its first path. Inside a traced function a value has changed if it is another
    tracer. It is the same in both modes.

    >>> layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    >>> before = graph_of(layer)
    >>> layer.bias[...] += 0.5
    >>> print(*find_changes(before, graph_of(layer)))
    value: bias is Param f32[3] (largest difference 0.5)
    """
    found = [
        *_differences((), before.root, after.root, set()),
        *_alias_changes("alias added", after, before, after),
        *_alias_changes("alias removed", before, before, after),
        *_structure_changes(before, after),
    ]
    return sorted(found, key=lambda change: (natural(change.path), KINDS.index(change.kind)))


def find_aliases(*args: Any, **kwargs: Any) -> list[Alias]:
    """Return the objects in these pytrees that several paths lead to, sorted by path.

    What a shared module holds is not listed again. Graph mode keeps such an object one; tree mode
    raises `ValueError: Duplicate` if it is or holds a Variable, and `jax.jit` makes it several.

    >>> layer = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    >>> find_aliases({"first": layer, "last": layer})
    [Alias(paths=("['first']", "['last']"), type='Linear')]
    """
    shared = _shared(graph_of(*args, **kwargs))
    found = [Alias(tuple(map(text_of, paths)), node.text) for node, paths in shared]
    return sorted(found, key=lambda alias: natural(alias.paths[0]))


def _named(f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    # A method under `nnx.jit` is bound to its object by `functools.partial`.
    while isinstance(f, functools.partial):
        f, args, kwargs = f.func, (*f.args, *args), {**f.keywords, **kwargs}
    owner = f if isinstance(f, nnx.Pytree) else getattr(f, "__self__", None)
    try:
        bound = inspect.signature(f).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        bound = {f"args[{i}]": value for i, value in enumerate(args)} | dict(kwargs)
    return bound if owner is None else {"self": owner, **bound}


def _differences(
    path: Path, old: Node, new: Node, seen: set[tuple[Node, Node]]
) -> Iterator[ModuleChange]:
    # Shared objects and cycles lead to the same pair again.
    if (old, new) in seen:
        return
    seen.add((old, new))
    detail = _difference(old.values, new.values)
    if old.thing is not new.thing or old.kind != new.kind:
        yield ModuleChange("replaced", text_of(path), old.text, new.text, detail)
        return
    if old.text != new.text or not _equal(old.values, new.values):
        yield ModuleChange(new.kind, text_of(path), old.text, new.text, detail)
    for key in old.parts.keys() - new.parts.keys():
        yield ModuleChange("removed", text_of((*path, key)), old.parts[key].text, ABSENT)
    for key in new.parts.keys() - old.parts.keys():
        yield ModuleChange("added", text_of((*path, key)), ABSENT, new.parts[key].text)
    for key in sorted(old.parts.keys() & new.parts.keys(), key=natural):
        yield from _differences((*path, key), old.parts[key], new.parts[key], seen)


def _equal(old: list[Any], new: list[Any]) -> bool:
    return len(old) == len(new) and all(map(_same, old, new))


def _same(old: object, new: object) -> bool:
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        return old.shape == new.shape and not _differing(old, new).any()
    # Comparing tracers would write into the trace.
    if old is new or isinstance(old, jax.core.Tracer) or isinstance(new, jax.core.Tracer):
        return old is new
    try:
        return bool(old == new)
    except Exception:
        return False


def _differing(old: NDArray[Any], new: NDArray[Any]) -> Any:
    # NaN, which differs from itself, is the same as NaN.
    return ~((old == new) | ((old != old) & (new != new)))


def _difference(old: list[Any], new: list[Any]) -> str:
    pairs = zip(old, new, strict=False)
    gaps = [gap for pair in pairs if (gap := _gap(*pair)) is not None]
    return f"largest difference {np.max(gaps):.4g}" if gaps else ""


def _gap(old: Any, new: Any) -> float | None:
    arrays = isinstance(old, np.ndarray) and isinstance(new, np.ndarray)
    if not arrays or not old.ndim or old.shape != new.shape:
        return None
    where = _differing(old, new)
    if not where.any():
        return None
    wide = complex if np.iscomplexobj(old) or np.iscomplexobj(new) else float
    with np.errstate(all="ignore"):
        return float(np.max(np.abs(old[where].astype(wide) - new[where].astype(wide))))


def _alias_changes(
    kind: str, here: ObjectGraph, before: ObjectGraph, after: ObjectGraph
) -> Iterator[ModuleChange]:
    there = before if here is after else after
    for _, paths in _shared(here):
        # These paths led to one object in the one graph: they do not in the other.
        if len({node_at(there, path) or path for path in paths}) > 1:
            company = (_company(each, paths[0]) for each in (before, after))
            yield ModuleChange(kind, text_of(paths[0]), *company)


def _company(graph: ObjectGraph, path: Path) -> str:
    node = node_at(graph, path)
    if node is None:
        return ABSENT
    others = [text_of(each) for each in paths_in(graph).get(node, []) if each != path]
    return f"one with {', '.join(others)}" if others else "alone"


def _shared(graph: ObjectGraph) -> list[tuple[Node, list[Path]]]:
    return [(node, paths) for node, paths in paths_in(graph).items() if len(paths) > 1]


def _structure_changes(before: ObjectGraph, after: ObjectGraph) -> Iterator[ModuleChange]:
    for key in before.graphdefs.keys() & after.graphdefs.keys():
        old, new = before.graphdefs[key], after.graphdefs[key]
        if not _same(old, new):
            yield ModuleChange("structure", text_of((key,)), _leaves(old), _leaves(new))


def _leaves(graphdef: Any) -> str:
    if graphdef is None:
        return ABSENT
    return f"GraphDef of {graphdef.num_leaves} {'leaf' if graphdef.num_leaves == 1 else 'leaves'}"
