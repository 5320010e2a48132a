"""The two modes of NNX, in which every answer is tried."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.findings.feedback import Found, Question, fault, require
from traced.modules.questions import lost_change
from traced.questions import traces_at_most
from traced.running.attempt import attempt

#: The modes in which an answer is called under `nnx.jit`, as evidence names them.
MODES = {"graph mode": True, "tree mode": False}


def traces_in_both_modes(most: int, run: Callable[..., None], calls: str) -> Iterator[Question]:
    """Yield the question of each mode whether `run` traces a function more than `most` times."""
    for mode, graph in MODES.items():
        yield traces_at_most(most, partial(run, graph=graph), f"{calls}, in {mode}")


#: The ways to call a function on modules, as evidence names them.
WAYS = ("without `nnx.jit`", *(f"under `nnx.jit`, in {mode}" for mode in MODES))


def ways_to_call(call: Callable[..., Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the ways to call a function on modules: without `nnx.jit`, and in each mode."""
    calls = call, *(nnx.jit(call, graph=graph) for graph in MODES.values())
    yield from zip(WAYS, calls, strict=True)


def zeros_for(result: Any) -> Any:
    """Return zeros of the type that an array has, to compare no more than that, or what is none."""
    is_array = isinstance(result, jax.Array | np.ndarray)
    return (
        jnp.zeros_like(result) if is_array and not isinstance(result, jax.core.Tracer) else result
    )


def require_all_different(noise: Sequence[Any], way: str) -> None:
    """Require as many kinds of noise as there are results."""
    different = len(set(noise))
    saw = {"given": way, "results": len(noise), "different noise": different}
    require(different == len(noise), "keys/related", **saw)


def require_noise_of_rngs(noise: Any, other: Any, way: str) -> None:
    """Require the noise of `nnx.Rngs(0)` and that of `nnx.Rngs(1)` to differ."""
    saw = {"rngs": "`nnx.Rngs(0)` and `nnx.Rngs(1)`", "their noise": "the same"}
    require(noise != other, "keys/ignored", given=way, **saw)


def repeated_noise(
    call: Callable[..., Any], args: Mapping[str, Any], noise: Callable[[Any], Any], way: str
) -> Found:
    """Return the finding for a call that repeats its noise though its `rngs` are given again.

    `noise` takes what is noise from a result. The numbers may be those of any `rngs`, and otherwise
    the stream has not moved on.
    """
    draws = [noise(attempt(call, **{**args, "rngs": nnx.Rngs(seed)})) for seed in (1, 2)]
    if draws[0] == draws[1]:
        saw = {"rngs": "`nnx.Rngs(1)` and `nnx.Rngs(2)`", "their noise": "the same"}
        return fault("keys/ignored", given=way, **saw)
    saw = {"given": way, "noise of a second call": "the same"}
    return lost_change(call, args, "rngs.default.count", "rng count", **saw)
