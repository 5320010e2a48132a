"""Standardize one device's rows by the statistics of the rows of all devices."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.devices.collectives import Collective
from traced.devices.questions import communicates
from traced.lessons.shard_map.parts import make_mesh, on_devices, place, tell_mesh
from traced.lessons.shard_map.solutions.standardize import standardize as solution
from traced.questions import compare
from traced.running.attempt import attempt

_SIZES: tuple[dict[str, int], ...] = (
    {"data": 8},
    {"model": 2, "data": 4},
    {"data": 1},
)


def _rows(rows: int, columns: int) -> Any:
    """Return rows whose mean and spread change from the first to the last."""
    numbers = np.sin(np.arange(1.0, 1 + rows * columns) * 2).reshape(rows, columns)
    places = np.arange(rows)[:, None]
    return (numbers * (1 + places) + 3 * places).astype(np.float32)


def _uses_the_statistics_of_all_rows(answer: Any) -> None:
    for sizes in _SIZES:
        mesh = make_mesh(**sizes)
        # Small numbers tell a deviation from one that something was added to.
        for rows, columns, scale in ((16, 3, 1.0), (8, 1, 2.0**-16)):
            x = _rows(rows, columns) * np.float32(scale)
            _compare_with_the_whole(answer, mesh, x)
    # A mean of squares would be so large here that the deviation is lost in it.
    x = np.round(_rows(16, 3) * 8) / 8 + np.float32(4096)
    _compare_with_the_whole(answer, make_mesh(data=8), x, ", a mean above 4096")
    x = np.sin(np.arange(4 * 257 * 301.0)).reshape(4 * 257, 301).astype(np.float32)
    _compare_with_the_whole(answer, make_mesh(model=2, data=4), x)


def _compare_with_the_whole(answer: Any, mesh: Any, x: Any, kind: str = "") -> None:
    exact = x.astype(float)
    wanted = ((exact - exact.mean(axis=0)) / exact.std(axis=0)).astype(np.float32)
    got = attempt(on_devices(answer, mesh), place(jnp.asarray(x), mesh))
    compare(wanted, got, given=f"x = f32[{x.shape[0]},{x.shape[1]}], {tell_mesh(mesh)}{kind}")


def _sends_two_numbers_for_each_column(answer: Any) -> None:
    mesh = make_mesh(data=8)
    x = place(jnp.asarray(_rows(64, 16)), mesh)
    most = 2 * 16 * 4 + 16

    def allowed(found: Sequence[Collective]) -> bool:
        return bool(sum(each.bytes for each in found) <= most)

    wanted = f"at most {most} bytes for 64 rows of 16 columns"
    communicates(allowed, wanted, x)(on_devices(answer, mesh))


standardize = Exercise(
    name="standardize",
    questions=(_uses_the_statistics_of_all_rows, _sends_two_numbers_for_each_column),
    hints=(
        "The mean of all rows is a mean of means. Is the deviation of all rows a mean of "
        "deviations?",
        '`lax.pmean(value, "data")` is the mean over the devices. A variance is a mean of squares, '
        "and means of equally many rows may be averaged.",
        "The mean of all rows; squares of the distances from it; their mean over all rows; "
        "a root and a division.",
    ),
    verified="eight batches on three meshes, standardized as on one device, for two numbers "
    "sent for each column",
    answer=solution,
)
