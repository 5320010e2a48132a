"""The rows of numbers that answers are tried on."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.findings.feedback import require
from traced.running.attempt import attempt


def random_rows(*shape: int) -> Any:
    """Return normal numbers of a shape, the same each time."""
    return jnp.asarray(np.random.default_rng(0).normal(size=shape), jnp.float32)


def require_slopes(answer: Any, args: tuple[Any, ...], along: tuple[Any, ...], wanted: Any) -> None:
    """Require what the result changes by along a direction, forwards, which every loop has."""

    def slopes(args: Any, along: Any) -> Any:
        return jax.jvp(lambda *args: answer(*args), args, along)[1]

    got = attempt(jax.jit(slopes), args, along)
    given = ", ".join(f"{np.asarray(each)}" for each in args)
    changed = ", ".join(f"{np.asarray(each)}" for each in along)
    seen = {"given": given, "along": changed, "wanted": wanted, "got": got}
    close = np.allclose(wanted, got, rtol=1e-3, atol=1e-4)
    require(close, "derivatives/wrong", **seen)
