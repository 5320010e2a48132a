"""Write a whole training run as one scan, which keeps the best parameters that it had."""

from functools import cache
from typing import Any

import jax
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault
from traced.lessons.cost_of_state.solutions.train_all import train_all as solution
from traced.lessons.cost_of_state.training import STEP, Net, batches, start
from traced.modules.questions import updates_like
from traced.questions import compare, keeps_its_size
from traced.running.attempt import attempt

#: Compiled once for all runs, which have batches of one shape.
_step = nnx.jit(STEP)


def _plain_loop(model: Net, optimizer: nnx.Optimizer[Net], xs: jax.Array, ys: jax.Array) -> None:
    lowest, best = float("inf"), nnx.to_pure_dict(nnx.state(model))
    for x, y in zip(np.asarray(xs), np.asarray(ys), strict=True):
        now = nnx.to_pure_dict(nnx.state(model))
        loss = float(_step(model, optimizer, x, y))
        lowest, best = (loss, now) if loss < lowest else (lowest, best)
    nnx.update(model, best)


def _batches(*sizes: float) -> tuple[jax.Array, jax.Array]:
    """Return batches whose losses go as the squares of these sizes do."""
    xs, ys = map(np.asarray, batches(len(sizes)))
    size = np.array(sizes, np.float32)[:, None, None]
    length = np.sqrt(np.mean(ys**2, (1, 2), keepdims=True))
    return jax.device_put(xs * np.minimum(size, 1)), jax.device_put(ys * size / length)


def _begun() -> tuple[Any, ...]:
    """Return objects after one step, which the optimizer remembers."""
    objects = start()
    _step(*objects, *(batch[0] for batch in _batches(1.0)))
    return objects


#: The lowest loss in the middle, before one that rises and falls again, all of them small; in the
#: last place by little, where all are larger than any number that a search would begin with; first.
_RUNS = (0.03, 0.02, 0.01, 0.04, 0.02), (4e10, 3e10, 2e10, 1e10, 0.99995e10), (0.0, 2.0, 1.0)
#: What each of them begins with.
_STARTS = dict(zip(_RUNS, (_begun, _begun, start), strict=True))


@cache
def _losses(sizes: tuple[float, ...]) -> np.ndarray:
    """Return the losses of the plain loop."""
    objects = _STARTS[sizes]()
    pairs = zip(*map(np.asarray, _batches(*sizes)), strict=True)
    return np.stack([np.asarray(_step(*objects, x, y)) for x, y in pairs])


def _returns_the_losses_and_leaves_the_best(answer: Any) -> None:
    """Require of each run its losses, as one array, the best parameters, a trained optimizer."""
    for sizes in _RUNS:

        def call(model: Any, optimizer: Any, xs: Any, ys: Any, sizes: Any = sizes) -> None:
            got = attempt(answer, model, optimizer, xs, ys)
            compare(_losses(sizes), got, given=_given(sizes))

        try:
            updates_like(_plain_loop, *_STARTS[sizes](), *_batches(*sizes), way=_given(sizes))(call)
        except Found as found:
            raise _as_told(found, _losses(sizes)) from None


def _as_told(found: Found, losses: np.ndarray) -> Found:
    """Return what was found, with the losses where the parameters are not those of the lowest."""
    finding, saw = found.finding, dict(found.finding.saw)
    if finding.code == "nnx/lost-change":
        return found.saying(rule=COPIES, read=READ)
    at = saw.get("where") or saw.get("at", "")
    if finding.code not in ("nnx/undone", "value/differs") or not at.startswith("model"):
        return found
    # To put the best parameters back is the task: what differs is which they are.
    told = {name: saw[name] for name in ("entry", "wanted", "got") if name in saw}
    shown = ", ".join(f"{loss:.4g}" for loss in losses)
    return fault("value/differs", given=saw["given"], losses=shown, at=at, **told)


#: What is said where a run is made, and its end is not in the objects that were given.
COPIES = (
    "a `scan` works on copies, and so does `jax.jit`: what they return reaches the given objects by"
    " `nnx.update`, outside of them"
)
READ = "14_cost_of_state, “A whole run can be one call”"


def _given(sizes: tuple[float, ...]) -> str:
    lowest = int(np.argmin(_losses(sizes)))
    return f"{len(sizes)} batches, of which number {lowest} has the lowest loss"


train_all = Exercise(
    name="train_all",
    questions=(
        _returns_the_losses_and_leaves_the_best,
        keeps_its_size(lambda count: (*start(), *batches(count))),
    ),
    hints=(
        "`run` above carries one thing. List what this run has to know about the steps before, "
        "and what was in the model before the step changed it.",
        "`nnx.to_pure_dict` of a state holds arrays, which no step changes. `jnp.where` chooses "
        "between two arrays, and `jax.tree.map` does so for all leaves.",
        "The carry is a state, the lowest loss so far and its parameters. After the scan, two "
        "updates: both objects with the last state, then the model with the best parameters.",
    ),
    verified="losses, optimizer and best parameters as of the plain loop; a trace of one size",
    answer=solution,
)
