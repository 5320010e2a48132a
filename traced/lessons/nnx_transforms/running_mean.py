"""Repair a running mean that is a module, so that it is right under `nnx.jit` in both modes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.nnx_transforms.modes import MODES, traces_in_both_modes
from traced.lessons.nnx_transforms.solutions.running_mean import RunningMean as Solution
from traced.modules.questions import updates_like
from traced.questions import compare
from traced.running.attempt import attempt


def _call(running: Any, x: Any) -> None:
    running(x)


def _comes_back_in_both_modes(answer: Any) -> None:
    """Require all that a call changes to be changed by a call under `nnx.jit` in either mode."""
    # A tracer that an earlier answer left in a module would be met in the caches.
    jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
    attempt(_call, attempt(answer), 1.0)
    # Tree mode loses more. Graph mode loses what a call writes to a Variable's metadata.
    for mode, graph in reversed(MODES.items()):
        way = f"under `nnx.jit`, in {mode}"
        updates_like(_call, attempt(answer), 3.0, way=way)(nnx.jit(_call, graph=graph))


_VALUES = (1.0, 3.0, 8.0, -2.0, 0.0, 500.0, -0.25, 1e6)


def _keeps_the_mean(answer: Any, graph: bool) -> None:
    """Require the right means of eight calls in one mode, and with NaN and infinity."""
    # The method itself: traces of a function of this package would not be seen.
    step = nnx.jit(type(attempt(answer)).__call__, graph=graph)
    _gives_means(answer, step, _VALUES)
    for first in (float("nan"), float("inf")):
        _gives_means(answer, step, (first,))


def _keeps_the_mean_without_a_transform(answer: Any) -> None:
    """Require the right means of three calls, not under `nnx.jit`."""
    _gives_means(answer, _call, _VALUES[:3])


def _gives_means(answer: Any, step: Any, values: tuple[float, ...]) -> None:
    """Require the right mean after each of some calls of a new module."""
    running = attempt(answer)
    for n, x in enumerate(values, start=1):
        attempt(step, running, x)
        require(hasattr(running, "mean"), "value/no-attribute", wanted="mean")
        got = attempt(_mean_of, running)
        compare(np.float32(np.mean(values[:n])), got, given=f"the mean of {values[:n]}")


def _keeps_counting(answer: Any) -> None:
    """Require the right mean after calls so many that a narrow type does not count them, 400.

    A count in `int8` ends at 127, and one in `uint8` or `bfloat16` at 255 or 256.
    """
    running, step = attempt(answer), nnx.jit(_call)
    for x in _VALUES:
        attempt(step, running, x)
    total, calls = sum(_VALUES), len(_VALUES)
    for more, x in ((128, 2.0), (256, -300.0), (7, 2.0), (1, 1e9)):
        for _ in range(more):
            attempt(step, running, x)
        total, calls = total + more * x, calls + more
        wanted, got = np.float32(total / calls), attempt(_mean_of, running)
        # So many sums round further than one result does.
        close = got.shape == () and np.isclose(wanted, got, rtol=1e-3)
        compare(wanted, wanted if close else got, given=f"{calls} calls, the last with {x}")


def _mean_of(running: Any) -> jax.Array:
    """Return the mean that a module has, in a Variable or as it is."""
    mean = running.mean
    return jnp.asarray(mean[...] if isinstance(mean, nnx.Variable) else mean, "float32")


RunningMean = Exercise(
    name="RunningMean",
    questions=(
        # First, since it is what the calls in both modes are compared with.
        _keeps_the_mean_without_a_transform,
        _comes_back_in_both_modes,
        # Two traces: a number of weak type becomes strong at the first call in some right answers.
        *traces_in_both_modes(2, _keeps_the_mean, "ten calls under `nnx.jit`"),
        _keeps_counting,
    ),
    hints=(
        "Two attributes change at every call. Which of them comes back in tree mode, "
        "and which is part of the structure?",
        "Tree mode brings back the values of Variables. `nnx.Variable` takes an array of any "
        "dtype, and is written with `[...]`.",
        "Both attributes are Variables, made in the constructor. The method changes the count "
        "first, and divides by its value.",
    ),
    verified="right means after few calls in both modes and after many, without a trace for each",
    answer=Solution,
)
