"""Write a whole training run as one scan, which leaves model and optimizer trained."""

from typing import Any

import jax
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.lessons.cost_of_state.solutions.train_all import train_all as solution
from traced.lessons.cost_of_state.training import STEP, Net, batches, start, trained
from traced.modules.questions import updates_like
from traced.questions import compare, keeps_its_size
from traced.running.attempt import attempt


def _plain_loop(model: Net, optimizer: nnx.Optimizer[Net], xs: jax.Array, ys: jax.Array) -> None:
    step = nnx.jit(STEP)
    for x, y in zip(xs, ys, strict=True):
        step(model, optimizer, x, y)


def _returns_the_losses(answer: Any) -> None:
    """Require the losses of five batches, as one array."""
    got = attempt(answer, *start(), *batches(5))
    losses, _ = trained(5)
    compare(np.stack(losses), got, given="five batches")


def _trains_what_it_is_given(answer: Any) -> None:
    """Require the changes of the plain loop in the model and the optimizer."""
    updates_like(_plain_loop, *start(), *batches(5))(answer)


train_all = Exercise(
    name="train_all",
    questions=(
        _returns_the_losses,
        _trains_what_it_is_given,
        keeps_its_size(lambda count: (*start(), *batches(count))),
    ),
    hints=(
        "`run` above has everything but two things: where its state comes from, "
        "and where the last state goes.",
        "`nnx.split` gives a graphdef and a state, `jax.lax.scan` carries the state, "
        "`nnx.update` writes a state into objects.",
        "Split the pair of objects, scan a body that merges, steps and returns state and loss, "
        "update the pair, return what the scan stacked.",
    ),
    verified="losses and Variables as of the plain loop; a trace of one size for 4 and 8 batches",
    answer=solution,
)
