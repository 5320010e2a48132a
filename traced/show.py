"""Pictures of what a probe saw: each has an HTML form and a text twin with the same facts."""

from traced.control_flow.batch_pictures import show_batched
from traced.control_flow.pictures import show_fori_loop, show_scan, show_while_loop
from traced.devices.exchange_pictures import show_exchange
from traced.devices.pictures import show_shards
from traced.devices.process_pictures import show_processes
from traced.drawing.bars import plot_bars
from traced.drawing.plots import plot_lines
from traced.modules.level_pictures import show_levels
from traced.modules.pair_pictures import show_by_hand
from traced.modules.pictures import show_lost, show_module, show_split
from traced.programs.growth import plot_growth
from traced.programs.pictures import show_dataflow
from traced.pytrees.pictures import show_axes, show_prefix, show_tree
from traced.randomness.pictures import show_keys
from traced.tracing.pictures import show_calls

__all__ = [
    "plot_bars",
    "plot_growth",
    "plot_lines",
    "show_axes",
    "show_batched",
    "show_by_hand",
    "show_calls",
    "show_dataflow",
    "show_exchange",
    "show_fori_loop",
    "show_keys",
    "show_levels",
    "show_lost",
    "show_module",
    "show_prefix",
    "show_processes",
    "show_scan",
    "show_shards",
    "show_split",
    "show_tree",
    "show_while_loop",
]
