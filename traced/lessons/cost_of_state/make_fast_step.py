"""Write what makes a training step of a model that runs little Python at each call."""

from typing import Any

import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]  # it has none
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import Found
from traced.lessons.cost_of_state.python_calls import require_little_python
from traced.lessons.cost_of_state.solutions.make_fast_step import make_fast_step as solution
from traced.lessons.cost_of_state.training import STEP, Net, batches, one_batch, start, trained
from traced.modules.questions import updates_like
from traced.questions import compare, traces_at_most
from traced.running.attempt import attempt

#: What is said where a step is done, and what it made is not in the objects that were given.
COPIES = (
    "`jax.jit` works on copies of Variables: outside of it, `set_value` has to put what a compiled "
    "step returns into the given ones"
)
READ = "14_cost_of_state, “The fast forms change the call, and not the step”"


class _Averaging(Net):
    """A model with a Variable that is no parameter, and changes at each call."""

    def __init__(self) -> None:
        super().__init__()
        self.mean = nnx.BatchStat(jnp.zeros(8))

    def __call__(self, x: jax.Array) -> jax.Array:
        self.mean[...] = 0.9 * self.mean[...] + 0.1 * x.mean(axis=0)
        return super().__call__(x)


def _returns_the_losses(answer: Any, tied: bool = False) -> None:
    """Require the loss of each of three steps, and what it leaves in model and optimizer."""
    objects = start(tied)
    call = attempt(answer, *objects)
    structure = jax.tree.structure(nnx.state(objects))
    for i, (x, y) in enumerate(zip(*batches(3), strict=True)):
        got = attempt(call, x, y)
        losses, states = trained(3, tied)
        shared = ", a Variable in two places" if tied else ""
        compare(losses[i], got, given=f"step {i + 1} of 3{shared}")
        wanted = jax.tree.unflatten(structure, states[i])
        given = f"model and optimizer after step {i + 1} of 3{shared}"
        compare(wanted, nnx.state(objects), given=given)


def _trains_what_it_is_given(answer: Any) -> None:
    """Require the changes of a step in what was passed, with gradients that a clip would change."""

    def run(model: Net, optimizer: nnx.Optimizer[Net], x: jax.Array, y: jax.Array) -> Any:
        return attempt(attempt(answer, model, optimizer), x, y)

    x, y = one_batch()
    for model in (Net(), _Averaging()):
        optimizer = nnx.Optimizer(model, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)
        try:
            updates_like(nnx.jit(STEP), model, optimizer, x, 1e3 * y)(run)
        except Found as found:
            if found.finding.code != "nnx/lost-change":
                raise
            # The step changes what it was given, and is not the reader's.
            raise found.saying(where=(), rule=COPIES, read=READ) from None


def _takes_what_is_shared(answer: Any) -> None:
    """Require the same of a model that holds one Variable in two places."""
    _returns_the_losses(answer, tied=True)


def _runs_little_python(answer: Any) -> None:
    """Require a call of the step to run few Python functions, with a shared Variable too."""
    for tied in (False, True):
        require_little_python(attempt(answer, *start(tied)), *one_batch())


make_fast_step = Exercise(
    name="make_fast_step",
    questions=(
        _trains_what_it_is_given,
        _returns_the_losses,
        traces_at_most(1, _returns_the_losses, "three steps"),
        _takes_what_is_shared,
        _runs_little_python,
    ),
    hints=(
        "The table above counts the Python functions of each way. Which ones are below the bound, "
        "and which of those change the model that was given?",
        "`nnx.jit_partial` takes a step and the objects, and returns a function of the rest. "
        "It works in two settings, of which one knows what is shared.",
        "One line: the function of Flax that takes objects once, given `step`, both objects and "
        "the setting. By hand: split once, pass leaves, and write them back with `set_value`.",
    ),
    verified="losses and Variables as of the plain loop, shared ones too; little Python",
    answer=solution,
)
