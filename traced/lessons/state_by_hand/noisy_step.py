"""Repair a training step that hands on neither its key nor what the optimizer returned."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]  # it has none

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault
from traced.lessons.state_by_hand.solutions.noisy_step import noisy_step as solution
from traced.pytrees.differences import name_leaves, on_host
from traced.questions import can_be_traced, compare
from traced.running.attempt import attempt
from traced.running.once import compiled_for_one_run

#: As on the page, where the answer finds it.
_ADAM = optax.adam(0.03)


def _batch(rows: int, begin: float = 1.0) -> tuple[Any, Any]:
    x = np.sin(np.arange(begin, begin + rows * 64)).reshape(rows, 64)
    y = np.arange(rows, dtype=np.int32) * 3 % 10
    return jax.device_put(x.astype(np.float32)), jax.device_put(y)


def _state(seed: int, step: int = 0) -> dict[str, Any]:
    kernels = {"in": (64, 32), "out": (32, 10)}
    params = {
        name: np.cos(np.arange(1.0, 1.0 + shape[0] * shape[1]) * 1.7).reshape(shape) / 5
        for name, shape in kernels.items()
    }
    params = jax.device_put(jax.tree.map(np.float32, params))
    key = jax.random.key(seed)
    return {
        "params": params,
        "opt_state": _ADAM.init(params),
        "key": key,
        "step": jnp.int32(step),
    }


def _loss(params: Any, x: Any, y: Any) -> Any:
    scores = jnp.tanh(x @ params["in"]) @ params["out"]
    return -jnp.mean(jax.nn.log_softmax(scores)[jnp.arange(len(y)), y])


@compiled_for_one_run
def _stepped(state: dict[str, Any], x: Any, y: Any) -> dict[str, Any]:
    keys = jax.random.split(state["key"])
    noise = jax.random.normal(keys[1], x.shape)
    slopes = jax.grad(_loss)(state["params"], x + 0.1 * noise, y)
    updates, opt_state = _ADAM.update(slopes, state["opt_state"])
    params = jax.tree.map(jnp.add, state["params"], updates)
    return {"params": params, "opt_state": opt_state, "key": keys[0], "step": state["step"] + 1}


def _hands_on(answer: Any) -> None:
    """Require the right state after each of three steps of two runs, the last from another batch.

    One shape for all, so that the answer and our step are compiled once; that other numbers of rows
    will do, a trace shows.
    """
    batches = [_batch(6, begin) for begin in (1.0, 1.0, 5.0)]
    first = _stepped(_state(0), *batches[0])
    step = compiled_for_one_run(partial(_called, answer, first))
    for state in _state(0), _state(5, step=300):
        for n, batch in enumerate(batches, 1):
            wanted, got = _stepped(state, *batch), attempt(step, state, *batch)
            given = _after(n)
            try:
                compare(wanted, got, given=given)
            except Found as found:
                if found.finding.code == "value/differs":
                    _require_carried(state, wanted, got, given)
                raise
            state = wanted


def _called(answer: Any, first: dict[str, Any], *args: Any) -> Any:
    """Return what the answer returns, if it is like `first`: `jit` may have no words for it."""
    got = attempt(answer, *args)
    structures: list[Any] = [jax.tree.structure(each) for each in (first, got)]
    if structures[0] != structures[1]:
        with jax.ensure_compile_time_eval():
            compare(first, got, given=_after(1))
    return got


def _after(n: int) -> str:
    return f"the state after {n} step{'s' if n > 1 else ''}"


def _require_carried(before: Any, wanted: Any, got: Any, given: str) -> None:
    """Require of each entry that it is not the old one where there is a new one."""
    sides = zip(
        name_leaves(before).items(), jax.tree.leaves(wanted), jax.tree.leaves(got), strict=True
    )
    for (path, old), new, now in sides:
        old, new, now = map(on_host, (old, new, now))
        if np.array_equal(old, now) and not np.array_equal(old, new):
            raise fault("state/not-carried", given=given, entry=path, got="as it was before")


noisy_step = Exercise(
    name="noisy_step",
    questions=(
        can_be_traced(_state(0), *_batch(7)),
        _hands_on,
    ),
    hints=(
        "The state has four entries. Which of them does the next step get, as this one made them?",
        "`update` returns two things, and `apply_updates` returns the parameters. "
        "`jax.random.split` made two keys; one of them was for later.",
        "Two results of the optimizer, bound to names; parameters, bound to a name; and a "
        "dictionary with four new entries.",
    ),
    verified="the right state after three steps of two runs under `jit`, with key and optimizer "
    "state of its own each time",
    answer=solution,
)
