"""A pytree as JAX sees it, a prefix such as `in_axes` laid over one, and what `vmap` maps."""

from collections.abc import Callable, Sequence
from typing import Any

from traced.drawing.outline import Branch, outline
from traced.drawing.picture import Picture, telling
from traced.drawing.shapes import draw
from traced.python.calls import name_of
from traced.python.values import PyTree, one_line, shortened
from traced.pytrees.axes import Axis, MappedAxes, map_axes
from traced.pytrees.nodes import TreeNode, nodes_of
from traced.pytrees.prefixes import NOTHING, Laid, lay_prefix
from traced.pytrees.sheets import draw_axes
from traced.pytrees.tree_drawing import draw_tree, laid_twig, twig_of

WIDEST = 60  # characters shown of a value
FEW = 3  # static attributes with a row each


@telling
def show_tree(tree: PyTree, name: str = "tree") -> Picture:
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
    root, caption = nodes_of(tree, name), f"pytree {name}"
    table = outline(("path", "role", "type"), [_branch(root)], caption, [_count(root)])
    return draw(draw_tree(twig_of(root), [_count(root)]), caption, table, title=f"pytree: {name}")


@telling
def show_prefix(prefix: PyTree, tree: PyTree, name: str = "tree") -> Picture:
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
    laid, caption = lay_prefix(prefix, tree, name), f"prefix of {name}"
    table = outline(("path", "type", "prefix"), [_overlaid(laid)], caption)
    title = f"pytree: {name}, with the entries of the prefix"
    return draw(draw_tree(laid_twig(laid)), caption, table, title=title)


@telling
def show_axes(
    f: Callable[..., Any], *args: Any, in_axes: PyTree = 0, out_axes: PyTree = 0
) -> Picture:
    """Return what `jax.vmap(f, in_axes, out_axes)` maps at these arguments.

    Of each leaf stand there the type outside, the axis, and the type that `f` sees inside. What
    does not fit is marked. Nothing is computed.

    >>> import jax.numpy as jnp
    >>> show_axes(jnp.dot, jnp.ones((8, 3)), jnp.ones(3), in_axes=(0, None))
    leaf    outside   axis          inside
    a       f32[8,3]  0, of size 8  f32[3]
    b       f32[3]    not mapped    f32[3]
    result  f32[8]    0, of size 8  f32[]
    """
    mapped = map_axes(f, *args, in_axes=in_axes, out_axes=out_axes)
    trees = [*mapped.arguments, *([mapped.result] if mapped.result else [])]
    notes = [f"✗ {mapped.fault}"] if mapped.fault else []
    if mapped.is_refused:
        notes.append("jax.vmap raises an error")
    name = name_of(f)
    branches, caption = [_mapped_branch(tree, mapped) for tree in trees], f"axes of {name}"
    table = outline(("leaf", "outside", "axis", "inside"), branches, caption, notes)
    if not mapped.arguments:
        return table
    name = name if name.isidentifier() else "f"
    return draw(draw_axes(mapped, name, notes), caption, table, title=f"jax.vmap({name})")


def _branch(node: TreeNode) -> Branch:
    text = shortened(node.text, WIDEST)
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
        return [Branch(key, (cells(shortened(text, WIDEST)),)) for key, text in attributes]
    text = ", ".join(f"{key.removeprefix('.')}={text}" for key, text in attributes)
    return [Branch(f"({len(attributes)} static)", (cells(shortened(text, WIDEST)),))]


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
    return shortened(one_line(laid.value), WIDEST) + ("" if laid.written else ", from above")


def _mapped_branch(laid: Laid, mapped: MappedAxes) -> Branch:
    parts = tuple(_mapped_branch(part, mapped) for part in laid.parts if part.node.role != "static")
    axis = mapped.axes.get(laid.node.path)
    if axis is None or laid.fault:
        cells = (laid.node.text if axis is None else axis.outside, prefix_text(laid), "")
    else:
        cells = (axis.outside, _axis(axis), axis.inside)
    return Branch(laid.node.key, (cells,), parts, laid.node.path)


def _axis(axis: Axis) -> str:
    if axis.fault:
        return f"✗ {axis.fault}"
    if axis.axis is None:
        return "not mapped"
    return f"{axis.axis}, of size {axis.size}"
