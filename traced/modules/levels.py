"""Tell what a function holds of NNX objects while `jax.jit` traces it, and what becomes of it."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import jax
from flax import errors

from traced.modules.changes import find_changes
from traced.modules.object_graphs import (
    OBJECTS,
    Node,
    ObjectGraph,
    Path,
    graph_of,
    paths_in,
    text_of,
)
from traced.python.calls import code_behind, name_of, require_callable
from traced.python.reachable import used_globals
from traced.python.values import PyTree

LOST, RETURNED = "lost", "returned"


@dataclass(frozen=True)
class LevelPart:
    """One object or array: what it is outside, what stands in its place inside, what is left of it.

    An object among the arguments is a copy inside, its arrays are tracers. One that the function
    reads besides is `captured`: it is the same object inside, and its values are constants. `fate`
    is `LOST` or `RETURNED` for what the function writes, and empty for the rest. An object that
    stood further up already is `shared`, and has no parts here.
    """

    key: str
    path: str
    text: str
    captured: bool
    holds_value: bool
    shared: bool = False
    fate: str = ""
    parts: tuple["LevelPart", ...] = ()


@dataclass(frozen=True)
class Levels:
    """What a function under `jax.jit` holds: its name, the objects, the error that it raised.

    `others` has the paths of what is lost besides, such as an attribute that was added.
    """

    name: str
    parts: tuple[LevelPart, ...]
    others: tuple[str, ...] = ()
    error: str = ""


def find_levels(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Levels:
    """Return the NNX objects that `f` is given and those that it captures, outside and inside.

    `f` is traced as by `jax.jit(f)(*args, **kwargs)`, and nothing is computed. Captured are objects
    that `f` names, in a closure or as a global, and the one that it is or is bound to. Attributes
    that are no data are left out. Raises `ValueError` where there is no NNX object, and what `f`
    raises, but for an object that is written on another level.

    >>> from flax import nnx
    >>> counter = nnx.Dict(n=nnx.Variable(0))
    >>> def count(counter):
    ...     counter.n[...] += 1
    >>> [part.fate for part in find_levels(count, counter).parts[0].parts]
    ['lost']
    """
    require_callable(f)
    arguments = dict(inspect.signature(f).bind(*args, **kwargs).arguments)
    captured = _captured(f, arguments)
    before = graph_of(**arguments, **captured)
    fates: dict[str, str] = {}

    def traced(args: Any, kwargs: Any) -> None:
        inside = dict(inspect.signature(f).bind(*args, **kwargs).arguments)
        if not _has_objects(inside):
            f(*args, **kwargs)
            return
        at_first = graph_of(**inside)
        result = f(*args, **kwargs)
        after = graph_of(**inside)
        is_kept = _kept_by(result, after)
        for change in find_changes(at_first, after):
            if change.kind != "structure":  # what changes it is told where it is
                fates[change.path] = RETURNED if is_kept(change.path) else LOST

    error = ""
    try:
        jax.eval_shape(traced, args, kwargs)
    except errors.TraceContextError as raised:
        error = type(raised).__name__
    seen: set[Node] = set()
    parts = tuple(
        _part(key, node, (key,), key in captured, fates, seen)
        for key, node in before.root.parts.items()
    )
    shown = set(_paths(parts))
    others = [path for path, fate in fates.items() if fate == LOST and path not in shown]
    return Levels(name_of(f), parts, tuple(others), error)


def _captured(f: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the NNX objects that a function reads, and that are not its arguments, by name."""
    owner = f if isinstance(f, OBJECTS) else getattr(f, "__self__", None)
    found = {"self": owner} if isinstance(owner, OBJECTS) else {}
    code = code_behind(inspect.unwrap(f))
    if isinstance(code, FunctionType):
        cells = zip(code.__code__.co_freevars, code.__closure__ or (), strict=True)
        named = [*((name, _contents(cell)) for name, cell in cells), *used_globals(code)]
        found |= {name: thing for name, thing in named if isinstance(thing, OBJECTS)}
    given = {id(leaf) for leaf in _leaves(arguments)}
    return {name: thing for name, thing in found.items() if id(thing) not in given}


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing has been assigned to the name yet
        return None


def _leaves(tree: PyTree) -> list[Any]:
    return jax.tree.leaves(tree, is_leaf=lambda leaf: isinstance(leaf, OBJECTS))


def _has_objects(tree: PyTree) -> bool:
    return any(isinstance(leaf, OBJECTS) for leaf in _leaves(tree))


def _kept_by(result: PyTree, graph: ObjectGraph) -> Callable[[str], bool]:
    """Return what tells of a path whether the result of a function holds what is there."""
    kept = {id(leaf) for leaf in _leaves(result)}
    if _has_objects(result):
        kept |= graph_of(result=result).nodes.keys()
    held = [text_of(path) for path, node in _nodes(graph) if kept & set(_identities(node))]

    def is_kept(text: str) -> bool:
        # What is static, or gone, comes back with the object that it is an attribute of.
        return any(text == each or text.startswith((f"{each}.", f"{each}[")) for each in held)

    return is_kept


def _nodes(graph: ObjectGraph) -> Iterator[tuple[Path, Node]]:
    """Yield each object at each of its paths, and the arrays that it holds."""
    for node, paths in paths_in(graph).items():
        for path in paths:
            yield path, node
            parts = ((key, part) for key, part in node.parts.items() if part.thing is None)
            yield from (((*path, key), part) for key, part in parts if part.kind != "static")


def _identities(node: Node) -> list[int]:
    return [id(each) for each in (node.values if node.thing is None else [node.thing])]


def _part(
    key: str, node: Node, path: Path, captured: bool, fates: Mapping[str, str], seen: set[Node]
) -> LevelPart:
    again = node in seen
    seen.add(node)
    text = text_of(path)
    parts = {} if again else node.parts
    below = [
        _part(step, part, (*path, step), captured, fates, seen)
        for step, part in parts.items()
        if part.kind != "static"
    ]
    fate = fates.get(text, "")
    return LevelPart(key, text, node.text, captured, bool(node.values), again, fate, tuple(below))


def _paths(parts: tuple[LevelPart, ...]) -> Iterator[str]:
    for part in parts:
        yield part.path
        yield from _paths(part.parts)
