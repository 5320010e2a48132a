"""Pictures of what a probe saw: each has an HTML form and a text twin with the same facts."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from traced.show.axes import show_axes
    from traced.show.keys import show_keys
    from traced.show.modules import show_module, show_split
    from traced.show.plots import plot_growth, plot_lines
    from traced.show.scans import show_fori_loop, show_scan, show_while_loop
    from traced.show.trees import show_prefix, show_tree

__all__ = [
    "plot_growth",
    "plot_lines",
    "show_axes",
    "show_fori_loop",
    "show_keys",
    "show_module",
    "show_prefix",
    "show_scan",
    "show_split",
    "show_tree",
    "show_while_loop",
]

FILES = "axes", "keys", "modules", "plots", "scans", "trees"


def __getattr__(name: str) -> Any:
    # Each is loaded when it is asked for: `import traced` should not cost more than JAX does.
    if name in __all__:
        files = (import_module(f"{__name__}.{file}") for file in FILES)
        return next(getattr(file, name) for file in files if hasattr(file, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
