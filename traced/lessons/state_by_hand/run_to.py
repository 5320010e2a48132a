"""Run to a step, from the latest checkpoint or from the beginning, and leave checkpoints."""

from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp  # type: ignore[import-untyped]  # Orbax gives it no types

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault, require
from traced.lessons.state_by_hand.solutions.run_to import run_to as solution
from traced.questions import compare
from traced.running.attempt import attempt
from traced.running.diagnosis import first_sentence


class _PowerCutError(Exception):
    """The end of a run that nobody was told of."""


#: What a run gives that was cut short, and said so.
_CUT = object()


class _Walk(NamedTuple):
    """A part of a state. Its names are not in the order of the alphabet, as Orbax returns them."""

    place: Any
    half: Any


def _start() -> Any:
    """Return a state that says nothing of the number of the step."""
    key = jax.random.key(3)
    return {"walk": _Walk(jax.random.normal(key, (2,)), jnp.bfloat16(0.5)), "key": key}


@jax.jit
def _next(state: Any) -> Any:
    key, subkey = jax.random.split(state["key"])
    walk = state["walk"]
    # Without a target Orbax returns a dictionary, which the comparison tells, and no error here.
    as_dict = isinstance(walk, dict)
    place, half = (walk["place"], walk["half"]) if as_dict else walk
    made = {"place": place + jax.random.normal(subkey, (2,)), "half": half / 2}
    return {"walk": made if as_dict else _Walk(**made), "key": key}


class _Advance:
    """A step that counts its calls, and is cut short at one of them."""

    def __init__(self, cut_at: int | None = None) -> None:
        self.calls, self.cut_at = 0, cut_at

    def __call__(self, state: Any) -> Any:
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(state)):
            saw = {"wanted": "a call of `advance` for each step", "got": "a trace of it"}
            raise fault("state/steps", **saw).saying(rule=_CALLED, read=_LOOP)
        self.calls += 1
        if self.calls == self.cut_at:
            raise _PowerCutError("the power is off")
        return _next(state)


def _after(steps: int) -> Any:
    state = _start()
    for _ in range(steps):
        state = _next(state)
    return state


_CALLED = "a program that was traced repeats what `advance` did once, and does not call it"
_LOOP = "11_state_by_hand, “The loop can be part of the program”"
_HIDDEN = "a run that ends without the error of a step looks as if all its steps were made"
_SAVES = "a checkpoint costs time and room: a run saves the steps that are asked for, and no more"
_READ = "11_state_by_hand, “Saved whole, a run resumes exactly”"

#: What is done one after the other in one folder: how far to run, which call of `advance` is cut
#: short, how many calls there are, and which step the latest checkpoint has in the end.
_Run = tuple[int, int | None, int, int]
_SEVEN_THEN_TWELVE: tuple[_Run, ...] = ((7, None, 7, 7), (12, None, 5, 12), (12, None, 0, 12))
_CUT_SHORT: tuple[_Run, ...] = ((20, 9, 9, 5), (20, 9, 9, 10), (13, None, 3, 13))
_CUT_AFTER_SEVEN: tuple[_Run, ...] = ((7, None, 7, 7), (20, 5, 5, 10))
_WHOLE_FIVES: tuple[_Run, ...] = ((10, None, 10, 10), (11, 1, 1, 10), (11, None, 1, 11))


def _runs(*runs: _Run) -> Callable[[Any], None]:
    """Ask for the right state, number of steps and checkpoints after each of some runs."""

    def question(answer: Any) -> None:
        # A manager that saves by an interval also saves the first step that it is given.
        lasts = {1}
        # A manager that was not closed may still be writing.
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            for last, cut_at, calls, saved in runs:
                lasts |= {last} if cut_at is None else set()
                _require_run(answer, folder, last, _Advance(cut_at), calls)
                _require_checkpoints(answer, folder, last, cut_at, saved, lasts)

    return question


def _given(last: int, cut_at: int | None) -> str:
    return f"last = {last}" if cut_at is None else "a run that was cut short"


def _require_run(answer: Any, folder: str, last: int, advance: _Advance, calls: int) -> None:
    given = _given(last, advance.cut_at)
    got = attempt(_run, answer, folder, advance, last)
    made = {"wanted": f"{calls} steps", "got": f"{advance.calls} steps"}
    require(advance.calls == calls, "state/steps", given=given, **made)
    if advance.cut_at is None:
        compare(_after(last), got, given=given)
    elif got is not _CUT:
        saw = {"wanted": "the error that `advance` raised", "got": "a result"}
        raise fault("state/steps", given=given, **saw).saying(rule=_HIDDEN)


def _require_checkpoints(
    answer: Any, folder: str, last: int, cut_at: int | None, saved: int, lasts: set[int]
) -> None:
    given = _given(last, cut_at)
    with ocp.CheckpointManager(folder) as manager:
        latest, steps = manager.latest_step(), sorted(manager.all_steps())
        saw = {"given": given, "wanted": f"step {saved} as the latest", "got": f"step {latest}"}
        require(saved <= (latest or 0) <= last, "state/not-saved", **saw)
        # One that was removed is not missed as long as the latest is there.
        if any(n == 0 or (n % 5 and n not in lasts) for n in steps):
            saw |= {"wanted": "every fifth step and the last", "got": ", ".join(map(str, steps))}
            raise fault("effects/write", **saw).saying(rule=_SAVES, read=_READ)
        require(latest == saved, "state/not-saved", **saw)
        try:
            state = _read(manager, saved)
        except Found:
            # What was saved in another form counts if the answer itself goes on from it.
            again = _Advance()
            state = attempt(_run, answer, folder, again, saved)
            if again.calls or not _is_whole(state):
                raise
        compare(_after(saved), state, given=f"checkpoint {saved}")


def _read(manager: Any, step: int) -> Any:
    target = ocp.args.StandardRestore(jax.eval_shape(_start))
    try:
        return manager.restore(step, args=target)
    except (KeyError, TypeError, ValueError) as error:
        saw = {"given": f"checkpoint {step}", "raised": first_sentence(error)}
        raise fault("state/not-saved", wanted="the whole state", **saw) from None


def _is_whole(state: Any) -> bool:
    kinds: Any = jax.tree.structure
    return bool(kinds(state) == kinds(jax.eval_shape(_start)))


def _run(answer: Any, folder: str, advance: _Advance, last: int) -> Any:
    try:
        return answer(folder, _start, advance, last)
    except _PowerCutError:
        return _CUT


run_to = Exercise(
    name="run_to",
    questions=(
        _runs(*_SEVEN_THEN_TWELVE),
        _runs(*_CUT_SHORT),
        _runs(*_WHOLE_FIVES),
        _runs(*_CUT_AFTER_SEVEN),
    ),
    hints=(
        "Three things have to be known before the first step: whether there is a checkpoint, "
        "which number it has, and what it holds.",
        "`manager.latest_step()` is `None` for an empty folder. `manager.restore` takes a number "
        "and a target, and `jax.eval_shape(start)` is one.",
        "Within a manager: a number and a tree, from the folder or from the beginning; then a "
        "loop over the numbers that are left, which saves some of them.",
    ),
    verified="the right state after runs in four folders, cut short or not; no step made twice; "
    "a checkpoint of every fifth step and of the last",
    answer=solution,
)
