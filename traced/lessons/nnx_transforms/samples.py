"""Write samples of a noisy network, each with noise of its own, in a trace of one size."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import fault, require
from traced.lessons.nnx_transforms.modes import repeated_noise, ways_to_call, zeros_for
from traced.lessons.nnx_transforms.solutions.samples import samples as solution
from traced.programs.questions import require_bounded_growth
from traced.questions import compare
from traced.running.attempt import attempt


class _Noisy(nnx.Module):
    def __init__(self) -> None:
        self.kernel = nnx.Param(jnp.arange(12.0).reshape(4, 3))

    def __call__(self, x: Any, rngs: nnx.Rngs) -> Any:
        return self.kernel @ x + rngs.uniform((4, 2))


_x = jnp.array([[1.0, -1.0], [2.0, 0.0], [-4.0, 3.0]])


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
        _require_noise(wanted, n, first, given)
        different = len(set(_rows(first)))
        require(different == n, "keys/related", given=given, results=n, different=different)
        if set(_rows(first)) & set(_rows(attempt(call, **args))):
            raise repeated_noise(call, args, _rows, given)


def _require_noise(wanted: Any, n: int, got: Any, given: str) -> None:
    """Require `n` results, each of them `wanted` and noise between 0 and 1."""
    compare(np.zeros((n, *wanted.shape), "float32"), zeros_for(got), given=given)
    noise = np.asarray(got) - wanted
    for number, each in enumerate(noise):
        if not np.all((each > -1e-4) & (each < 1 + 1e-4)):
            saw = {"given": given, "at": f"[{number}], without what the net adds to its noise"}
            raise fault("value/differs", **saw, wanted="all in 0 to 1", got=np.round(each, 4))


def _rows(results: Any) -> list[tuple[float, ...]]:
    return [tuple(row.ravel().tolist()) for row in np.asarray(results)]


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
