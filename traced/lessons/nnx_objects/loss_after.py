"""Repair what says the loss after a step, and puts the parameters back and nothing else."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.lessons.nnx_objects.nets import BATCH, Net, Part
from traced.lessons.nnx_objects.solutions.loss_after import loss_after as solution
from traced.modules.questions import updates_like
from traced.questions import compare
from traced.running.attempt import attempt


class Rate(nnx.Param[jax.Array]):
    """A parameter of a class of its own."""


class Deep(nnx.Module):
    """A net whose parameters lie in a list, one layer of it in two places.

    It has one of each kind of state that NNX names, but for parameters, which each call changes."""

    def __init__(self) -> None:
        self.layers = nnx.List([Part(1), Part(4)])
        self.layers.append(self.layers[0])
        self.rate = Rate(jnp.float32(0.3))
        self.noise = nnx.Rngs(2)
        kinds = nnx.BatchStat, nnx.Cache, nnx.Intermediate, nnx.Variable
        self.steps = 0
        self.sums = nnx.List([kind(jnp.float32(n)) for n, kind in enumerate(kinds)])

    def __call__(self, x: jax.Array) -> jax.Array:
        """Apply all layers, scale, and draw."""
        for layer in self.layers:
            x = layer(x)
        for each in self.sums:
            each[...] += 1.0
        return self.rate[...] * x + self.noise.normal(x.shape)


def _step(model: Any) -> None:
    model.middle.w[...] -= 0.5
    model.head.w[...] *= 2.0
    model.encode.calls[...] += 10


def _deep_step(model: Any) -> None:
    """Change parameters of both classes, a count, a plain array and number, and random state.

    After a change that large, taking it away again would not bring back the parameter.
    """
    model.layers[2].w[...] -= 0.5
    model.layers[1].w[...] += 1e8
    model.rate[...] *= 1e-12
    model.layers[1].calls[...] += 10
    model.layers[1].offset = model.layers[0].offset - 3.0
    model.steps += 1
    model.noise()


def _loss(model: Any) -> jax.Array:
    return jnp.mean((model(BATCH) - 1.0) ** 2)


_wanted_loss: Callable[..., Any] = solution


def _returns_the_later_loss(answer: Any, make: Callable[[], Any], step: Any, way: str) -> None:
    """Require the loss after the step."""
    got = attempt(answer, make(), step, _loss)
    wanted = np.float32(_wanted_loss(make(), step, _loss))
    compare(wanted, got, given=f"a step that {way} the loss")


def _puts_back_the_parameters_alone(
    answer: Any, make: Callable[[], Any], step: Any, way: str
) -> None:
    """Require parameters as before the step, and all else as the step left it."""

    def bound(f: Any) -> Any:
        return lambda model: f(model, step, _loss)

    updates_like(bound(_wanted_loss), make())(bound(answer))


_CHECKS = (_returns_the_later_loss, _puts_back_the_parameters_alone)
_NETS: tuple[tuple[Any, Any, str], ...] = (
    (Net, _step, "raises"),
    (Deep, _deep_step, "lowers"),
)

loss_after = Exercise(
    name="loss_after",
    questions=tuple(
        partial(check, make=make, step=step, way=way)
        for make, step, way in _NETS
        for check in _CHECKS
    ),
    hints=(
        "Look at `kept` before and after the step. Is it another object than what the model holds, "
        "and does it hold no more than what is to go back?",
        "`nnx.state` takes a filter. Arrays do not change, Variables do: `nnx.to_pure_dict` keeps "
        "the arrays.",
        "One line is to change, the first. It takes the parameters only, and takes them out of "
        "their Variables.",
    ),
    verified="the loss after a step that raises it, and after one that lowers it; parameters as "
    "before, and counts, batch statistics, plain arrays and random state as the step left them",
    answer=solution,
)
