"""Write what makes a step on objects into one on their state, under one `jax.jit`."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.lessons.cost_of_state.python_calls import require_little_python
from traced.lessons.cost_of_state.solutions.split_step import split_step as solution
from traced.lessons.cost_of_state.training import STEP, Net, batches, one_batch, start, trained
from traced.questions import compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt


class _Tally(nnx.Module):
    """Count the batches, and keep a number of half precision, as a third object of a step."""

    def __init__(self) -> None:
        self.seen, self.half = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros((), "float16"))


def _step_of_three(
    model: Net, optimizer: nnx.Optimizer[Net], tally: _Tally, batch: Any, *more: Any
) -> Any:
    """Do one step on three objects and other arguments, and return a tree."""
    tally.seen[...] += 1
    tally.half[...] += 0.5
    return {"loss": STEP(model, optimizer, *batch), "seen": tally.seen[...], "more": more}


#: What a step may be given too, and return as it is.
_MORE = (np.arange(3, dtype=np.int32), np.array([np.nan, 1.0], dtype=np.float32))


def _returns_states_and_losses(answer: Any) -> None:
    """Require the losses of three steps, and the state after them."""
    run = attempt(answer, STEP)
    graphdef, state = nnx.split(start())
    for i, (x, y) in enumerate(zip(*batches(3), strict=True)):
        result = attempt(run, graphdef, state, x, y)
        losses, states = trained(3)
        given = f"step {i + 1} of 3"
        _require_structure((state, losses[i]), result, given)
        state, loss = result
        compare(losses[i], loss, given=given)
    wanted = jax.tree.unflatten(jax.tree.structure(state), states[-1])
    compare(wanted, state, given="the state after 3 steps")


def _takes_any_step(answer: Any) -> None:
    """Require a step of three objects, three arguments and a tree as its result to work too."""
    graphdef, state = nnx.split((*start(), _Tally()))
    given = "a step of three objects and three other arguments, which returns a dictionary"
    run = attempt(answer, _step_of_three)
    result = attempt(run, graphdef, state, one_batch(), *_MORE)
    wanted = {"loss": trained(3)[0][0], "seen": np.int32(1), "more": _MORE}
    _require_structure((state, wanted), result, given)
    for name in ("seen", "more"):
        compare(wanted[name], result[1][name], given=given)
    for name, value in {"seen": np.int32(1), "half": np.float16(0.5)}.items():
        compare(value, result[0][2][name][...], given=f"the state after {given}")
    # The graphdef that counts is that of the call: here two layers share a kernel.
    graphdef, state = nnx.split((*start(tied=True), _Tally()))
    result = attempt(jax.eval_shape, run, graphdef, state, one_batch(), *_MORE)
    _require_structure((state, wanted), result, "a second call, with another graphdef")


def _require_structure(wanted: Any, got: Any, given: str) -> None:
    """Require the structure of a result, whatever the values are."""
    structures: list[Any] = [jax.tree.structure(each) for each in (wanted, got)]
    if structures[0] != structures[1]:
        compare(wanted, got, given=given)


def _works_under_jit(answer: Any) -> None:
    """Require that no work is done outside of `jit`."""
    graphdef, state = nnx.split(start())
    run = attempt(answer, STEP)

    def of_arrays(run: Any) -> Callable[..., Any]:
        return lambda state, x, y: run(graphdef, state, x, y)

    works_under_jit(of_arrays, state, *one_batch(), may_donate=True)(run)


def _runs_little_python(answer: Any) -> None:
    """Require a call that walks through no object."""
    require_little_python(attempt(answer, STEP), *nnx.split(start()), *one_batch())


split_step = Exercise(
    name="split_step",
    questions=(
        _returns_states_and_losses,
        traces_at_most(1, _returns_states_and_losses, "three steps"),
        _takes_any_step,
        _works_under_jit,
        _runs_little_python,
    ),
    hints=(
        "`pure_step` above does the same for one step and one graphdef, which it finds outside. "
        "What has to be an argument here, and of which function?",
        "`nnx.merge` makes objects of a graphdef and a state, `nnx.state` takes a state from "
        "objects. `jax.jit` accepts a graphdef as it is, and a function with `*batch`.",
        "A jitted function inside. Three lines: all objects from what was given, a result, "
        "and a pair whose first part is the state of all of them.",
    ),
    verified="losses and state as of the plain loop; any objects; one trace, little Python",
    answer=solution,
)
