"""JAX, Traced: see what JAX keeps of a function, and have an answer checked on it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from traced.exercise import ask
    from traced.explanation import explain
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

FILES = {
    "exercise": ("ask",),
    "explanation": ("explain",),
    "journal": ("reset_progress", "show_progress"),
    "prediction": ("reveal",),
    "probes.jaxprs": ("count_equations", "count_primitives", "find_equations"),
    "probes.traces": ("record_traces",),
    "raising": ("raises",),
    "show.explore": ("explore",),
    "show.jaxpr": ("show_jaxpr",),
    "show.stages": ("show_hlo", "show_stages"),
    "show.watch": ("watch",),
}


def __getattr__(name: str) -> Any:
    # Each is loaded when it is asked for: to import the package costs next to nothing.
    for file, names in FILES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{file}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
