"""Repair a loop over one device's rows, whose carry begins as zeros."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.devices.questions import communicates
from traced.lessons.shard_map.parts import make_mesh, on_devices, place, tell_mesh
from traced.lessons.shard_map.solutions.smooth import smooth as solution
from traced.programs.questions import require_bounded_growth
from traced.python.values import describe
from traced.questions import compare
from traced.running.attempt import attempt

_SIZES: tuple[dict[str, int], ...] = ({"data": 8}, {"model": 2, "data": 4})
_CASES: tuple[tuple[tuple[int, ...], str], ...] = (
    ((3, 2), "float32"),
    ((1, 1), "float32"),
    ((2, 2, 3), "float16"),
)
_MANY: tuple[tuple[tuple[int, ...], str], ...] = (((301,), "float32"),)


def _rows(shape: tuple[int, ...], dtype: str, parts: int) -> Any:
    shape = (parts * shape[0], *shape[1:])
    numbers = np.sin(np.arange(1.0, 1 + np.prod(shape))) * (8 if dtype == "float16" else 128)
    return np.round(numbers).reshape(shape).astype(dtype)


def _smoothed(part: Any) -> Any:
    rows, above = [], np.zeros(part.shape[1:], part.dtype)
    for row in part:
        above = (above + row) / 2
        rows.append(above)
    return np.stack(rows).astype(part.dtype)


def _smooths_each_part(answer: Any) -> None:
    _smooths(answer, _CASES)


def _smooths_many_rows(answer: Any) -> None:
    _smooths(answer, _MANY)


def _smooths(answer: Any, cases: tuple[tuple[tuple[int, ...], str], ...]) -> None:
    for sizes in _SIZES:
        mesh, parts = make_mesh(**sizes), sizes["data"]
        for shape, dtype in cases:
            x = _rows(shape, dtype, parts)
            wanted = np.concatenate([_smoothed(part) for part in np.split(x, parts)])
            got = attempt(on_devices(answer, mesh), place(jnp.asarray(x), mesh))
            part = describe(np.zeros(shape, dtype))
            given = f"each device has {part}, {tell_mesh(mesh)}"
            compare(wanted, got, given=given)


def _keeps_rows_apart(answer: Any) -> None:
    """Require that a number which is infinite reaches the rows below it, and no other."""
    mesh = make_mesh(data=8)
    x = _rows((3, 2), "float32", 8)
    x[1, 0], x[3, 1] = np.inf, -np.inf  # below the first row of a device, and in it
    wanted = np.concatenate([_smoothed(part) for part in np.split(x, 8)])
    got = attempt(on_devices(answer, mesh), place(jnp.asarray(x), mesh))
    compare(wanted, got, given="rows of which two hold an infinite number")


def _sends_nothing(answer: Any) -> None:
    mesh = make_mesh(data=8)
    x = place(jnp.ones((16, 3)), mesh)
    communicates(lambda found: not found, "no collective", x)(on_devices(answer, mesh))


def _keeps_its_size(answer: Any) -> None:
    mesh = make_mesh(data=8)
    run = on_devices(answer, mesh)
    kind: Any = jax.ShapeDtypeStruct
    require_bounded_growth(
        lambda n: (run, kind((8 * n, 3), jnp.float32)), 4, 8, size="{} rows on each device"
    )


smooth = Exercise(
    name="smooth",
    questions=(
        _smooths_each_part,
        _sends_nothing,
        _keeps_its_size,
        # After that, since so many rows take long where each has equations of its own.
        _smooths_many_rows,
        _keeps_rows_apart,
    ),
    hints=(
        "The error shows the type of the carry at the beginning and at the end. In which two "
        "respects may they differ?",
        '`lax.pcast(value, "data", to="varying")` changes the axes of a type, and zeros can be '
        "made with a dtype.",
        "Zeros of the shape and dtype of a row, cast so that they vary as the rows do; the loop "
        "stays as it is.",
    ),
    verified="four kinds of rows on two meshes, each device on its own; one loop, and nothing sent",
    answer=solution,
)
