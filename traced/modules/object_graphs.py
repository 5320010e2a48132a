"""Keep the graph of NNX objects as it is at one moment: identities, attributes, copies of values.

The objects change in place: what a call did to them can only be told from what was kept before.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.internals.variables import attributes
from traced.python.values import PyTree, describe_tree, one_line

#: What has an identity: two paths may lead to the same one.
OBJECTS = (nnx.Variable, nnx.Pytree, jax.Ref)

#: The way to a node: the name of the object, then what is written behind it.
Path = tuple[str, ...]

DELETED = "deleted"


@dataclass(frozen=True, eq=False)
class Node:
    """What is kept of one object, of an array that is no Variable, or of one static value.

    `thing` is the object, kept so that no other gets its identity, and None for the other two.
    `kind` is that of a change of its `values`, `parts` has what it holds, by attribute or index.
    """

    thing: Any = field(repr=False)
    kind: str
    text: str
    values: list[Any] = field(repr=False)
    parts: dict[str, "Node"] = field(repr=False, default_factory=dict)


@dataclass(frozen=True, eq=False)
class ObjectGraph:
    """NNX objects at one moment: a node that holds them, all nodes by identity, graphdefs."""

    root: Node = field(repr=False)
    nodes: Mapping[int, Node] = field(repr=False)
    graphdefs: Mapping[str, Any] = field(repr=False)


def graph_of(*args: Any, **kwargs: Any) -> ObjectGraph:
    """Return the graph of the NNX objects in these pytrees; a keyword is the first part of paths.

    Values are copied to the host, and so stay known when the arrays are donated. A static value
    that is changed in place is seen to change if its `repr` does. Raises `ValueError` where there
    is no NNX object. It is the same in graph mode and in tree mode, aliases and cycles included.

    >>> list(graph_of(layer=nnx.Linear(2, 3, rngs=nnx.Rngs(0))).root.parts)
    ['layer']
    """
    alone = len(args) == 1 and not kwargs
    named = {"" if alone else f"[{i}]": tree for i, tree in enumerate(args)} | kwargs
    leaves = {name + key: leaf for name, tree in named.items() for key, leaf in _leaves(tree)}
    found = {key: leaf for key, leaf in leaves.items() if isinstance(leaf, OBJECTS)}
    if not found:
        types = ", ".join(type(tree).__name__ for tree in named.values())
        raise ValueError(f"`args` must hold an NNX object, got {types or 'nothing'}")
    nodes: dict[int, Node] = {}
    root = Node(None, "", "", [], {key: _node(leaf, nodes) for key, leaf in found.items()})
    return ObjectGraph(root, nodes, {key: _graphdef(leaf) for key, leaf in found.items()})


def text_of(path: Path) -> str:
    """Return a path as it is written in Python, empty for an object without a name.

    >>> text_of(("model", ".layers", "[0]")), text_of(("", ".kernel"))
    ('model.layers[0]', 'kernel')
    """
    return "".join(path).removeprefix(".")


def natural(text: str) -> list[str | int]:
    """Return a key that sorts the numbers in a text as numbers.

    >>> sorted(["[10]", "[9]"], key=natural)
    ['[9]', '[10]']
    """
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", text)]


def node_at(graph: ObjectGraph, path: Path) -> Node | None:
    """Return the node that a path leads to, whichever of its paths that is, or None."""
    node: Node | None = graph.root
    for key in path:
        node = node.parts.get(key) if node else None
    return node


def values_of(graph: ObjectGraph) -> dict[str, Any]:
    """Return the values of the Variables by path, those of keys left out; a shared one is one.

    >>> values_of(graph_of(rngs=nnx.Rngs(0)))
    {'rngs.default.count': array(0, dtype=uint32)}
    """
    found = {text_of(paths[0]): node.values for node, paths in paths_in(graph).items()}
    arrays = {
        path: [each for each in values if isinstance(each, np.ndarray)]
        for path, values in found.items()
    }
    return {path: row[0] if len(row) == 1 else row for path, row in arrays.items() if row}


def paths_in(graph: ObjectGraph) -> dict[Node, list[Path]]:
    """Return the paths to each object; below a shared one only those along its first path."""
    paths: dict[Node, list[Path]] = {}
    _visit((), graph.root, paths)
    return paths


def _visit(path: Path, node: Node, paths: dict[Node, list[Path]]) -> None:
    for key in sorted(node.parts, key=natural):
        part = node.parts[key]
        if part.thing is None:
            continue
        paths.setdefault(part, []).append((*path, key))
        if len(paths[part]) == 1:
            _visit((*path, key), part, paths)


def _graphdef(thing: object) -> Any:
    # Tree mode has no graphdef of what has aliases; graph mode has one of any object.
    return nnx.graphdef(thing, graph=True) if isinstance(thing, nnx.Pytree) else None


def _leaves(tree: PyTree) -> list[tuple[str, Any]]:
    def is_leaf(leaf: object) -> bool:
        return isinstance(leaf, OBJECTS)

    paths, _ = jax.tree_util.tree_flatten_with_path(tree, is_leaf=is_leaf)
    return [(jax.tree_util.keystr(path), leaf) for path, leaf in paths]


def _node(thing: object, nodes: dict[int, Node]) -> Node:
    if not isinstance(thing, OBJECTS):
        return _valued(thing)
    if id(thing) not in nodes:
        # It has to be known before what it holds is looked at, which may lead back to it.
        node = nodes[id(thing)] = _own(thing)
        node.parts.update(_parts(thing, nodes))
    return nodes[id(thing)]


def _own(thing: Any) -> Node:
    if isinstance(thing, nnx.Pytree):
        return Node(thing, "value", type(thing).__name__, [])
    if isinstance(thing, jax.Ref):
        return _valued(thing[...], thing, "Ref ")
    value = thing.get_raw_value()
    value = value[...] if isinstance(value, jax.Ref) else value
    kind = "rng count" if issubclass(thing.var_type, nnx.RngCount) else "value"
    return _valued(value, thing, f"{thing.var_type.__name__} ", kind)


def _valued(value: PyTree, thing: Any = None, name: str = "", kind: str = "value") -> Node:
    copies = [_copy(leaf) for leaf in jax.tree.leaves(value)]
    return Node(thing, kind, name + describe_tree(value) + _number(copies), copies)


def _number(copies: list[Any]) -> str:
    if any(copy is DELETED for copy in copies):
        return f", {DELETED}"
    if len(copies) != 1 or not isinstance(copies[0], np.ndarray) or copies[0].ndim:
        return ""
    value = copies[0].item()
    return f" = {value:.4g}" if isinstance(value, float | complex) else f" = {value}"


def _copy(leaf: Any) -> Any:
    if isinstance(leaf, jax.core.Tracer | jax.ShapeDtypeStruct):
        return leaf
    if isinstance(leaf, jax.Array) and leaf.is_deleted():
        return DELETED
    try:
        dtype = jax.typeof(leaf).dtype
    except TypeError:
        return leaf
    if jnp.issubdtype(dtype, jax.dtypes.prng_key):
        return np.asarray(jax.random.key_data(leaf)).tobytes()
    return np.array(leaf, dtype)


def _parts(thing: object, nodes: dict[int, Node]) -> Iterator[tuple[str, Node]]:
    if isinstance(thing, nnx.Variable):
        for name, value in thing.get_metadata().items():
            yield f".{name}", _static(value)
    elif isinstance(thing, nnx.Pytree):
        for key, value, is_data in attributes(thing, OBJECTS):
            if not is_data or value is None:
                yield key, _static(value)
                continue
            for sub, leaf in _leaves(value):
                yield key + sub, _node(leaf, nodes)


def _static(value: object) -> Node:
    return Node(None, "static", one_line(value), [value])
