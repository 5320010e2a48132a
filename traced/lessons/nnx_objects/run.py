"""Write a call of a model under `jit` that brings back what it changes, and keeps what is tied."""

from functools import cache
from typing import Any

import jax
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import fault, require
from traced.lessons.nnx_objects.nets import BATCH, Net, values_of
from traced.lessons.nnx_objects.solutions.run import run as solution
from traced.modules.questions import updates_like
from traced.purity.stale_reads import retraced
from traced.questions import compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt

#: For each call of a `Restless` that ran as Python: was its part one object in both places?
_TIES: list[bool] = []


class Restless(Net):
    """A net with one part in two places, that changes a parameter when it is called."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.again = self.encode

    def __call__(self, x: jax.Array) -> jax.Array:
        """Apply all parts, one of them twice, and shrink a parameter."""
        _TIES.append(self.again is self.encode)
        result = super().__call__(self.again(x))
        self.middle.w[...] *= 0.75
        return result


_X = (BATCH, 0.5 - BATCH, BATCH)


# Each question makes a model of its own: an answer may donate its arrays.
@cache
def _outputs(seed: int, calls: int) -> list[Any]:
    """Return what a model returns at one call after another."""
    model = Restless(seed)
    return [model(x) for x in _X[:calls]]


def _returns_what_the_model_returns(answer: Any) -> None:
    got = attempt(answer, Restless(), BATCH)
    is_array = not isinstance(got, np.ndarray)
    require(is_array, "value/structure", wanted="an array of JAX", got=type(got).__name__)
    compare(_outputs(0, 1)[0], got, given="call 1")


def _keeps_one_object_one(answer: Any) -> None:
    """Require that the model that is called is tied as the given one is."""
    _TIES.clear()
    # Traced afresh: what is kept from an earlier check would run no Python.
    with retraced():
        attempt(answer, Restless(), BATCH)
    if not all(_TIES):
        saw = {"one_object": "model.again, model.encode", "several_objects": "the same two, inside"}
        raise fault("nnx/untied", **saw)


def _changes_what_the_model_changes(answer: Any) -> None:
    """Require the Variables that a call without `jit` leaves, those of random state too."""

    def call(model: Any, x: Any) -> Any:
        return model(x)

    updates_like(call, Restless(), BATCH)(answer)


def _goes_on_as_the_model_does(answer: Any) -> None:
    """Require the right output of later calls, each of which begins where the last one ended."""
    model = Restless()
    for n, wanted in enumerate(_outputs(0, 3)):
        compare(wanted, attempt(answer, model, _X[n]), given=f"call {n + 1}")


def _tells_models_apart(answer: Any) -> None:
    """Require the right output of another model of the same structure."""
    attempt(answer, Restless(), BATCH)
    got = attempt(answer, Restless(3), BATCH)
    compare(_outputs(3, 1)[0], got, given="a second model, of the same class")


def _calls_the_model_as_it_is(answer: Any) -> None:
    """Require the right output where the model has changed between two calls."""
    model, wanted = Restless(), Restless()
    attempt(answer, model, BATCH)
    wanted(BATCH)
    for each in (model, wanted):
        each.dropout.deterministic = True
    compare(wanted(_X[1]), attempt(answer, model, _X[1]), given="call 2, in evaluation mode")


_graphdef = nnx.graphdef(Restless())


def _of_arrays(answer: Any) -> Any:
    return lambda saved, x: answer(nnx.merge(_graphdef, saved), x)


run = Exercise(
    name="run",
    questions=(
        _keeps_one_object_one,
        _returns_what_the_model_returns,
        _changes_what_the_model_changes,
        _goes_on_as_the_model_does,
        _tells_models_apart,
        _calls_the_model_as_it_is,
        works_under_jit(_of_arrays, values_of(Restless()), BATCH, may_donate=True),
        traces_at_most(1, _goes_on_as_the_model_does, "three calls"),
    ),
    hints=(
        "Two things get lost on the way through `jax.jit`: what the call changes, and that two "
        "places are one object. Which argument would keep the second?",
        "A graphdef knows what is tied, and may be an argument. `nnx.merge` works inside of a "
        "jitted function as well, and `nnx.update` outside of it.",
        "Two functions: a jitted one, outside of `run`, which merges, calls, and returns output "
        "and state; and `run`, which splits, calls and updates.",
    ),
    verified="right output of three calls, of another model and in another mode; parameters, "
    "counts and random state as without jit; one part in two places called as one; one trace for "
    "three calls",
    answer=solution,
)
