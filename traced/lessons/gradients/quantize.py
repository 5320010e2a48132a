"""Round to a grid, with the derivative of what is rounded."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import fault
from traced.lessons.gradients.solutions.quantize import quantize as solution
from traced.lessons.one_program import as_one_program
from traced.questions import can_be_traced, compare, returns
from traced.running.attempt import attempt

#: Inside and outside of the range, none of them at its ends or half-way between two multiples.
_XS = np.array(
    [0.3, -0.3, 0.0, 0.05, 0.9, -0.999, 0.6, 1.001, 1.3, -1.1, -7.0, 1e8, -3e30], "float32"
)
_MATRIX = _XS[:12].reshape(4, 3)
_MANY = np.linspace(-1.7, 1.7, 301, dtype="float32")
_MANY[1] = np.nextafter(_MANY[0], 0)
_EQUAL = np.full_like(_MATRIX, 0.6)
_WEIGHTS = np.array([2.0, -3.0, 0.5], "float32")


#: The derivative that is asked for is not that of the rounded values.
_PATHS = "the slope is to be that of the clipped values, and the value that of the rounded ones"
_READ = "09_gradients, “`stop_gradient` cuts one path, and the value goes on”"


def _quantized(x: Any) -> Any:
    return np.clip(np.round(4 * x.astype(float)) / 4, -1, 1).astype(np.float32)


def _has_slope_one_inside(answer: Any) -> None:
    """Require the derivative of both modes at each number, and of a sum under `jit`."""

    def weighted(x: Any) -> Any:
        return jnp.sum(answer(x) * _WEIGHTS)

    for x in _XS:
        wanted = 1.0 if abs(x) < 1 else 0.0
        forward = attempt(jax.jvp, answer, (jnp.float32(x),), (jnp.float32(1.0),))[1]
        modes = {"reverse": attempt(jax.grad(answer), jnp.float32(x)), "forward": forward}
        for mode, got in modes.items():
            seen = {"given": f"x = {x:.7g}, {mode} mode", "wanted": wanted, "got": float(got)}
            if not np.isclose(wanted, got):
                raise fault("derivatives/wrong", **seen).saying(rule=_PATHS, read=_READ)
    got = attempt(jax.jit(jax.grad(weighted)), jnp.asarray(_MATRIX))
    compare((np.abs(_MATRIX) < 1) * _WEIGHTS, got, given="the gradient of a weighted sum")


quantize = Exercise(
    name="quantize",
    questions=(
        can_be_traced(jnp.asarray(_MATRIX)),
        returns(_quantized, (jnp.asarray(_MATRIX),), (jnp.asarray(_XS),), (jnp.float32(0.3),)),
        returns(_quantized, (jax.device_put(_EQUAL),)),
        as_one_program(returns(_quantized, (jax.device_put(_MANY),), (jnp.array([0.3]),))),
        _has_slope_one_inside,
    ),
    hints=(
        "Which function has the derivative that is wanted: 1 inside, 0 outside? The rounded one "
        "differs from it by an amount that is to have no derivative.",
        "`jnp.clip` has that derivative. `jax.lax.stop_gradient` keeps a value and drops its "
        "derivative.",
        "Clip first. Round what is clipped. Then the clipped value, plus a difference that is "
        "taken for a constant.",
    ),
    verified="right values and slopes at 13 numbers, in both modes, some of them huge; a gradient "
    "under `jit`; right values at 301 more",
    answer=solution,
)
