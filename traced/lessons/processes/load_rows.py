"""Make an array whose pieces are read one by one, each by the process that holds it."""

from typing import Any

import jax
import numpy as np

from traced.course.exercise import Exercise
from traced.devices.questions import compare_shardings
from traced.findings.feedback import require
from traced.lessons.processes.solutions.load_rows import load_rows as solution
from traced.lessons.shard_map.parts import SPLIT, WHOLE, P, make_mesh, tell_mesh
from traced.questions import compare
from traced.running.attempt import attempt

#: Sizes of meshes, the order of their devices, specs, and shapes and dtypes of the array.
_CASES: tuple[tuple[dict[str, int], int, Any, tuple[int, ...], str], ...] = (
    ({"data": 8}, 1, SPLIT, (24, 3), "float32"),
    ({"model": 2, "data": 4}, 1, SPLIT, (8,), "float16"),
    ({"data": 4, "model": 2}, 1, P(("data", "model")), (16, 2, 2), "int8"),
    ({"data": 8}, 1, WHOLE, (5, 2), "float32"),
    ({"data": 8}, -1, SPLIT, (16, 2), "float32"),
)


def _reads_piece_by_piece(answer: Any) -> None:
    for sizes, order, spec, shape, dtype in _CASES:
        mesh = make_mesh(**sizes)
        if order < 0:
            backwards = mesh.devices.ravel()[::-1].reshape(mesh.devices.shape)
            mesh = jax.sharding.Mesh(backwards, mesh.axis_names, axis_types=mesh.axis_types)
        sharding = jax.NamedSharding(mesh, spec)
        whole = (9 * np.cos(np.arange(1.0, 1 + np.prod(shape)))).astype(dtype).reshape(shape)
        if dtype.startswith("float"):
            whole.flat[1:3] = np.nan, np.inf
        asked: list[int] = []

        def read(start: int, stop: int, rows: Any = whole, asked: list[int] = asked) -> Any:
            asked.append(int(stop) - int(start))
            return rows[start:stop].copy()

        last = ", the last device first" if order < 0 else ""
        given = f"shape {shape}, {spec}, {tell_mesh(mesh)}{last}"
        got = attempt(answer, read, shape, sharding)
        compare(whole, got, given=given)
        compare_shardings(sharding, got, given=given)
        most = sharding.shard_shape(shape)[0]
        saw = {"given": given, "wanted": f"at most {most} rows in a call of `read`"}
        require(max(asked) <= most, "devices/read-at-once", **saw, got=f"{max(asked)} rows")


load_rows = Exercise(
    name="load_rows",
    questions=(_reads_piece_by_piece,),
    hints=(
        "Who knows which rows a device holds? Not the file, and not the number of the process.",
        "`jax.make_array_from_callback` takes a function that it calls with a tuple of slices. "
        "`slice.indices(size)` fills in what a slice leaves out.",
        "A function of such a tuple: beginning and end of its first slice, and what `read` returns "
        "for them.",
    ),
    verified="five arrays on four meshes, cut as asked, and read in pieces no larger than a "
    "device holds",
    answer=solution,
)
