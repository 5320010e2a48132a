"""Write a call of a model under `jax.jit` that brings back what the call changes in Variables."""

from functools import cache
from typing import Any

import jax
from flax import nnx

from traced.course.exercise import Exercise
from traced.lessons.nnx_objects.nets import BATCH, Net, values_of
from traced.lessons.nnx_objects.solutions.run import run as solution
from traced.modules.questions import updates_like
from traced.questions import compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt


class Restless(Net):
    """A net that changes a parameter when it is called, besides its counts."""

    def __call__(self, x: jax.Array) -> jax.Array:
        """Apply all parts, and shrink a parameter."""
        result = super().__call__(x)
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
    compare(_outputs(0, 1)[0], got, given="call 1")


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


_graphdef = nnx.graphdef(Restless())


def _of_arrays(answer: Any) -> Any:
    return lambda saved, x: answer(nnx.merge(_graphdef, saved), x)


run = Exercise(
    name="run",
    questions=(
        _returns_what_the_model_returns,
        _changes_what_the_model_changes,
        _goes_on_as_the_model_does,
        _tells_models_apart,
        works_under_jit(_of_arrays, values_of(Restless()), BATCH, may_donate=True),
        traces_at_most(1, _goes_on_as_the_model_does, "three calls"),
    ),
    hints=(
        "What the jitted function changes, it changes in a copy. Which one of the two does the "
        "caller hold in the end?",
        "A module may be a result of a jitted function. `nnx.state` takes its Variables, and "
        "`nnx.update` writes them into another module.",
        "Two functions: a jitted one, outside of `run`, which returns the output and the module; "
        "and `run`, which calls, updates and returns the output.",
    ),
    verified="right output of three calls, and of another model; parameters, counts and random "
    "state as without jit; one trace for three calls",
    answer=solution,
)
