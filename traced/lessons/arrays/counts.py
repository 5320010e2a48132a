"""Count how often each label occurs, without counting those that are out of range."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, Question, fault
from traced.lessons.arrays.lost_updates import unless_lost
from traced.lessons.arrays.solutions.counts import counts as solution
from traced.questions import can_be_traced, compare, keeps_its_size
from traced.running.attempt import attempt

_LEAST, _MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max

#: What is counted wrong, from its labels, what is wanted, and what was got.
_Told = Callable[[Any, int, Any, Any], Found | None]


def _counts(labels: Any, k: int) -> Any:
    return np.stack([np.sum(np.asarray(labels) == each) for each in range(k)]).astype(np.int32)


def _counts_right(*cases: tuple[Any, int], told: _Told = lambda *_: None) -> Question:
    given = [(jnp.asarray(labels, jnp.int32), k) for labels, k in cases]

    def question(answer: Any) -> None:
        for labels, k in given:
            with unless_lost(lambda x, k=k: answer(x, k), labels):
                _compare(answer, labels, k, told)

    return question


def _compare(answer: Any, labels: Any, k: int, told: _Told) -> None:
    wanted, got = _counts(labels, k), attempt(answer, labels, k)
    shown = np.array2string(np.asarray(labels), threshold=8)
    try:
        compare(wanted, got, given=f"labels = {shown}, k = {k}")
    except Found as found:
        differs = found.finding.code == "value/differs"
        raise (told(labels, k, wanted, got) if differs else None) or found from None


def _tell_single(labels: Any, k: int, wanted: Any, got: Any) -> Found | None:
    """Return the fault of an update that ran once for an index that comes several times."""
    if not np.array_equal(got, wanted > 0):
        return None
    return fault("arrays/index-twice", labels=labels, k=k, wanted=wanted, got=got)


def _tell_out_of_range(labels: Any, k: int, wanted: Any, got: Any) -> Found | None:
    """Return the fault of labels that were counted though they are out of range."""
    extra, low = np.asarray(got) - wanted, np.asarray(labels)
    wrapped = _counts(np.where(low < 0, low + k, low), k) - wanted
    clipped = _counts(np.clip(low, 0, k - 1), k) - wanted
    for code, more in (("arrays/negative-index", wrapped), ("shapes/clamped", clipped)):
        if more.any() and np.array_equal(extra, more):
            saw = {"labels": labels, "k": k, "wanted": wanted, "got": got}
            # `jnp.bincount` drops what is too large, and does this to negative numbers alone.
            zero = {"negative_labels": "counted as 0"} if more is clipped and low.max() < k else {}
            return fault(code, **saw, **zero)
    return None


def _of_three(answer: Any) -> Callable[..., Any]:
    return lambda labels: answer(labels, 3)


def _can_be_traced(answer: Any) -> None:
    can_be_traced(jnp.array([0, 2, 2, 1]))(_of_three(answer))


def _keeps_its_size(answer: Any) -> None:
    keeps_its_size(lambda n: (jnp.arange(n),))(_of_three(answer))


counts = Exercise(
    name="counts",
    questions=(
        _can_be_traced,
        _counts_right(([2, 0, 1], 3), ([3, 1], 5)),
        _counts_right(([0, 2, 2, 0, 2], 3), told=_tell_single),
        _counts_right(([1, 3, 0, 7], 3), ([2, 2, _MOST], 2), told=_tell_out_of_range),
        _counts_right(([1, -1, 0, -3], 3), ([-2, 1], 2), told=_tell_out_of_range),
        _counts_right(([-7, 1, _LEAST, 1], 3), ([], 2), ([-1, 5], 4), told=_tell_out_of_range),
        _keeps_its_size,
        _counts_right(([0, 1, -1, 0], 1), ([299, 0, 255, 299, 256], 300)),
        # More than 16 bits count, and after the sizes: a loop in Python would take that many steps.
        _counts_right((np.minimum(np.arange(70_002), 1), 2)),
    ),
    hints=(
        "Three things can go wrong: a label that comes twice, one that is too large, and one that "
        "is negative. What does an update do with each?",
        "`.at[...].add` adds for each index, and drops those beyond the end. For a negative one, "
        "`jnp.where` can put a number in its place.",
        "Zeros of the right dtype; a line that moves negative labels past the end; one update "
        "that adds 1 for each label.",
    ),
    verified="right counts for labels that come twice, that are too large, and that are negative; "
    "the trace does not grow",
    answer=solution,
)
