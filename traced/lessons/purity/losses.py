"""The losses that the steps of this lesson have, which two exercises ask for."""

from typing import Any

import numpy as np


def losses_of_fit(w: Any, steps: int) -> Any:
    """Return the loss before each step, where the loss is the sum of the squares of the weights."""
    return np.stack([np.sum(np.square(w * np.float32(0.8) ** i)) for i in range(steps)])
