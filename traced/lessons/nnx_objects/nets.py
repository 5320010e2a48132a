"""The net that answers are tried on, its batch and its values."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.findings.feedback import require


class Count(nnx.Variable[jax.Array]):
    """Counts calls."""


class Part(nnx.Module):
    """A layer with a parameter, a count, and an array that is no Variable."""

    def __init__(self, seed: int, width: int = 2) -> None:
        weights = np.arange(2.0 * width, dtype="float32").reshape(2, width)
        self.w = nnx.Param(jnp.asarray(weights + seed))
        self.calls = Count(jnp.int32(0))
        self.offset = nnx.data(jnp.asarray(np.ones(width, "float32")))

    def __call__(self, x: jax.Array) -> jax.Array:
        """Count the call, and apply the layer."""
        self.calls[...] += 1
        return x @ self.w[...] + self.offset


class Net(nnx.Module):
    """Two parts, noise and a head."""

    def __init__(self, seed: int = 0) -> None:
        self.encode, self.middle = Part(seed), Part(seed + 5)
        self.dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(seed))
        self.head: Part | nnx.Linear = Part(seed + 7, width=1)

    def __call__(self, x: jax.Array) -> jax.Array:
        """Apply all parts."""
        hidden: jax.Array = self.dropout(self.middle(self.encode(x)))
        return self.head(hidden)


BATCH = jnp.arange(1.0, 17.0).reshape(8, 2)


def values_of(model: Any) -> Any:
    """Return the arrays of a module, keys and plain arrays among them, as a plain dictionary."""
    return nnx.to_pure_dict(nnx.state(model))


def require_module(kind: type, got: Any) -> Any:
    """Require that an answer returned a module of a class, and return it."""
    name = kind.__name__
    require(got is not None, "value/nothing", wanted=f"a {name}")
    require(isinstance(got, kind), "value/structure", wanted=name, got=type(got).__name__)
    return got
