"""Complete a training step on a model and an optimizer that were split, under one `jax.jit`."""

from collections.abc import Callable
from typing import Any

import jax
from flax import nnx

from traced.course.exercise import Exercise
from traced.lessons.cost_of_state.python_calls import require_little_python
from traced.lessons.cost_of_state.solutions.split_step import split_step as solution
from traced.lessons.cost_of_state.training import batches, one_batch, start, trained
from traced.questions import compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt


def _returns_states_and_losses(answer: Any) -> None:
    """Require the losses of three steps, and the state after them."""
    graphdef, state = nnx.split(start())
    for i, (x, y) in enumerate(zip(*batches(3), strict=True)):
        result = attempt(answer, graphdef, state, x, y)
        losses, states = trained(3)
        given = f"step {i + 1} of 3"
        _require_structure((state, losses[i]), result, given)
        state, loss = result
        compare(losses[i], loss, given=given)
    wanted = jax.tree.unflatten(jax.tree.structure(state), states[-1])
    compare(wanted, state, given="the state after 3 steps")


def _require_structure(wanted: Any, got: Any, given: str) -> None:
    """Require the structure of a result, whatever the values are."""
    structures: list[Any] = [jax.tree.structure(each) for each in (wanted, got)]
    if structures[0] != structures[1]:
        compare(wanted, got, given=given)


def _works_under_jit(answer: Any) -> None:
    """Require that no work is done outside of `jit`."""
    graphdef, state = nnx.split(start())

    def of_arrays(answer: Any) -> Callable[..., Any]:
        return lambda state, x, y: answer(graphdef, state, x, y)

    works_under_jit(of_arrays, state, *one_batch(), may_donate=True)(answer)


def _runs_little_python(answer: Any) -> None:
    """Require a call that walks through no object."""
    require_little_python(answer, *nnx.split(start()), *one_batch())


split_step = Exercise(
    name="split_step",
    questions=(
        _returns_states_and_losses,
        traces_at_most(1, _returns_states_and_losses, "three steps"),
        _works_under_jit,
        _runs_little_python,
    ),
    hints=(
        "`pure_step` above does the same for one graphdef, which it finds outside. "
        "What has to be an argument here?",
        "`nnx.merge` makes objects of a graphdef and a state, `nnx.state` takes a state from "
        "objects. `jax.jit` accepts a graphdef as it is.",
        "Decorate with `jax.jit`. Three lines: two objects from what was given, a loss, "
        "and a pair whose first part is the state of both objects.",
    ),
    verified="losses and state as of the plain loop, from one trace; little Python at each call",
    answer=solution,
)
