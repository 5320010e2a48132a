"""Lay a prefix, such as `in_axes`, over a pytree: what each leaf gets, and where the two part."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import jax

from traced.python.values import PyTree, one_line
from traced.pytrees.nodes import TreeNode, is_node, nodes_of, parts_of

#: What a node has to which the prefix gives nothing.
NOTHING = object()


@dataclass(frozen=True)
class Laid:
    """A node of a tree, and what a prefix says of it.

    `value` is what the leaf of the prefix holds that covers this node, and `NOTHING` above the
    leaves of the prefix. `written` is whether it stands here, and not further up. `fault` says how
    the two differ at this node, and is empty where they agree.
    """

    node: TreeNode
    value: Any = NOTHING
    written: bool = False
    fault: str = ""
    parts: tuple["Laid", ...] = field(default=(), repr=False)


def lay_prefix(prefix: PyTree, tree: PyTree, name: str = "") -> Laid:
    """Return a pytree with what a prefix of it says of each node; None in it counts as a leaf.

    >>> laid = lay_prefix({"w": 0, "b": None}, {"w": [1.0, 2.0], "b": 3.0})
    >>> [(leaf.node.path, leaf.value) for leaf in leaves_of(laid)]
    [("['b']", None), ("['w'][0]", 0), ("['w'][1]", 0)]
    >>> lay_prefix([0, 0], (1.0, 2.0)).fault
    'list, where the tree has a tuple'
    """
    return _lay(prefix, nodes_of(tree, name))


def leaves_of(laid: Laid) -> list[Laid]:
    """Return the leaves of a tree over which a prefix was laid, in their order.

    >>> [leaf.value for leaf in leaves_of(lay_prefix(0, [1.0, 2.0]))]
    [0, 0]
    """
    if laid.node.role == "leaf":
        return [laid]
    return [leaf for part in laid.parts for leaf in leaves_of(part)]


def faults_of(laid: Laid) -> list[Laid]:
    """Return where a prefix and a tree differ.

    >>> [each.fault for each in faults_of(lay_prefix({"w": 0}, {"w": 1.0, "b": 2.0}))]
    ['missing in the prefix']
    """
    own = [laid] if laid.fault else []
    return own + [fault for part in laid.parts for fault in faults_of(part)]


def _lay(prefix: PyTree, node: TreeNode) -> Laid:
    if prefix is None or not is_node(prefix):
        return replace(_cover(prefix, node), written=True)
    if fault := _fault(prefix, node):
        return replace(_cover(NOTHING, node), fault=fault)
    return Laid(node, parts=tuple(_lay_parts(parts_of(prefix), node)))


def _cover(value: object, node: TreeNode) -> Laid:
    return Laid(node, value, parts=tuple(_cover(value, part) for part in node.parts))


def _fault(prefix: PyTree, node: TreeNode) -> str:
    here = type(prefix).__name__
    if node.role == "leaf":
        return f"{here}, where the tree has a leaf"
    if type(prefix) is not type(node.value):
        return f"{here}, where the tree has a {node.text}"
    # Where the parts differ, they say so themselves.
    same = parts_of(prefix).keys() != parts_of(node.value).keys() or _same_data(prefix, node.value)
    return "" if same else "the static data differ"


def _same_data(prefix: PyTree, tree: PyTree) -> bool:
    left, right = (jax.tree_util.flatten_one_level(each)[1] for each in (prefix, tree))
    try:
        return bool(left == right)
    except Exception:  # static data may be of any class
        return False


def _lay_parts(parts: dict[str, Any], node: TreeNode) -> Iterator[Laid]:
    for part in node.parts:
        if part.role == "static":
            yield Laid(part)
        elif part.key in parts:
            yield _lay(parts[part.key], part)
        else:
            yield replace(_cover(NOTHING, part), fault="missing in the prefix")
    own = {part.key for part in node.parts}
    for key, value in parts.items():
        if key not in own and not key.startswith("._"):
            absent = TreeNode(key, node.path + key, "leaf", "", None)
            yield Laid(absent, fault=f"{one_line(value)}, where the tree has nothing")
