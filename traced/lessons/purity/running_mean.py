"""Complete a class that subtracts a running mean, and hands the next mean on in a new object."""

from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import fault, require
from traced.lessons.purity.solutions.running_mean import RunningMean as Solution
from traced.python.snapshots import Snapshot
from traced.python.values import brief_both, describe
from traced.questions import compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt

# Batches of one row: the mean of one over the first axis is no scalar.
_BATCHES = (
    jnp.array([[1.0, 4.0, 0.0]]),
    jnp.array([[-4.0, 0.0, 0.5]]),
    jnp.array([[7.0, 7.0, 7.0]]),
)
_ROWS = jnp.array([[1.0, 4.0, 0.0, 2.0], [100.0, -1.0, 0.5, 3.0]])


def _next_mean(mean: Any, batch: Any) -> Any:
    return np.float32(0.9 * mean + 0.1 * np.mean(batch))


def _carries_its_mean_on(answer: Any) -> None:
    """Require the right pair of each call, from two start values, and no change of an object."""
    for start in (0.0, 5.0):
        _compare_calls(answer, start, _BATCHES)


def _takes_the_mean_of_all_rows(answer: Any) -> None:
    """Require the mean of a batch of two rows, and NaN where the batch has one."""
    _compare_calls(answer, 5.0, (_ROWS, jnp.where(_ROWS == 0.5, jnp.nan, _ROWS)))


def _takes_many_and_large_entries(answer: Any) -> None:
    many = 1e4 * jnp.sin(jnp.arange(600.0)).reshape(300, 2) + 3e3
    _compare_calls(answer, -3.3, (many, _ROWS, jnp.array([[jnp.inf, 1.0]])))


def _compare_calls(answer: Any, start: float, batches: Iterable[Any]) -> None:
    running, mean = attempt(answer, jnp.float32(start)), np.float32(start)
    for batch in batches:
        shown = batch if batch.size < 10 else f"f32{list(batch.shape)}"
        given = f"mean = {mean}, x = {shown}"
        mean = _next_mean(mean, batch)
        following = _compare_call(running, batch, mean, given)
        # The object that was called stays as it was, for whoever has it.
        _compare_call(running, batch, mean, f"{given}, for the second time")
        running = following


def _compare_call(running: Any, batch: Any, wanted: Any, given: str) -> Any:
    """Compare one call with the mean that is wanted next, and return the object handed back."""
    before, snapshot = _mean_of(running), Snapshot([("attribute write", "running", running)])
    result = attempt(running, batch)
    # What was put into the old object is told before what the call returned.
    seen = {"attribute": "mean", "before": before, "after": _mean_of(running)}
    untouched = np.array_equal(before, seen["after"], equal_nan=True)
    require(untouched, "effects/argument", given=given, **seen)
    for _, (_, name, old, new) in snapshot.net_changes():
        texts = brief_both(old, new)
        seen = {"attribute": name, "before": texts[0], "after": texts[1]}
        raise fault("effects/argument", given=given, **seen)
    require(result is not None, "value/nothing", given=given)
    pair = isinstance(result, tuple) and len(result) == 2
    require(pair, "value/structure", given=given, wanted="a pair", got=describe(result))
    after, centered = result
    # An array has a `mean` too, which is a method.
    saw = {"of": "the first of the pair", "wanted": type(running).__name__, "got": describe(after)}
    require(not isinstance(after, jax.Array), "value/structure", given=given, **saw)
    _mean_of(after)
    require(isinstance(after, type(running)), "value/structure", given=given, **saw)
    name = type(_mean_of(after)).__name__
    saw = {"of": "the mean of the next object", "wanted": "f32[]", "got": f"an object of `{name}`"}
    is_array = isinstance(_mean_of(after), jax.Array | np.ndarray | np.generic)
    require(is_array, "value/structure", given=given, **saw)
    compare(wanted, _mean_of(after), given=given, of="the mean of the next object")
    with np.errstate(invalid="ignore"):
        difference = np.asarray(batch) - wanted
    compare(difference, centered, given=given, of="x minus the next mean")
    return after


def _mean_of(running: Any) -> Any:
    name = type(running).__name__
    require(hasattr(running, "mean"), "value/no-attribute", wanted="mean", of=f"a `{name}`")
    leaked = isinstance(running.mean, jax.core.Tracer)
    require(not leaked, "tracing/leaked", attribute="mean", holds=running.mean)
    return running.mean


def _calls(answer: Any) -> Callable[..., Any]:
    def call(mean: Any, x: Any) -> Any:
        after, centered = answer(mean)(x)
        return after.mean, centered

    return call


RunningMean = Exercise(
    name="RunningMean",
    questions=(
        traces_at_most(1, _carries_its_mean_on, "three batches, from mean 0.0 and from mean 5.0"),
        _takes_the_mean_of_all_rows,
        _takes_many_and_large_entries,
        works_under_jit(_calls, jnp.float32(0.0), jnp.ones((1, 2))),
    ),
    hints=(
        "`self` is an argument of the jitted method. What becomes of a change to it? "
        "All that the caller gets is what the method returns.",
        "`jax.tree_util.register_dataclass` makes a dataclass a pytree, "
        "which a jitted method may take and return.",
        "A registered dataclass with a jitted `__call__`: it computes the next mean, makes a new "
        "object of it, and returns this object with the centered batch.",
    ),
    verified="right means and values for two objects and three batches, from one trace, and for "
    "batches of 1 to 300 rows; no object was changed",
    answer=Solution,
)
