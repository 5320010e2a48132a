"""Take differences of neighbours around a ring that is split over the devices."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.devices.collectives import Collective
from traced.devices.questions import communicates, compare_shardings
from traced.findings.feedback import Found
from traced.lessons.shard_map.parts import SPLIT, make_mesh, place, tell_mesh
from traced.lessons.shard_map.solutions.differences import differences as solution
from traced.python.values import describe
from traced.questions import compare
from traced.running.attempt import attempt

_CASES: tuple[tuple[dict[str, int], tuple[tuple[int, ...], ...], str], ...] = (
    ({"data": 8}, ((24,), (8,), (16, 1)), "float32"),
    ({"model": 2, "data": 4}, ((8, 2, 2), (24,)), "float32"),
    ({"data": 1}, ((5,),), "float32"),
    ({"data": 2}, ((6,),), "int32"),
)


def _numbers(shape: tuple[int, ...], dtype: str = "float32") -> Any:
    """Return whole numbers: of `int32` more than `float32` can tell, else NaN and infinity too."""
    numbers = np.round(np.sin(np.arange(1.0, 1 + np.prod(shape))) * 900).reshape(shape)
    if dtype == "int32":
        return (numbers + 2**25).astype(dtype)
    numbers.flat[1:4:2] = np.nan, np.inf
    return numbers.astype(dtype)


def _subtracts_from_the_next_row(answer: Any) -> None:
    for sizes, shapes, dtype in _CASES:
        mesh = make_mesh(**sizes)
        for shape in shapes:
            x = _numbers(shape, dtype)
            given = f"x = {describe(x)}, {tell_mesh(mesh)}"
            call = jax.jit(lambda x, mesh=mesh: answer(x, mesh))
            try:
                got = attempt(call, place(jnp.asarray(x), mesh))
            except Found as found:  # an error of a collective does not name the mesh
                saw = (("given", given), *found.finding.saw)
                raise found.saying(saw=saw) from None
            compare(np.roll(x, -1, axis=0) - x, got, given=given)
            compare_shardings(jax.NamedSharding(mesh, SPLIT), got, given=given)


def _sends_one_row_from_each_device(answer: Any) -> None:
    mesh = make_mesh(data=8)
    x = place(jnp.asarray(_numbers((64, 16))), mesh)

    def allowed(found: Sequence[Collective]) -> bool:
        return bool(sum(each.bytes for each in found) <= 64)

    wanted = "at most 64 bytes, a row of 16 numbers, for each device"
    communicates(allowed, wanted, x)(lambda x: answer(x, mesh))


differences = Exercise(
    name="differences",
    questions=(_subtracts_from_the_next_row, _sends_one_row_from_each_device),
    hints=(
        "All rows of a part but one have the next row beside them. Which row is missing, and which "
        "device has it?",
        '`lax.ppermute(row, "data", pairs)` sends along pairs of a sender and a receiver. '
        "`part[:1]` is a row that stays an array of rows.",
        "Each first row goes to the device before; the own rows but the first, with the row that "
        "came behind them; minus the own rows.",
    ),
    verified="differences around the ring for seven arrays on four meshes; each sends one row",
    answer=solution,
)
