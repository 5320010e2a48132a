"""What `vmap` maps: the axis of each argument and of the result, outside and inside."""

from collections.abc import Callable
from typing import Any

from traced.probes.axes import Axis, MappedAxes, find_axes
from traced.probes.prefixes import Laid
from traced.show.outline import Branch, outline
from traced.show.picture import Picture
from traced.show.trees import prefix_text


def show_axes(f: Callable[..., Any], *args: Any, in_axes: Any = 0, out_axes: Any = 0) -> Picture:
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
    mapped = find_axes(f, *args, in_axes=in_axes, out_axes=out_axes)
    trees = [*mapped.arguments, *([mapped.result] if mapped.result else [])]
    notes = [f"✗ {mapped.fault}"] if mapped.fault else []
    if mapped.is_refused:
        notes.append("jax.vmap raises an error")
    name = getattr(f, "__name__", type(f).__name__)
    branches = [_branch(tree, mapped) for tree in trees]
    return outline(("leaf", "outside", "axis", "inside"), branches, f"axes of {name}", notes)


def _branch(laid: Laid, mapped: MappedAxes) -> Branch:
    parts = tuple(_branch(part, mapped) for part in laid.parts if part.node.role != "static")
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
