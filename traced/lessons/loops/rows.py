"""The rows of numbers that answers are tried on."""

from typing import Any

import jax
import numpy as np


def random_rows(*shape: int) -> Any:
    """Return normal numbers of a shape, the same each time."""
    return jax.device_put(np.random.default_rng(0).normal(size=shape).astype("float32"))
