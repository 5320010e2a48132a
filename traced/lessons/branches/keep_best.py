"""Keep the better of two candidates, as a dictionary of the same keys and dtypes either way."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import fault
from traced.lessons.branches.solutions.keep_best import keep_best as solution
from traced.questions import compare, returns, traces_at_most, works_under_jit
from traced.running.attempt import attempt

_OLD, _NEW = jnp.array([1.0, 2.0]), jnp.array([5.0, 6.0])
_MATRIX = jnp.linspace(0.1, 0.7, 6).reshape(1, 6)
#: Many, the last two of them next to one another.
_LONG = jnp.append(jnp.linspace(-1.0, 1.0, 300), 0.999999)

#: The best loss so far and its age, and the loss of a candidate.
_ROUNDS = (
    (0.5, 3, 0.25),
    (0.5, 3, 0.75),
    (0.5, 3, 0.5),
    (0.5, 0, np.nextafter(np.float32(0.5), np.float32(0))),
    (np.inf, 0, 100.0),
    (-100.0, 7, 0.0),
    (0.5, 3, np.inf),
    (0.5, 3, -np.inf),
    (0.5, 2**24, 0.75),
)


def _best(loss: float, age: int, params: Any) -> dict[str, Any]:
    return {"loss": jnp.float32(loss), "params": params, "age": jnp.int32(age)}


def _kept(best: dict[str, Any], loss: Any, params: Any) -> dict[str, Any]:
    """Return what is kept of the best and of a candidate."""
    if np.asarray(loss) < np.asarray(best["loss"]):
        return {"loss": np.asarray(loss), "params": np.asarray(params), "age": np.int32(0)}
    old = {name: np.asarray(each) for name, each in best.items()}
    return old | {"age": np.int32(old["age"] + 1)}


def _keeps_the_better_of_two(answer: Any) -> None:
    for best, age, loss in _ROUNDS:
        args = _best(best, age, _OLD), jnp.float32(loss), _NEW
        wanted = _kept(*args)  # first: an answer may write to its arguments
        given = f"the best loss is {best} at age {age}; a candidate has {loss}"
        compare(wanted, attempt(answer, *args), given=given)


def _is_not_taken_in_by_nan(answer: Any) -> None:
    """Require the old candidate where the loss of the new one is NaN.

    A `minimum` has no predicate that could be wrong: it returns NaN beside the old age and params.
    """
    args = _best(0.5, 3, _OLD), jnp.float32(np.nan), _NEW
    wanted, got = _kept(*args), attempt(answer, *args)
    given = "the best loss is 0.5 at age 3; a candidate has nan"
    taken: dict[str, Any] = {"params": _NEW, "age": 0}
    if any(np.array_equal(got[name], new) for name, new in taken.items()):
        saw = {"wanted": _told(wanted), "got": _told(got)}
        raise fault("branches/nan", given=given, **saw)
    compare(wanted, got, given=given)


def _told(best: dict[str, Any]) -> str:
    return ", ".join(f"{name} {best[name]}" for name in ("loss", "params", "age"))


def _leaves_the_other_behind(answer: Any) -> None:
    """Require that NaN and infinity in the params that are not kept do not show in those kept."""
    untamed = jnp.array([np.nan, np.inf])
    for old, loss, new in ((_OLD, 0.75, untamed), (untamed, 0.25, _NEW)):
        args = _best(0.5, 3, old), jnp.float32(loss), new
        given = f"the best loss is 0.5 with params {old}; a candidate has {loss} with {new}"
        compare(_kept(*args), attempt(answer, *args), given=given)


def _whole(answer: Any) -> Callable[..., Any]:
    return lambda best, loss, params: answer(best, loss, params)


keep_best = Exercise(
    name="keep_best",
    questions=(
        works_under_jit(_whole, _best(0.5, 3, _OLD), jnp.float32(0.25), _NEW),
        traces_at_most(1, _keeps_the_better_of_two, "nine candidates of one shape"),
        _is_not_taken_in_by_nan,
        _leaves_the_other_behind,
        returns(
            _kept,
            (_best(2.0, 1, jnp.ones((1, 6))), jnp.float32(1.0), _MATRIX),
            (_best(np.inf, 1, _OLD), jnp.float32(np.inf), _NEW),
            (_best(2.0, 1, _LONG), jnp.float32(1.0), 2 * _LONG),
        ),
    ),
    hints=(
        "Write down the keys that each branch returns, and the dtype behind each key.",
        "The error of `cond` names what differs: first the structure, then the dtype of one "
        "leaf. A Python `0` fits an int32.",
        "Two dictionaries with the same three keys; the age of each is an integer, "
        "zero in one and one more in the other.",
    ),
    verified="right values and dtypes for fifteen candidates, one with a loss of NaN and two "
    "beside params of NaN; one trace for all of one shape",
    answer=solution,
)
