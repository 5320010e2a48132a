"""Write samples of a noisy network for each row, each with noise of its own."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import fault, require
from traced.lessons.nnx_axes.solutions.samples import samples as solution
from traced.lessons.nnx_transforms.modes import repeated_noise, ways_to_call, zeros_for
from traced.programs.questions import require_bounded_growth
from traced.questions import compare
from traced.running.attempt import attempt


class _Noisy(nnx.Module):
    """Multiply one row, and add noise between 0 and 1."""

    def __init__(self) -> None:
        self.kernel = nnx.Param(jnp.arange(12.0).reshape(4, 3))

    def __call__(self, row: Any, *, rngs: nnx.Rngs) -> Any:
        if row.shape != (3,):
            raise TypeError(f"`net` takes one row, of shape (3,), got {row.shape}")
        return self.kernel @ row + rngs.uniform((4,))


#: So many that neither of the two numbers is that of the other axes.
_ROWS, _N = 2, 5


def _rows(count: int = _ROWS) -> Any:
    return jnp.asarray(np.arange(3.0 * count, dtype="float32").reshape(count, 3) % 7 - 2)


def _called(answer: Any, n: int) -> Callable[..., Any]:
    """Return the answer as a function of all but its number, which is no array."""
    return lambda net, rows, rngs: answer(net, rows, rngs, n)


def _has_noise_of_its_own(answer: Any) -> None:
    """Require results of different noise, and others from a second call."""
    net, rows = _Noisy(), _rows()
    wanted = np.asarray(rows @ net.kernel[...].T)
    for way, call in ways_to_call(_called(answer, _N)):
        args = {"net": net, "rows": rows, "rngs": nnx.Rngs(0)}
        given = f"{_ROWS} rows, n = {_N}, {way}"
        first = attempt(call, **args)
        _require_noise(wanted, first, given)
        noise = set(_noise(first))
        saw = {"given": given, "results": _N * _ROWS, "different noise": len(noise)}
        require(len(noise) == _N * _ROWS, "keys/related", **saw)
        if noise & set(_noise(attempt(call, **args))):
            raise repeated_noise(call, args, _noise, given)


def _require_noise(wanted: Any, got: Any, given: str) -> None:
    """Require for each row `n` results, each of them `wanted` and noise between 0 and 1."""
    compare(np.zeros((_N, *wanted.shape), "float32"), zeros_for(got), given=given)
    noise = np.asarray(got) - wanted
    for at in np.ndindex(_N, _ROWS):
        each = noise[at]
        if not np.all((each > -1e-4) & (each < 1 + 1e-4)):
            where = f"[{at[0]}, {at[1]}], without what the net adds to its noise"
            saw = {"given": given, "at": where, "wanted": "all in 0 to 1"}
            raise fault("value/differs", **saw, got=np.round(each, 4))


def _noise(results: Any) -> list[tuple[float, ...]]:
    """Return the noise of each sample of each row."""
    noise = np.asarray(results) - np.asarray(_rows() @ _Noisy().kernel[...].T)
    return [tuple(np.round(each, 3).tolist()) for row in noise for each in row]


def _does_not_grow(answer: Any) -> None:
    """Require as many equations for five samples as for two, and for five rows as for two."""
    net = _Noisy()
    sizes: tuple[tuple[str, Callable[[int], tuple[Any, ...]]], ...] = (
        ("n = {}", lambda n: (_called(answer, n), net, _rows(), nnx.Rngs(0))),
        ("{} rows", lambda n: (_called(answer, 2), net, _rows(n), nnx.Rngs(0))),
    )
    for size, make in sizes:
        require_bounded_growth(make, 2, 5, size=size)


samples = Exercise(
    name="samples",
    questions=(_has_noise_of_its_own, _does_not_grow),
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
