"""JAX, Traced: see what JAX keeps of a function, and have an answer checked on it."""

from traced.course.exercise import ask
from traced.course.explanation import explain
from traced.course.journal import reset_progress
from traced.course.prediction import reveal
from traced.course.raising import raises
from traced.lessons.progress import show_progress
from traced.programs.explore import explore
from traced.programs.jaxpr_lines import show_jaxpr
from traced.programs.jaxprs import count_equations, count_primitives, find_equations
from traced.programs.stages import show_hlo, show_stages
from traced.tracing.traces import record_traces
from traced.tracing.watch import watch

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
