"""Write samples of a noisy network for each row, each with noise of its own."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import fault
from traced.lessons.nnx_axes.solutions.samples import samples as solution
from traced.lessons.nnx_transforms.modes import (
    WAYS,
    repeated_noise,
    require_all_different,
    require_noise_of_rngs,
    ways_to_call,
    zeros_for,
)
from traced.programs.questions import require_bounded_growth
from traced.questions import compare
from traced.running.attempt import attempt

_KERNEL = np.arange(12, dtype=np.float32).reshape(4, 3)


class _Noisy(nnx.Module):
    """Make a matrix of one row, and add noise: whole numbers from 0 to 1023, not all alike."""

    def __init__(self) -> None:
        self.kernel = nnx.Param(jax.device_put(_KERNEL))

    def __call__(self, row: Any, *, rngs: nnx.Rngs) -> Any:
        if row.shape != (3,):
            raise TypeError(f"`net` takes one row, of shape (3,), got {row.shape}")
        return (self.kernel @ row).reshape(2, 2) + jnp.floor(1024 * rngs.uniform((2, 2)))


#: Numbers of rows and of samples, so many that neither is that of the other axes, and that numbers
#: of runs which take one of the two for the other, or ten for both, meet.
_SIZES = (3, 12), (12, 3)


def _rows(count: int) -> Any:
    """Return rows, of which the eighth is the first again, with more digits than `bfloat16` has."""
    numbers = np.arange(3.0 * count, dtype="float32").reshape(count, 3)
    return jax.device_put(numbers % 7 - 2 + 1 / 64)


def _without_noise(rows: Any) -> Any:
    return (np.asarray(rows) @ _KERNEL.T).reshape(-1, 2, 2)


def _called(answer: Any, n: int) -> Callable[..., Any]:
    """Return the answer as a function of all but its number, which is no array."""
    return lambda net, rows, rngs: answer(net, rows, rngs, n)


def _has_noise_of_its_own(answer: Any) -> None:
    """Require results of different noise, others from a second call, and others of other `rngs`."""
    for i, way in enumerate(WAYS):
        rows, n = _SIZES[min(i, 1)]
        net = _Noisy()
        call = dict(ways_to_call(_called(answer, n)))[way]
        args = {"net": net, "rows": _rows(rows), "rngs": nnx.Rngs(0)}
        given = f"{rows} rows, n = {n}, {way}"

        def noise(results: Any, given: str = given, n: int = n, rows: Any = args["rows"]) -> Any:
            return _noise_in(results, _without_noise(rows), n, given)

        first = noise(attempt(call, **args))
        require_all_different(first, given)
        second = noise(attempt(call, **args))
        if first == second:
            raise repeated_noise(call, args, noise, given)
        require_all_different([*first, *second], f"{given}, in two calls")
        other = noise(attempt(call, **{**args, "rngs": nnx.Rngs(1)}))
        require_noise_of_rngs(first, other, given)


def _noise_in(results: Any, wanted: Any, n: int, given: str) -> list[tuple[float, ...]]:
    """Return the noise of each of `n` samples of each row, which the rest of it is required of."""
    compare(np.zeros((n, *wanted.shape), "float32"), zeros_for(results), given=given)
    noise = np.asarray(results) - wanted
    for at in np.ndindex(noise.shape[:2]):
        each = noise[at]
        if not np.all((abs(each - np.round(each)) < 1e-2) & (each > -0.5) & (each < 1023.5)):
            where = f"[{at[0]}, {at[1]}], without what the net adds to its noise"
            saw = {"given": given, "at": where, "wanted": "whole numbers from 0 to 1023"}
            raise fault("value/differs", **saw, got=np.round(each, 4))
    return [tuple(np.round(each).ravel().tolist()) for row in noise for each in row]


def _gives_one_sample_of_one_row(answer: Any) -> None:
    """Require both axes where they have one entry."""

    def call(rows: Any) -> Any:
        return answer(_Noisy(), rows, nnx.Rngs(0), 1)

    got = attempt(jax.eval_shape, call, _rows(1))
    zeros = jax.tree.map(lambda each: np.zeros(each.shape, each.dtype), got)
    compare(np.zeros((1, 1, 2, 2), "float32"), zeros, given="1 row, n = 1")


def _does_not_grow(answer: Any) -> None:
    """Require as many equations for five samples as for two, and for five rows as for two."""
    net = _Noisy()
    sizes: tuple[tuple[str, Callable[[int], tuple[Any, ...]]], ...] = (
        ("n = {}", lambda n: (_called(answer, n), net, _rows(2), nnx.Rngs(0))),
        ("{} rows", lambda n: (_called(answer, 2), net, _rows(n), nnx.Rngs(0))),
    )
    for size, make in sizes:
        require_bounded_growth(make, 2, 5, size=size)


samples = Exercise(
    name="samples",
    questions=(_has_noise_of_its_own, _gives_one_sample_of_one_row, _does_not_grow),
    hints=(
        "Ask of each argument, and of each of the two axes of the result: is it the same in all "
        "runs, or has each run one of its own?",
        "`rngs.split` takes a tuple too, and each `nnx.vmap` maps one axis of the keys. "
        "A parameter that is a keyword alone is passed inside of a function.",
        "A function of a row and one `Rngs`; `nnx.vmap` of it over the rows; "
        "and `nnx.vmap` of that over the samples, which share the rows.",
    ),
    verified="noise of its own for each sample and row, others in a second call, in both modes",
    answer=solution,
)
