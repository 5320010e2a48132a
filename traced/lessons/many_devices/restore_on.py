"""Restore a checkpoint on devices other than those it was saved from."""

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp  # type: ignore[import-untyped]  # it has none

from traced.course.exercise import Exercise
from traced.devices.questions import compare_shardings
from traced.lessons.many_devices.meshes import P, ShapeDtypeStruct, make_mesh
from traced.lessons.many_devices.solutions.restore_on import restore_on as solution
from traced.questions import compare
from traced.running.attempt import attempt

#: A list or a tuple, which comes back as a list if there is no target.
_Pair = type[list[Any]] | type[tuple[Any, ...]]


def _shardings(mesh: Any, pair: _Pair) -> Any:
    specs = {
        "params": {"in": P(None, "model"), "out": P("model")},
        "rest": pair([P(("model", "data")), P()]),
    }
    return jax.tree.map(lambda spec: jax.NamedSharding(mesh, spec), specs)


def _state(offset: float, pair: _Pair) -> Any:
    return {
        "params": {
            "in": jnp.sin(offset + jnp.arange(32.0)).reshape(4, 8),
            "out": jnp.cos(offset + jnp.arange(24.0)).reshape(8, 3),
        },
        "rest": pair([(jnp.arange(16.0) + offset).astype("bfloat16"), jnp.int32(7)]),
    }


def _restores(
    answer: Any, saved: dict[str, int], there: dict[str, int], kinds: bool, pair: _Pair = list
) -> None:
    old, new = make_mesh(**saved), make_mesh(**there)
    state = jax.device_put(_state(1.0, pair), _shardings(old, pair))
    given = f"saved on {old.size} devices, restored on {new.size}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder).resolve() / "state"
        with ocp.StandardCheckpointer() as checkpointer:
            checkpointer.save(path, state)
        # What it is like, with other values: those of the checkpoint are wanted.
        like = jax.device_put(_state(2.0, pair), _shardings(old, pair))
        if kinds:
            like = jax.tree.map(_kind, like)
        got = attempt(answer, path, like, new)
        compare(state, got, given=given)
        compare_shardings(_shardings(new, pair), got, given=given)


def _kind(leaf: Any) -> Any:
    return ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=leaf.sharding)


restore_on = Exercise(
    name="restore_on",
    questions=(
        partial(
            _restores, saved={"data": 4, "model": 2}, there={"data": 2, "model": 2}, kinds=False
        ),
        partial(
            _restores, saved={"data": 4, "model": 2}, there={"data": 1, "model": 1}, kinds=True
        ),
        partial(
            _restores,
            saved={"data": 1, "model": 2},
            there={"model": 4, "data": 2},
            kinds=True,
            pair=tuple,
        ),
    ),
    hints=(
        "A leaf of the target says where it goes. Here it says the old place, so the target "
        "needs new leaves.",
        "`leaf.sharding.spec` is what stays the same. `ShapeDtypeStruct` takes `sharding=`, "
        "and holds no numbers.",
        "A function from a leaf to its description on the new mesh; that function over the whole "
        "tree; `restore` with the path and this tree.",
    ),
    verified="a state of four arrays, restored on four devices, on one, and from two on eight",
    answer=solution,
)
