"""Write a training step on a module and an optimizer, which evaluates the module afterwards."""

import copy
from functools import cache
from typing import Any

import jax
import numpy as np
import optax  # type: ignore[import-untyped]  # it has none
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import Found
from traced.lessons.nnx_transforms.modes import MODES, traces_in_both_modes
from traced.lessons.nnx_transforms.solutions.train_step import train_step as solution
from traced.modules.questions import updates_like
from traced.questions import compare
from traced.running.attempt import attempt


class _Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.head = nnx.Linear(3, 1, kernel_init=nnx.initializers.ones, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return self.head(self.drop(self.norm(x)))


@cache
def _made_once() -> tuple[Any, ...]:
    net = _Net(nnx.Rngs(0))
    x = np.random.default_rng(1).normal(size=(8, 3)).astype("float32")
    return net, nnx.Optimizer(net, optax.sgd(0.125), wrt=nnx.Param), x, np.ones((8, 1), "float32")


def _arguments() -> tuple[Any, ...]:
    """Return a network, its optimizer, inputs and targets, of which nothing has been used."""
    return copy.deepcopy(_made_once())


_target = nnx.jit(solution)


@cache
def _wanted_losses() -> list[Any]:
    """Return the pairs of losses of two steps."""
    args = _arguments()
    return [jax.tree.map(np.asarray, _target(*args)) for _ in range(2)]


def _mixed_arguments() -> tuple[Any, ...]:
    """Return such arguments, where batch norm evaluates and dropout trains."""
    net, *rest = _arguments()
    net.norm.use_running_average = True
    return net, *rest


def _changes_what_it_should(answer: Any) -> None:
    """Require the changes of a step: weights, statistics, counts, and no settings.

    Settings come back in graph mode alone. There they are mixed, so that all settings of one kind
    are not those from before.
    """
    for mode, make in (("graph mode", _mixed_arguments), ("tree mode", _arguments)):
        step = attempt(nnx.jit, answer, graph=MODES[mode])
        attempt(step, *make())  # a stub says so before the target is compiled
        try:
            updates_like(_target, *make(), way=f"under `nnx.jit`, in {mode}")(step)
        except Found:
            # What is lost without a transform too is not lost by one.
            updates_like(_target, *make())(answer)
            raise
    _wanted_losses()  # compiled here, where no traces are counted


def _returns_both_losses(answer: Any, graph: bool) -> None:
    """Require the right pair of losses from each of two steps in one mode."""
    step, args = nnx.jit(answer, graph=graph), _arguments()
    for n, wanted in enumerate(_wanted_losses(), start=1):
        given = f"(loss in training, loss in evaluation), step {n}"
        compare(wanted, attempt(step, *args), given=given)


train_step = Exercise(
    name="train_step",
    questions=(
        _changes_what_it_should,
        *traces_in_both_modes(1, _returns_both_losses, "two steps under `nnx.jit`"),
    ),
    hints=(
        "List what each of the two calls of `mse` may change: weights, statistics, "
        "the count of noise, settings.",
        "`nnx.value_and_grad` gives loss and gradients, `optimizer.update` takes the module and "
        "the gradients, `nnx.view` makes an object with other settings.",
        "Four lines: loss and gradients; the update; a view that neither drops nor averages; "
        "and a pair of the first loss and the loss of the view.",
    ),
    verified="right losses and changes in both modes, one trace in each; mixed settings stay",
    answer=solution,
)
