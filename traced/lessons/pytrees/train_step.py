"""Write a jitted training step that returns the whole state and donates the old one."""

import copy
import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault, require
from traced.lessons.pytrees.solutions.train_step import adam
from traced.lessons.pytrees.solutions.train_step import train_step as solution
from traced.programs.outside_jit import find_work_outside_jit
from traced.pytrees.differences import name_leaves
from traced.pytrees.questions import require_unchanged
from traced.questions import compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt

_batches = (
    {"x": jnp.array([[1.0, 2.0], [3.0, 4.0]]), "y": jnp.array([1.0, -1.0])},
    {"x": jnp.array([[0.5, -2.0], [-1.0, 0.0]]), "y": jnp.array([3.0, 0.25])},
    {"x": jnp.array([[0.0, 100.0], [0.0, 0.5]]), "y": jnp.array([0.0, 2.0])},
)

#: One whose gradients are so small that a larger `eps` of Adam shows.
_nearly_right = {"x": jnp.array([[1e-3, 0.0], [0.0, 2e-3]]), "y": jnp.array([0.5, 0.498])}

#: Where the counter starts, and what follows. A float32 cannot count on from the second one.
_runs = ((0, _batches), (2**24, (_nearly_right,)))


def _state(step: int = 0) -> Any:
    """Return a state before a step, of which the counter may stand anywhere."""
    params = {"w": jnp.array([1.0, -1.0]), "b": jnp.float32(0.5)}
    return {"params": params, "opt_state": adam.init(params), "step": jnp.int32(step)}


@cache
def _states_after(run: int) -> list[Any]:
    """Return the states that the steps of a run lead to, one after another."""
    start, batches = _runs[run]
    # Without `donate_argnums`, the solution donates nothing.
    step, states = jax.jit(inspect.unwrap(solution)), [_state(start)]
    for batch in batches:
        states.append(step(states[-1], batch))
    return states[1:]


#: What is found where an answer asks for a value that a trace does not have.
ASKED = {"tracing/value-needed", "tracing/numpy-on-tracer", "tracing/branch-on-tracer"}


@contextmanager
def _donating_in_vain() -> Iterator[None]:
    """Let a program be given memory that it has no use for, of which JAX warns."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Some donated buffers were not usable")
        yield


def _returns_the_next_state(answer: Any) -> None:
    """Require the right state after each of three steps, and after one with another counter."""
    # The counter of the state need not be that of the optimizer.
    for run, (start, batches) in enumerate(_runs):
        state = _state(start)
        for n, (batch, wanted) in enumerate(zip(batches, _states_after(run), strict=True), 1):
            # The answer is given copies: it may donate their buffers.
            args = copy.deepcopy((state, batch))
            leaves = jax.tree.leaves(args)
            with _donating_in_vain():
                got = attempt(answer, *args)
            require_unchanged(answer, (state, batch), args, leaves)
            state = got
            compare(wanted, state, given=f"the state after {n} step{'s' if n > 1 else ''}")


def _asks_for_no_value(answer: Any) -> None:
    """Require that Python is given no number of the state on the way, such as the counter's.

    A number that is asked for is worked on by Python or NumPy, whose work JAX does not see.
    """
    # A new function around the answer: a jitted one is traced here even if it has been before.
    try:
        attempt(find_work_outside_jit, lambda *args: answer(*args), _state(), _batches[0])
    except Found as found:
        # What else cannot be traced as a whole, such as a compiled program, is run later.
        if found.finding.code in ASKED:
            operation = "a value handed to Python"
            raise fault("tracing/not-jitted", *found.finding.where, operation=operation) from None


def _counts_under_jit(answer: Any) -> None:
    """Require that the counter is raised under `jit`.

    Work on a single number that `jit` returned does not count as work outside; that on an array
    with an axis does.
    """
    state = _state() | {"step": jnp.zeros(1, jnp.int32)}
    try:
        works_under_jit(lambda answer: answer, state, _batches[0], may_donate=True)(answer)
    except Found as found:
        # Nothing else is promised of a counter with an axis.
        if found.finding.code == "tracing/not-jitted":
            raise


def _donates_the_state(answer: Any) -> None:
    """Require that a call leaves no array of the old state, as only a donated one is deleted."""
    for path, deleted in attempt(_deleted_by, answer).items():
        require(deleted, "cost/not-donated", argument=path, donated="no")


def _keeps_the_batch(answer: Any) -> None:
    """Require that a jitted answer does not donate its batch, for which there may be no use."""
    if not hasattr(answer, "lower"):
        return
    (_, batch), _ = attempt(answer.lower, _state(), _batches[0]).args_info
    for path, info in name_leaves(batch, "batch").items():
        require(not info.donated, "effects/deleted", deleted=path, donated="yes")


def _deleted_by(answer: Any) -> dict[str, bool]:
    """Call an answer, and return by path whether an array of the state is deleted afterwards.

    The arrays are made here: those that are there before an attempt are guarded.
    """
    state = jax.tree.map(lambda leaf: leaf + 0, _state())
    named = name_leaves(state, "state")
    with _donating_in_vain():
        answer(state, _batches[0])
    return {path: leaf.is_deleted() for path, leaf in named.items()}


train_step = Exercise(
    name="train_step",
    questions=(
        traces_at_most(1, _returns_the_next_state, "four steps"),
        _asks_for_no_value,
        works_under_jit(lambda answer: answer, _state(), _batches[0], may_donate=True),
        _counts_under_jit,
        _donates_the_state,
        _keeps_the_batch,
    ),
    hints=(
        "Every entry of the state has to come out again. Which of the three did optax give back, "
        "and which did it not?",
        "`adam.update` returns the updates and its next state; `optax.apply_updates` adds. "
        "`jax.jit` takes `donate_argnums`.",
        "Gradient, update, apply, and a dictionary of the same three keys. Above the function "
        "stands `jit`, with the number of the argument it may overwrite.",
    ),
    verified="the right states after three steps, with other batches, from one trace; all work "
    "under `jit`, and every array of the old state donated",
    answer=solution,
)
