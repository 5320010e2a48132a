"""Write the training step that `jit` makes of a whole batch, as one device does it."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.devices.collectives import Collective
from traced.devices.questions import communicates
from traced.findings.feedback import Found
from traced.lessons.shard_map.parts import SPLIT, WHOLE, make_mesh, on_devices, place, tell_mesh
from traced.lessons.shard_map.solutions.step_by_hand import step_by_hand as solution
from traced.python.values import describe_tree
from traced.questions import compare
from traced.running.attempt import attempt

_SPECS = {"in_specs": (WHOLE, SPLIT, SPLIT), "out_specs": (WHOLE, WHOLE)}


def _squares(params: Any, x: Any, y: Any) -> Any:
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


def _surprise(w: Any, x: Any, y: Any) -> Any:
    scores = x @ w
    return jnp.mean(jax.nn.softplus(scores) - y * scores)


def _surprise_of_nested(params: Any, x: Any, y: Any) -> Any:
    return _surprise(params[0][0], x, y)


def _batch(rows: int, columns: int) -> tuple[Any, Any]:
    x = np.sin(np.arange(1.0, 1 + rows * columns) * 3).reshape(rows, columns)
    return np.float32(x), np.float32(np.arange(rows) * 7 % 3)


#: Importing this starts nothing: a lesson sets the number of devices after it.
_SLOPES = np.array([0.5, -1.0, 2.0], "float32")
#: So far from the best that a clip would change the gradients.
_FAR = {"w": 50 * _SLOPES, "b": np.float32(0.3)}
_CASES: tuple[tuple[dict[str, int], Callable[..., Any], Any, int], ...] = (
    ({"data": 8}, _squares, _FAR, 16),
    ({"model": 2, "data": 4}, _surprise, _SLOPES, 12),
    ({"data": 1}, _surprise_of_nested, ([_SLOPES[:2]], {"b": None}), 3),
)


def _columns(params: Any) -> int:
    return int(max(leaf.size for leaf in jax.tree.leaves(params)))


def _steps_as_on_one_device(answer: Any) -> None:
    for sizes, loss, params, rows in _CASES:
        mesh, batch = make_mesh(**sizes), _batch(rows, _columns(params))
        value, slopes = jax.jit(jax.value_and_grad(loss))(params, *batch)
        host = jax.tree.map(np.asarray, slopes)
        stepped = jax.tree.map(lambda p, slope: p - np.float32(0.1) * slope, params, host)
        wanted = stepped, np.asarray(value)
        run = on_devices(lambda *args, loss=loss: answer(loss, *args), mesh, **_SPECS)
        given = f"params {describe_tree(params)}, {rows} rows, {tell_mesh(mesh)}"
        try:
            got = attempt(run, place(params, mesh, WHOLE), *place(batch, mesh))
        except Found as found:  # an error need not name the parameters that it is about
            raise found.saying(saw=(("given", given), *found.finding.saw)) from None
        compare(wanted, got, given=given)


def _keeps_the_dtype(answer: Any) -> None:
    """Require parameters of the dtype that they had. That is traced, and nothing is compiled."""
    mesh = make_mesh(data=8)
    half = jax.tree.map(np.float16, (_SLOPES, _batch(16, 3)))
    params, batch = half
    run = on_devices(lambda *args: answer(_surprise, *args), mesh, **_SPECS)
    args = place(params, mesh, WHOLE), *place(batch, mesh)
    got = attempt(jax.eval_shape, run, *args)[0]
    compare(
        np.zeros_like(params),
        np.zeros(got.shape, got.dtype),
        given="parameters in float16",
        result="the parameters",
    )


def _sends_slopes_only(answer: Any) -> None:
    mesh = make_mesh(data=8)
    params = {"w": np.ones(64, np.float32), "b": np.float32(0)}
    args = place(params, mesh, WHOLE), *place(_batch(32, 64), mesh)
    most = sum(leaf.nbytes for leaf in jax.tree.leaves(params)) + 16

    def allowed(found: Sequence[Collective]) -> bool:
        return bool(sum(each.bytes for each in found) <= most)

    run = on_devices(lambda *args: answer(_squares, *args), mesh, **_SPECS)
    communicates(allowed, f"at most {most} bytes, for slopes and a loss", *args)(run)


step_by_hand = Exercise(
    name="step_by_hand",
    questions=(_steps_as_on_one_device, _keeps_the_dtype, _sends_slopes_only),
    hints=(
        "Compare the slopes of one device's loss with those of the mean of all losses. Which of "
        "the two do the devices share?",
        "`jax.value_and_grad` takes any function, and that function may call `lax.pmean` along "
        '`"data"`.',
        "A function of the parameters alone: the loss of this device's rows, then the mean over "
        "devices. Its value and slopes; a step for each leaf.",
    ),
    verified="parameters and loss after a step, as on one device, for two losses and three meshes; "
    "no more sent than slopes and a loss",
    answer=solution,
)
