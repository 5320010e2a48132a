"""JAX, Traced: see what JAX keeps of a function, and have an answer checked on it."""

from traced.exercise import Exercise
from traced.feedback import Feedback, Finding
from traced.prediction import reveal
from traced.probes.jaxprs import count_equations, count_primitives, find_equations
from traced.probes.traces import record_traces
from traced.raising import raises
from traced.show.jaxpr import show_jaxpr
from traced.show.stages import show_hlo, show_stages
from traced.show.watch import watch

__all__ = [
    "Exercise",
    "Feedback",
    "Finding",
    "count_equations",
    "count_primitives",
    "find_equations",
    "raises",
    "record_traces",
    "reveal",
    "show_hlo",
    "show_jaxpr",
    "show_stages",
    "watch",
]
