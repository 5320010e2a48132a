"""A pytree as JAX sees it, and a prefix such as `in_axes` laid over one."""

from collections.abc import Callable, Sequence
from typing import Any

from traced.probes.prefixes import NOTHING, Laid, lay_prefix
from traced.probes.tree_nodes import TreeNode, brief, nodes_of
from traced.show.outline import Branch, outline
from traced.show.picture import Picture

WIDEST = 60  # characters shown of a value
FEW = 3  # static attributes with a row each


def show_tree(tree: Any, name: str = "tree") -> Picture:
    """Return a pytree as JAX sees it: nodes, leaves with their types, and what is static.

    The rows are in the order of the leaves. Four or more neighbours that are alike become one row,
    and so do four or more static attributes.
    For the values in a tree there is `treescope`, which comes with Flax.

    >>> show_tree({"w": [1.0, 2], "b": None}, "params")
    path       role  type
    params     node  dict
    ├─ ['b']   node  None
    └─ ['w']   node  list
       ├─ [0]  leaf  ~f32[]
       └─ [1]  leaf  ~i32[]
    2 leaves
    """
    root = nodes_of(tree, name)
    return outline(("path", "role", "type"), [_branch(root)], f"pytree {name}", [_count(root)])


def show_prefix(prefix: Any, tree: Any, name: str = "tree") -> Picture:
    """Return a pytree with what a prefix of it, such as `in_axes`, says of each leaf.

    A leaf of the prefix counts for all below it; None is one. Where the prefix does not fit, the
    row is marked.

    >>> show_prefix({"w": 0}, {"w": [1.0, 2.0], "b": 3.0}, "params")
    path       type    prefix
    params     dict
    ├─ ['b']   ~f32[]  ✗ missing in the prefix
    └─ ['w']   list    0
       ├─ [0]  ~f32[]  0, from above
       └─ [1]  ~f32[]  0, from above
    """
    laid = lay_prefix(prefix, tree, name)
    return outline(("path", "type", "prefix"), [_overlaid(laid)], f"prefix of {name}")


def _branch(node: TreeNode) -> Branch:
    text = _cut(node.text)
    if node.role == "leaf" and "[" not in text:
        text += " (no array)"
    static = [(part.key, part.text) for part in node.parts if part.role == "static"]
    parts = [_branch(part) for part in node.parts if part.role != "static"]
    parts += static_branches(static, lambda text: ("static", text))
    return Branch(node.key, ((node.role, text),), tuple(parts), node.path)


def static_branches(
    attributes: Sequence[tuple[str, str]], cells: Callable[[str], tuple[str, ...]]
) -> list[Branch]:
    """Return rows for the static attributes of one node, a single one where they are many.

    >>> many = [(".a", "1"), (".b", "2"), (".c", "3"), (".d", "4")]
    >>> [(branch.label, branch.lines) for branch in static_branches(many, lambda text: (text,))]
    [('(4 static)', (('a=1, b=2, c=3, d=4',),))]
    """
    if len(attributes) <= FEW:
        return [Branch(key, (cells(_cut(text)),)) for key, text in attributes]
    text = ", ".join(f"{key.removeprefix('.')}={text}" for key, text in attributes)
    return [Branch(f"({len(attributes)} static)", (cells(_cut(text)),))]


def _count(node: TreeNode) -> str:
    leaves = _leaves(node)
    return f"{leaves} {'leaf' if leaves == 1 else 'leaves'}"


def _leaves(node: TreeNode) -> int:
    return (node.role == "leaf") + sum(map(_leaves, node.parts))


def _overlaid(laid: Laid) -> Branch:
    node = laid.node
    parts = tuple(_overlaid(part) for part in laid.parts if part.node.role != "static")
    return Branch(node.key, ((node.text, prefix_text(laid)),), parts, node.path)


def prefix_text(laid: Laid) -> str:
    """Return what a prefix says of a node, marked where it does not fit.

    >>> prefix_text(lay_prefix(None, 1.0)), prefix_text(lay_prefix([], 1.0))
    ('None', '✗ list, where the tree has a leaf')
    """
    if laid.fault:
        return f"✗ {laid.fault}"
    if laid.value is NOTHING:
        return ""
    return _cut(brief(laid.value)) + ("" if laid.written else ", from above")


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
