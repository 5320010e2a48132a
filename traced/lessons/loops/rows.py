"""The rows of numbers that answers are tried on."""

from typing import Any

import jax.numpy as jnp
import numpy as np


def random_rows(*shape: int) -> Any:
    """Return normal numbers of a shape, the same each time."""
    return jnp.asarray(np.random.default_rng(0).normal(size=shape), jnp.float32)
