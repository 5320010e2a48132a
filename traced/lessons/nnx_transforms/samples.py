"""Write samples of a noisy network, each with noise of its own, in a trace of one size."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.nnx_transforms.modes import repeated_noise, ways_to_call
from traced.lessons.nnx_transforms.solutions.samples import samples as solution
from traced.programs.questions import require_bounded_growth
from traced.questions import compare
from traced.running.attempt import attempt


class _Noisy(nnx.Module):
    def __init__(self) -> None:
        self.kernel = nnx.Param(jnp.arange(12.0).reshape(4, 3))

    def __call__(self, x: Any, rngs: nnx.Rngs) -> Any:
        return self.kernel @ x + rngs.uniform((4,))


_x = jnp.array([1.0, 2.0, -4.0])


def _called(answer: Any, n: int) -> Callable[..., Any]:
    """Return the answer as a function of all but its number, which is no array."""
    return lambda net, x, rngs: answer(net, x, rngs, n)


def _has_noise_of_its_own(answer: Any) -> None:
    """Require results of different noise, and others from a second call."""
    net, n = _Noisy(), 5
    wanted = np.asarray(net.kernel[...] @ _x)
    for way, call in ways_to_call(_called(answer, n)):
        args = {"net": net, "x": _x, "rngs": nnx.Rngs(0)}
        given = f"n = {n}, {way}"
        first = attempt(call, **args)
        compare(np.broadcast_to(wanted, (n, 4)), _without_noise(first, wanted), given=given)
        different = len(set(_rows(first)))
        require(different == n, "keys/related", given=given, results=n, different=different)
        if set(_rows(first)) & set(_rows(attempt(call, **args))):
            raise repeated_noise(call, args, _rows, given)


def _without_noise(got: Any, wanted: Any) -> Any:
    """Return what a result should be where its noise lies between 0 and 1, and it elsewhere."""
    if not isinstance(got, jax.Array) or got.shape[1:] != wanted.shape:
        return got
    noise = got - wanted
    return jnp.where((noise > -1e-4) & (noise < 1 + 1e-4), wanted, got)


def _rows(results: Any) -> list[tuple[float, ...]]:
    return [tuple(row) for row in np.asarray(results).tolist()]


def _does_not_grow(answer: Any) -> None:
    """Require as many equations for five samples as for two."""
    args = _Noisy(), _x, nnx.Rngs(0)
    require_bounded_growth(lambda n: (_called(answer, n), *args), 2, 5, size="n = {}")


samples = Exercise(
    name="samples",
    questions=(_has_noise_of_its_own, _does_not_grow),
    hints=(
        "Ask of each argument: is it the same in all runs, or has each run one of its own?",
        "`rngs.split(n)` makes `Rngs` with `n` keys in each stream, and moves the old ones on. "
        "`nnx.vmap` maps every argument unless `in_axes` says `None`.",
        "A function of one `Rngs` that calls the network, mapped over `Rngs` that were split.",
    ),
    verified="results of different noise, others in a second call, in both modes; one size",
    answer=solution,
)
