"""A solution of `RunningMean`."""

from dataclasses import dataclass

import jax


@jax.tree_util.register_dataclass
@dataclass
class RunningMean:
    mean: jax.Array

    @jax.jit
    def __call__(self, x):
        mean = 0.9 * self.mean + 0.1 * x.mean()
        return RunningMean(mean), x - mean
