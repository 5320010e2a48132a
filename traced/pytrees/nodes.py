"""Take a pytree apart as JAX does: what it flattens, what it keeps as a leaf, what is static."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import jax
from jax.tree_util import keystr, tree_leaves_with_path

from traced.python.values import PyTree, describe, one_line

Role = Literal["node", "leaf", "static"]


@dataclass(frozen=True)
class TreeNode:
    """One thing in a pytree: a node that JAX flattens, a leaf, or a static attribute of a node.

    `key` leads to it from the node above and `path` from the top; `text` is the class of a node,
    the type of a leaf or the value of what is static.
    """

    key: str
    path: str
    role: Role
    text: str
    value: Any = field(repr=False, compare=False)
    parts: tuple["TreeNode", ...] = ()


def nodes_of(tree: PyTree, name: str = "") -> TreeNode:
    """Return a pytree as nodes, in the order of its leaves; `name` begins the paths.

    Static are the public attributes that JAX does not flatten. Left out are private parts that hold
    no leaf. None is a node without leaves.

    >>> [(node.path, node.role, node.text) for node in nodes_of({"w": 1.0, "b": None}, "x").parts]
    [("x['b']", 'node', 'None'), ("x['w']", 'leaf', '~f32[]')]
    """
    return _node(tree, name, name)


def is_node(tree: PyTree) -> bool:
    """Return whether JAX flattens a thing; what it does not flatten is a leaf.

    >>> is_node(None), is_node(1.0), is_node({1.0})
    (True, False, False)
    """
    return bool(jax.tree_util.is_tree_node(type(tree)))


def parts_of(node: PyTree) -> dict[str, Any]:
    """Return what JAX finds one level below a node, by the key as JAX writes it.

    >>> parts_of({"w": [1, 2]})
    {"['w']": [1, 2]}
    """
    # `flatten_one_level_with_keys` of JAX 0.10 calls all fields of a namedtuple by the first one.
    below = tree_leaves_with_path(node, is_leaf=lambda each: each is not node)
    return {keystr(path): part for path, part in below}


def _node(tree: PyTree, key: str, path: str) -> TreeNode:
    if not is_node(tree):
        return TreeNode(key, path, "leaf", describe(tree), tree)
    text = "None" if tree is None else type(tree).__name__
    parts = [_node(part, step, path + step) for step, part in parts_of(tree).items()]
    shown = [each for each in parts if not (each.key.startswith("._") and not _has_leaf(each))]
    return TreeNode(key, path, "node", text, tree, (*shown, *_static(tree, path)))


def _has_leaf(node: TreeNode) -> bool:
    return node.role == "leaf" or any(map(_has_leaf, node.parts))


def _static(tree: PyTree, path: str) -> Iterator[TreeNode]:
    parts = parts_of(tree)
    for name, value in getattr(tree, "__dict__", {}).items():
        key = f".{name}"
        # A class may keep a part under another name than the one by which JAX finds it.
        is_part = key in parts or any(value is part for part in parts.values() if part is not None)
        if not str(name).startswith("_") and not is_part:
            yield TreeNode(key, path + key, "static", one_line(value), value)
