"""Split two matrices so that a network needs one sum over devices."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.devices.collectives import Collective
from traced.devices.questions import communicates, tell_pieces
from traced.devices.shards import find_pieces
from traced.findings.feedback import require
from traced.lessons.many_devices.meshes import P, make_mesh, tell_mesh
from traced.lessons.many_devices.solutions.place_params import place_params as solution
from traced.questions import compare
from traced.running.attempt import attempt


def _params(width: int) -> dict[str, Any]:
    kernels = {"in": (64, width), "out": (width, 10)}
    return {
        name: jnp.asarray(np.cos(np.arange(rows * columns) * 1.7).reshape(rows, columns) / 5)
        for name, (rows, columns) in kernels.items()
    }


def _predict(params: Any, x: Any) -> Any:
    return jnp.tanh(x @ params["in"]) @ params["out"]


def _one_sum(found: Sequence[Collective]) -> bool:
    return [each.kind for each in found] == ["all-reduce"]


def _splits_both(answer: Any, width: int, **sizes: int) -> None:
    mesh, data, model = make_mesh(**sizes), sizes["data"], sizes["model"]
    params = _params(width)
    got = attempt(answer, params, mesh)
    given = tell_mesh(mesh)
    compare(params, got, given=given)
    got = jax.tree.map(jnp.asarray, got)
    for name, leaf in got.items():
        # One part of `model` for each device, and all of its parts on each row of the mesh.
        pieces = find_pieces(leaf)
        cut = len(pieces) == model and {len(each.devices) for each in pieces} == {data}
        saw = {"wanted": f"{model} pieces, a copy of each on {data} devices"}
        require(cut, "devices/split", given=given, at=name, **saw, got=tell_pieces(leaf))
    x = jax.device_put(jnp.ones((64, 64)), jax.NamedSharding(mesh, P("data")))
    told = f"one all-reduce in `predict`, for {width} columns on {given}"
    communicates(_one_sum, told, got, x)(_predict)


def _keeps_the_dtype(answer: Any) -> None:
    params = jax.tree.map(lambda leaf: leaf.astype("bfloat16"), _params(32))
    got = attempt(answer, params, make_mesh(data=4, model=2))
    compare(params, got, given="matrices in bfloat16")


place_params = Exercise(
    name="place_params",
    questions=(
        partial(_splits_both, data=4, model=2, width=32),
        partial(_splits_both, model=4, data=2, width=8),
        partial(_splits_both, data=1, model=8, width=64),
        _keeps_the_dtype,
    ),
    hints=(
        "Each hidden unit is a column of the one matrix and a row of the other. Which device has "
        "to know a unit at all?",
        "`find_collectives(predict, placed, x)` says what each choice costs. There are four, and "
        "one of them needs one sum.",
        "Two shardings on this mesh, one for each matrix, in a dictionary with the same keys, "
        "and one `device_put`.",
    ),
    verified="both matrices in parts, on three meshes, with one all-reduce in `predict`",
    answer=solution,
)
