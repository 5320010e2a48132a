"""JAX, Traced: see what JAX keeps of a function, and have an answer checked on it."""

from traced.exercise import ask
from traced.explain import explain
from traced.journal import reset_progress, show_progress
from traced.prediction import reveal
from traced.probes.jaxprs import count_equations, count_primitives, find_equations
from traced.probes.traces import record_traces
from traced.raising import raises
from traced.show.explore import explore
from traced.show.jaxpr import show_jaxpr
from traced.show.stages import show_hlo, show_stages
from traced.show.watch import watch

__all__ = [
    "ask",
    "count_equations",
    "count_primitives",
    "explain",
    "explore",
    "find_equations",
    "raises",
    "record_traces",
    "reset_progress",
    "reveal",
    "show_hlo",
    "show_jaxpr",
    "show_progress",
    "show_stages",
    "watch",
]
