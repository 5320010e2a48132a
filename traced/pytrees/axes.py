"""See what `vmap` maps: the axis of each leaf, and its type outside and inside of the function."""

import contextlib
import inspect
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np

from traced.python.calls import require_callable
from traced.python.values import PyTree, describe, one_line
from traced.pytrees.prefixes import NOTHING, Laid, faults_of, lay_prefix, leaves_of

#: The arguments that are traced. Numbers stay what they are: a function may count with them.
ARRAYS = (jax.Array, np.ndarray, jax.ShapeDtypeStruct)


@dataclass(frozen=True)
class Axis:
    """What becomes of one leaf: the axis that is mapped, or None, its size, and the types.

    A type is empty where `vmap` did not get so far. `fault` says why the leaf cannot be mapped so.
    """

    axis: Any
    size: int | None
    outside: str
    inside: str = ""
    fault: str = ""


@dataclass(frozen=True)
class MappedAxes:
    """The arguments of a mapped function and its result, over which their axes were laid.

    `axes` has what becomes of each leaf, by path. Where `vmap` refuses the arguments, `result` is
    None; `fault` says what is wrong with `in_axes` as a whole, if anything is.
    """

    arguments: list[Laid]
    result: Laid | None
    axes: dict[str, Axis]
    fault: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether `vmap` raises an error."""
        laid = [*self.arguments, *([self.result] if self.result else [])]
        faults = [self.fault, *(axis.fault for axis in self.axes.values()), *map(faults_of, laid)]
        return any(faults)


def map_axes(
    f: Callable[..., Any], *args: Any, in_axes: PyTree = 0, out_axes: PyTree = 0
) -> MappedAxes:
    """Return what `jax.vmap(f, in_axes, out_axes)` maps at these arguments, without computing it.

    Where `vmap` refuses, what is at fault says so. Raises what `f` raises, and what `vmap` raises
    for another reason than axes. An argument may be a `jax.ShapeDtypeStruct`.

    >>> mapped = map_axes(lambda x, y: x * y, jax.numpy.ones((3, 2)), 2.0, in_axes=(0, None))
    >>> [(path, axis.axis, axis.inside) for path, axis in mapped.axes.items()]
    [('x', 0, 'f32[2]'), ('y', None, '~f32[]'), ('result', 0, 'f32[2]')]
    """
    require_callable(f)
    if fault := _fault_of(in_axes, len(args)):
        return MappedAxes([], None, {}, fault)
    given = in_axes if isinstance(in_axes, tuple | list) else (in_axes,) * len(args)
    arguments = [*map(lay_prefix, given, args, _names(f, len(args)))]
    run = _run(f, args, in_axes, out_axes)
    axes = _inputs(arguments, run.given)
    if not run.made:
        return MappedAxes(arguments, None, axes, _reason(arguments, axes, run))
    result = lay_prefix(out_axes, run.made[0], "result")
    size = next((axis.size for axis in axes.values() if axis.size is not None), None)
    return MappedAxes(arguments, result, axes | _outputs(result, run, size))


def _fault_of(in_axes: PyTree, count: int) -> str:
    if in_axes is None or isinstance(in_axes, int):
        return ""
    if not isinstance(in_axes, tuple | list):
        return f"in_axes must be an integer, None or a tuple, got {type(in_axes).__name__}"
    have = f"in_axes has {len(in_axes)} {'entry' if len(in_axes) == 1 else 'entries'}"
    return "" if len(in_axes) == count else f"{have}, for {count} arguments"


def _names(f: Callable[..., Any], count: int) -> list[str]:
    names: list[str] = []
    with contextlib.suppress(TypeError, ValueError):  # some functions of Python have no signature
        parameters = inspect.signature(f).parameters.values()
        names = [each.name for each in parameters if each.kind <= each.POSITIONAL_OR_KEYWORD]
    return [names[i] if i < len(names) else f"args[{i}]" for i in range(count)]


@dataclass(frozen=True)
class _Run:
    """What was seen while a mapped function was traced: types inside and outside, an error.

    `refuses` tells whether `vmap` refuses an axis for one leaf of the result.
    """

    given: list[str]
    made: list[Any]
    outside: list[str]
    error: Exception | None
    refuses: Callable[[int, Any], bool]


def _run(f: Callable[..., Any], args: tuple[Any, ...], in_axes: PyTree, out_axes: PyTree) -> _Run:
    given: list[str] = []
    made: list[Any] = []
    entered = []

    def seen(*args: Any) -> Any:
        entered.append(True)
        given.extend(map(describe, jax.tree.leaves(args)))
        result = f(*args)
        made.append(jax.tree.map(describe, result))
        return result

    def refuses(i: int, axis: Any) -> bool:
        leaf = jax.vmap(lambda *args: jax.tree.leaves(f(*args))[i], in_axes, axis)
        return _attempt(leaf, args)[1] is not None

    outside, error = _attempt(lambda *args: jax.vmap(seen, in_axes, out_axes)(*args), args)
    # It began and did not come to its end: the error is one of `f`, and not about axes.
    if error and entered and not made:
        raise error
    return _Run(given, made, [*map(describe, jax.tree.leaves(outside))], error, refuses)


def _attempt(f: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Exception | None]:
    leaves, tree = jax.tree.flatten(args)
    arrays = {i: leaf for i, leaf in enumerate(leaves) if isinstance(leaf, ARRAYS)}

    def filled(arrays: dict[int, Any]) -> Any:
        return f(*jax.tree.unflatten(tree, [arrays.get(i, leaf) for i, leaf in enumerate(leaves)]))

    try:
        return jax.eval_shape(filled, arrays), None
    except Exception as error:
        return None, error


def _inputs(arguments: list[Laid], inside: list[str]) -> dict[str, Axis]:
    leaves = [leaf for argument in arguments for leaf in leaves_of(argument)]
    axes = {leaf.node.path: _input(leaf) for leaf in leaves}
    sizes = Counter(axis.size for axis in axes.values() if axis.size is not None)
    # Where the sizes differ, `vmap` cannot say which is wrong: we take it to be the rarest.
    usual = sizes.most_common(1)[0][0] if sizes else None
    for i, (path, axis) in enumerate(axes.items()):
        odd = axis.size is not None and axis.size != usual
        fault = f"axis {axis.axis} has size {axis.size}, elsewhere {usual}" if odd else axis.fault
        axes[path] = replace(axis, inside=inside[i] if inside else "", fault=fault)
    return axes


def _input(leaf: Laid) -> Axis:
    axis, outside = leaf.value, leaf.node.text
    if axis is None or axis is NOTHING:
        return Axis(None, None, outside)
    shape = getattr(leaf.node.value, "shape", ())
    if not isinstance(axis, int):
        return Axis(axis, None, outside, fault=f"{one_line(axis)} is no integer")
    if not -len(shape) <= axis < len(shape):
        return Axis(axis, None, outside, fault=f"there is no axis {axis}")
    return Axis(axis, shape[axis], outside)


def _outputs(result: Laid, run: _Run, size: int | None) -> dict[str, Axis]:
    inside = jax.tree.leaves(run.made[0])
    axes = {}
    for i, leaf in enumerate(leaves_of(result)):
        axis = None if leaf.value is NOTHING else leaf.value
        fault = "" if leaf.value is NOTHING or not run.error else _refusal(run, i, axis)
        outside = "" if run.error else run.outside[i]
        width = None if axis is None else size
        axes[leaf.node.path] = Axis(axis, width, outside, inside[i], fault)
    return axes


def _refusal(run: _Run, i: int, axis: Any) -> str:
    if not run.refuses(i, axis):
        return ""
    return "None, but mapped inside" if axis is None else f"there is no axis {one_line(axis)}"


def _reason(arguments: list[Laid], axes: dict[str, Axis], run: _Run) -> str:
    if any(axis.fault for axis in axes.values()) or any(map(faults_of, arguments)):
        return ""
    if all(axis.axis is None for axis in axes.values()):
        return "nothing is mapped: every axis is None"
    raise run.error or AssertionError
