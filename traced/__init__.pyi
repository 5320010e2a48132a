from .course.exercise import ask
from .course.explanation import explain
from .course.journal import reset_progress
from .course.prediction import reveal
from .course.raising import raises
from .lessons.progress import show_progress
from .programs.explore import explore
from .programs.jaxpr_lines import show_jaxpr
from .programs.jaxprs import count_equations, count_primitives, find_equations
from .programs.stages import show_hlo, show_stages
from .projects.magics import load_ipython_extension as load_ipython_extension
from .projects.magics import unload_ipython_extension as unload_ipython_extension
from .tracing.traces import record_traces
from .tracing.watch import watch

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
