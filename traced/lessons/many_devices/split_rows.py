"""Split any number of rows over the devices, with a mask of those that were given."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.devices.questions import compare_shardings
from traced.lessons.many_devices.meshes import P, make_mesh, tell_mesh
from traced.lessons.many_devices.solutions.split_rows import split_rows as solution
from traced.questions import compare
from traced.running.attempt import attempt

#: Sizes of meshes, and the arrays that are split over each.
_CASES: tuple[tuple[dict[str, int], tuple[tuple[int, ...], ...]], ...] = (
    ({"data": 8}, ((17, 3), (16, 7), (1, 3), (9,))),
    ({"data": 4, "model": 2}, ((5, 2, 2), (8, 3), (17, 3))),
    ({"model": 4, "data": 2}, ((7, 3), (2, 3))),
)


#: The dtypes that are not float32, by the number of rows.
_DTYPES = {9: "int32", 5: "bfloat16", 7: "bool"}


def _array(shape: tuple[int, ...]) -> Any:
    """Return numbers of both signs, but for a first row of zeros, which is real like any other.

    So are NaN and infinity, which the second row holds where there are such numbers.
    """
    numbers = (2 * np.arange(np.prod(shape)) - 99.0).reshape(shape)
    numbers[0] = 0
    dtype = _DTYPES.get(len(numbers), "float32")
    if dtype in ("float32", "bfloat16"):
        numbers.reshape(len(numbers), -1)[1:2, :2] = np.nan, np.inf
    return jax.device_put(numbers.astype(jnp.dtype(dtype)))


def _pads_and_splits(answer: Any, sizes: dict[str, int], shapes: Any) -> None:
    mesh = make_mesh(**sizes)
    split = jax.NamedSharding(mesh, P("data"))
    for x in map(_array, shapes):
        size = -(-len(x) // sizes["data"]) * sizes["data"]
        padded = np.zeros((size, *x.shape[1:]), x.dtype)
        padded[: len(x)] = x
        given = f"{len(x)} rows, {tell_mesh(mesh)}"
        got = attempt(answer, x, mesh)
        compare((padded, np.arange(size) < len(x)), got, given=given)
        compare_shardings((split, split), jax.tree.map(jnp.asarray, got), given=given)


split_rows = Exercise(
    name="split_rows",
    questions=tuple(
        partial(_pads_and_splits, sizes=sizes, shapes=shapes) for sizes, shapes in _CASES
    ),
    hints=(
        "How many rows are missing to the next multiple? A shape is known to Python, so a number "
        "of Python will do.",
        '`mesh.shape["data"]` is the size of an axis of the mesh, and `jnp.pad` takes a pair for '
        "each axis of the array.",
        "Count what is missing, pad below, compare row numbers with the number of rows given, and "
        "put both results with one sharding.",
    ),
    verified="nine arrays on three meshes: right rows and masks, and both of them split over the "
    "axis named data",
    answer=solution,
)
