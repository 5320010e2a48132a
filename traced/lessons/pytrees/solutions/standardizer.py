"""A solution of `Standardizer`."""

from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
from jax.tree_util import register_dataclass


@register_dataclass
@dataclass
class Standardizer:
    mean: jax.Array
    std: jax.Array
    clip: float | None = field(default=None, metadata={"static": True})

    def __call__(self, x):
        z = (x - self.mean) / self.std
        return z if self.clip is None else jnp.clip(z, -self.clip, self.clip)
