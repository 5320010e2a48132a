"""Stop early inside of `jit`, and return the best state rather than the last."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import fault
from traced.lessons.state_by_hand.solutions.fit import fit as solution
from traced.questions import compare
from traced.running.attempt import attempt

_NAN, _INF = float("nan"), float("inf")

#: The scores of the given state and of those after it, with a patience and a limit.
_RUNS: tuple[tuple[tuple[float, ...], int, int], ...] = (
    ((5.0, 4.0, 3.0, 3.5, 3.6, 1.0, 0.5, 0.1, 0.0), 2, 8),
    ((5.0, 4.0, 3.0, 3.5, 1.0, 1.5, 1.6, 1.7, 0.0), 3, 8),
    ((5.0, 4.0, 3.0, 2.0, 1.0, 0.5, 0.4, 0.3, 0.2), 2, 5),
    ((1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 2, 8),
    ((5.0, 3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0), 3, 8),
    ((5.0, _NAN, 3.0, _NAN, _NAN, _NAN, 1.0, 1.0, 1.0), 3, 8),
    ((-5.0, -6.0, _INF, -7.0, -7.5, -7.0, -8.0, -9.0, 0.0), 1, 8),
    ((5.0, 4.0, 3.0, 2.0, 1.0, 0.5, 0.4, 0.3, 0.2), 2, 0),
    ((3.0, 2.9999998, 2.9999995, 2.9999993, 3.0, 3.0, 3.0, 3.0, 3.0), 2, 8),
    ((5.0, 4.0, -_INF, 3.0, -_INF, -7.0, 1.0, 1.0, 1.0), 3, 8),
    # More calls in vain than a counter of eight bits holds, and than anybody makes room for.
    ((5.0, 4.0, *(6.0,) * 1499), 1490, 1500),
)


def _state(at: int = 0) -> dict[str, Any]:
    """Return the state after `at` calls, of which the score sees one part only."""
    return {
        "params": {"w": jnp.sin(jnp.arange(3.0) + at), "n": jnp.int32(at)},
        "rng": jax.random.fold_in(jax.random.key(0), at),
    }


def _advance(state: Any) -> Any:
    return _state(state["params"]["n"] + 1)


def _fitted(scores: tuple[float, ...], patience: int, limit: int) -> tuple[Any, Any]:
    """Return the best state and the number of calls, by a loop in Python."""
    best, calls = 0, 0
    while calls < limit and calls - best < patience:
        calls += 1
        best = calls if scores[calls] < scores[best] else best
    return _state(best), np.int32(calls)


def _given(scores: tuple[float, ...], patience: int, limit: int) -> str:
    numbers = ", ".join(f"{score:.8g}" for score in scores[:9]) + ", …" * (len(scores) > 9)
    return f"patience {patience}, limit {limit}, scores {numbers}"


#: Without `jit` each run is compiled anew: only one that stops early, and one with NaN.
_EAGER_RUNS = (_RUNS[0], _RUNS[5])


def _returns_the_best(answer: Any, jitted: bool) -> None:
    """Require the right state and number of calls, under `jit` of all runs in one program."""

    def run(scores: Any, patience: Any, limit: Any) -> Any:
        def score(state: Any) -> Any:
            return scores[state["params"]["n"]]

        return answer(_advance, score, _state(), patience, limit)

    def results() -> Iterator[Any]:
        if not jitted:
            yield from (attempt(run, jnp.array(each[0]), *each[1:]) for each in _EAGER_RUNS)
            return
        longest = max(len(scores) for scores, *_ in _RUNS)
        rows = [(*scores, *(0.0,) * (longest - len(scores))) for scores, *_ in _RUNS]
        stacked = map(jnp.array, (rows, *list(zip(*_RUNS, strict=True))[1:]))
        all_runs = jax.jit(lambda *args: jax.lax.map(lambda each: run(*each), args))
        got = attempt(all_runs, *stacked)
        yield from (jax.tree.map(lambda leaf, n=n: leaf[n], got) for n in range(len(_RUNS)))

    for each, got in zip(_RUNS if jitted else _EAGER_RUNS, results(), strict=True):
        compare(_fitted(*each), got, given=_given(*each))


_STOPS = "a `while_loop` ends with its condition; a loop to the limit makes all of its calls"
_READ = "11_state_by_hand, “The loop can be part of the program”"


def _makes_no_call_in_vain(answer: Any) -> None:
    """Require that nothing is called after the run has stopped, whatever becomes of the result."""
    scores, patience, limit = _RUNS[0]
    _, calls = _fitted(scores, patience, limit)
    begun_at: set[int] = set()

    def advance(state: Any) -> Any:
        # A loop may run more than once before it is believed to end: what counts is from where.
        jax.debug.callback(lambda n: begun_at.add(int(n)), state["params"]["n"])
        return _advance(state)

    def run(scores: Any, patience: Any, limit: Any) -> Any:
        return answer(
            advance, lambda state: scores[state["params"]["n"]], _state(), patience, limit
        )

    attempt(jax.jit(run), jnp.array(scores), patience, limit)
    jax.effects_barrier()  # type: ignore[no-untyped-call]  # JAX gives it no types
    if max(begun_at, default=0) + 1 > calls:
        seen = {"given": _given(*_RUNS[0]), "calls wanted": calls, "then": "`advance` again"}
        raise fault("state/steps", **seen).saying(rule=_STOPS, read=_READ)


fit = Exercise(
    name="fit",
    questions=(
        partial(_returns_the_best, jitted=True),
        partial(_returns_the_best, jitted=False),
        _makes_no_call_in_vain,
    ),
    hints=(
        "The Python loop above has five things that change from round to round. Which of them "
        "does the next round read, and which does the result need?",
        "`jax.lax.while_loop` takes a condition, a body and a carry, which may be a dictionary. "
        "`jnp.where` under `jax.tree.map` chooses between two trees.",
        "Carry the latest state, the best one, its score, the calls in vain and all calls. "
        "The body advances, compares, and chooses four times.",
    ),
    verified="the best state and the number of calls for eleven runs, under `jit` and without, "
    "with one NaN and with several; no call after the last that counts",
    answer=solution,
)
