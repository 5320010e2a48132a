"""The exercises of 02_tracing, in the order of the page."""

from traced.lessons.tracing.gain import Gain
from traced.lessons.tracing.head_mean import head_mean
from traced.lessons.tracing.jax_log import jax_log
from traced.lessons.tracing.read_back import mystery, read_back
from traced.lessons.tracing.total_energy import total_energy

EXERCISES = (read_back, total_energy, head_mean, Gain)

#: What the page uses: the exercises, the function whose trace `read_back` asks for, and JAX's log.
__all__ = ["EXERCISES", "Gain", "head_mean", "jax_log", "mystery", "read_back", "total_energy"]
