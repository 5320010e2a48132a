"""Make one step on rows that are split over devices, some of them padding."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]  # it has none

from traced.course.exercise import Exercise
from traced.devices.collectives import Collective
from traced.devices.questions import communicates, compare_shardings
from traced.lessons.many_devices.meshes import P, make_mesh
from traced.lessons.many_devices.solutions.masked_step import adam
from traced.lessons.many_devices.solutions.masked_step import masked_step as solution
from traced.questions import compare
from traced.running.attempt import attempt


def _params() -> dict[str, Any]:
    kernels = {"in": (64, 32), "out": (32, 10)}
    return {
        name: (np.cos(np.arange(rows * columns) * 1.7).reshape(rows, columns) / 5).astype("float32")
        for name, (rows, columns) in kernels.items()
    }


@cache
def _state() -> tuple[Any, Any]:
    """Return parameters, and the state of an optimizer that has made a step before."""
    params = _params()
    return params, jax.jit(lambda params: adam.update(params, adam.init(params))[1])(params)


def _batch(rows: int, real: Sequence[int], filling: float) -> tuple[Any, Any, Any]:
    """Return rows of which some are real, with labels; the others hold `filling`."""
    mask = np.isin(np.arange(rows), real)
    x = np.sin(np.arange(1.0, 1.0 + rows * 64) * 3).reshape(rows, 64).astype(np.float32)
    x = np.where(mask[:, None], x, np.float32(filling))
    return x, (np.arange(rows) * 3 % 10).astype(np.int32), mask


def _loss(params: Any, x: Any, y: Any, weights: Any) -> Any:
    scores = jnp.tanh(x @ params["in"]) @ params["out"]
    return -jnp.vdot(weights, jax.nn.log_softmax(scores)[jnp.arange(len(y)), y])


@jax.jit
def _weighted_step(params: Any, opt_state: Any, x: Any, y: Any, weights: Any) -> Any:
    updates, opt_state = adam.update(jax.grad(_loss)(params, x, y, weights), opt_state)
    return optax.apply_updates(params, updates), opt_state


def _stepped(params: Any, opt_state: Any, batch: Any) -> Any:
    """Return the state after a step on the real rows alone, on one device.

    The other rows are dark and weigh nothing, so that one program does for all masks.
    """
    x, y, mask = batch
    dark, weights = np.where(mask[:, None], x, 0), mask / np.float32(mask.sum())
    return _weighted_step(params, opt_state, dark, y, weights.astype(np.float32))


#: Rows, the real ones among them, and what the others hold.
_BATCHES: tuple[tuple[int, Sequence[int], float], ...] = (
    (512, range(100), 1e6),
    (512, range(509), 0.0),
    (512, range(0, 512, 3), -1.0),
    (512, range(512), 0.0),
    (512, [511], 0.0),
)


def _placed(mesh: Any, *batch: Any) -> tuple[Any, ...]:
    whole, split = (jax.NamedSharding(mesh, P(*axes)) for axes in ((), ("data",)))
    state = jax.device_put(_state(), whole)
    return (*state, *jax.device_put(batch, split))


def _steps_on_real_rows(answer: Any) -> None:
    for sizes, batches in (({"data": 8}, _BATCHES), ({"model": 2, "data": 4}, _BATCHES[:1])):
        mesh = make_mesh(**sizes)
        for rows, real, filling in batches:
            batch = _batch(rows, real, filling)
            wanted = _stepped(*_state(), batch)
            given = f"{len(real)} real rows of {rows}, on 8 devices"
            got = attempt(jax.jit(answer), *_placed(mesh, *batch))
            compare(wanted, got, given=given)
            whole = jax.NamedSharding(mesh, P())
            compare_shardings(jax.tree.map(lambda _, to=whole: to, wanted), got, given=given)


def _sends_slopes_only(answer: Any) -> None:
    mesh = make_mesh(data=8)
    args = _placed(mesh, *_batch(*_BATCHES[0]))
    most = sum(leaf.nbytes for leaf in jax.tree.leaves(args[0])) + 64

    def allowed(found: Sequence[Collective]) -> bool:
        return bool(sum(each.bytes for each in found) <= most)

    communicates(allowed, f"at most {most} bytes, for the gradients", *args)(answer)


masked_step = Exercise(
    name="masked_step",
    questions=(_steps_on_real_rows, _sends_slopes_only),
    hints=(
        "Which mean is taken, and over how many rows? Then look for the line that asks every "
        "device for all rows.",
        "`jnp.sum` takes `where=`. `find_collectives` lists what is sent, with its bytes, for the "
        "step and for a part of it.",
        "Losses of all rows; their sum where the mask is true; divided by the number of such "
        "rows; no constraint.",
    ),
    verified="parameters and state after a step, as on one device without padding, for five "
    "masks and two meshes; only gradients are sent",
    answer=solution,
)
