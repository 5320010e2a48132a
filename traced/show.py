"""Pictures of what a probe saw: each has an HTML form and a text twin with the same facts."""

from traced.control_flow.pictures import show_fori_loop, show_scan, show_while_loop
from traced.drawing.plots import plot_lines
from traced.modules.pictures import show_module, show_split
from traced.programs.growth import plot_growth
from traced.pytrees.pictures import show_axes, show_prefix, show_tree
from traced.randomness.pictures import show_keys

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
