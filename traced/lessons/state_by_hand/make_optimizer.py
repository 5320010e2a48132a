"""Build an optimizer of a clip, a schedule, and a weight decay for some of the leaves."""

from functools import partial
from typing import Any

import jax
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import fault
from traced.lessons.state_by_hand.solutions.make_optimizer import make_optimizer as solution
from traced.questions import compare
from traced.running.attempt import attempt

#: Adam's own, as in `optax.adamw`.
_B1, _B2, _EPS, _DECAY = 0.9, 0.999, 1e-8, 0.1


def _layers() -> Any:
    # One row, and columns of one entry: what decays is told by the axes, and by no size of theirs.
    return {
        "bias": np.array([5, -3, 2, 4, -6], np.float32),
        "layers": [{"kernel": np.array([[4, -8, 2, 1]], np.float32), "scale": np.float32(7)}],
        "filters": np.linspace(-6, 6, 6, dtype=np.float32).reshape(2, 3, 1),
    }


def _one_vector() -> Any:
    # As many as in the bias above: operations of that shape are compiled already.
    return np.array([3, -4, 10, 1, -2], np.float32)


def _slopes(params: Any, n: int, size: float) -> Any:
    """Return slopes for update number `n`, other ones each time, of about that length."""
    leaves, structure = jax.tree.flatten(params)
    made = [
        size * np.sin(np.arange(1.0, 1.0 + leaf.size) * (n + 2) + i).reshape(leaf.shape)
        for i, leaf in enumerate(leaves)
    ]
    return jax.tree.unflatten(structure, jax.device_put([np.float32(each) for each in made]))


def _rate(k: int, rate: float, warmup: int, steps: int) -> float:
    if k < warmup:
        return rate * k / warmup
    part = min((k - warmup) / (steps - warmup), 1.0)
    return rate * float(0.5 * (1 + np.cos(np.pi * part)))


class _Reference:
    """AdamW on clipped slopes, leaf by leaf in NumPy, with its averages in 64 bits."""

    def __init__(self, leaves: list[Any]) -> None:
        self.first = [np.zeros(np.shape(leaf)) for leaf in leaves]
        self.second = [np.zeros(np.shape(leaf)) for leaf in leaves]
        self.count = 0

    def updates(self, slopes: list[Any], params: list[Any], rate: float) -> list[Any]:
        """Return what is added to each leaf."""
        slopes = [np.asarray(each, np.float64) for each in slopes]
        length = np.sqrt(sum(np.sum(each**2) for each in slopes))
        self.count += 1
        made = []
        for i, (slope, leaf) in enumerate(zip(slopes, params, strict=True)):
            slope = slope / max(length, 1.0)
            self.first[i] = _B1 * self.first[i] + (1 - _B1) * slope
            self.second[i] = _B2 * self.second[i] + (1 - _B2) * slope**2
            mean = self.first[i] / (1 - _B1**self.count)
            square = self.second[i] / (1 - _B2**self.count)
            decay = _DECAY * np.asarray(leaf) if np.ndim(leaf) >= 2 else 0.0
            made.append(np.float32(-rate * (mean / (np.sqrt(square) + _EPS) + decay)))
        return made


#: Rate, warm-up and steps; the parameters; and the length of the slopes of each update.
_RUNS: tuple[tuple[tuple[float, int, int], Any, tuple[float, ...]], ...] = (
    ((0.1, 3, 8), _layers, (30.0, 0.2, 1e-4, 2e-4, 5.0, 0.1, 0.0, 0.2, 0.03, 0.02, 0.1)),
    ((0.5, 1, 4), _one_vector, (1e-4, 2e-4, 40.0, 0.3, 0.1)),
    ((0.01, 5, 20), _layers, (300.0, 0.001, 0.5, 0.6, 0.02, 0.02)),
)


def _updates_like_adamw(
    answer: Any, options: tuple[float, int, int], make: Any, sizes: tuple[float, ...]
) -> None:
    """Require the right update each time, from the first one to number `steps` or less."""
    optimizer = attempt(answer, *options)
    for name in ("init", "update"):
        if not callable(getattr(optimizer, name, None)):
            raise fault("value/no-attribute", got=f"a {type(optimizer).__name__}", wanted=name)
    updated = jax.jit(partial(_updated, optimizer))
    params = jax.device_put(make())
    opt_state, reference = attempt(optimizer.init, params), _Reference(jax.tree.leaves(params))
    rate, warmup, steps = options
    for k, size in enumerate(sizes):
        slopes = _slopes(params, k, size)
        made = reference.updates(
            jax.tree.leaves(slopes), jax.tree.leaves(params), _rate(k, rate, warmup, steps)
        )
        wanted = jax.tree.unflatten(jax.tree.structure(params), made)
        # Twice from one state: what is not in it does not count the updates.
        attempt(updated, slopes, opt_state, params)
        got, opt_state = attempt(updated, slopes, opt_state, params)
        compare(wanted, got, given=f"rate={rate}, warmup={warmup}, steps={steps}; k = {k}")
        params = jax.device_put(jax.tree.map(np.add, params, wanted))


def _updated(optimizer: Any, slopes: Any, opt_state: Any, params: Any) -> tuple[Any, Any]:
    updates, opt_state = optimizer.update(slopes, opt_state, params)
    return updates, opt_state


make_optimizer = Exercise(
    name="make_optimizer",
    questions=tuple(
        partial(_updates_like_adamw, options=options, make=make, sizes=sizes)
        for options, make, sizes in _RUNS
    ),
    hints=(
        "Three things were built in the section above. The mask has to fit trees that nobody has "
        "seen yet.",
        "`mask` may be a function of the parameters, which `jax.tree.map` over them can be. "
        "`decay_steps` counts from the very first update.",
        "A schedule of four numbers; a function from a tree to a tree of booleans; a chain of "
        "two links, the clip first.",
    ),
    verified="the updates of AdamW on clipped gradients, with the rate of the schedule, for three "
    "runs and two trees of parameters",
    answer=solution,
)
