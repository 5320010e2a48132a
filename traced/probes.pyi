from .control_flow.batches import record_batch
from .control_flow.steps import record_fori_loop, record_scan, record_while_loop
from .devices.collectives import find_collectives
from .devices.shards import find_pieces
from .modules.changes import find_aliases, find_module_changes, record_changes
from .modules.modes import compare_modes, find_lost
from .modules.splits import split_module
from .modules.step_ways import make_step_ways
from .modules.sweeps import read_sweep
from .numbers.derivatives import find_wrong_derivatives
from .numbers.nans import find_first_nan
from .programs.dataflow import find_dataflow
from .programs.fusions import find_fusions
from .programs.growth import measure_growth
from .programs.memory import measure_program
from .programs.stages import count_stages
from .programs.timings import Timings, measure_times
from .purity.captures import find_captured_arrays
from .purity.effects import find_effects
from .purity.hidden_reads import find_hidden_reads
from .purity.stale_reads import find_stale_reads
from .python.calls import count_python_calls
from .pytrees.axes import map_axes
from .pytrees.differences import find_tree_differences
from .pytrees.nodes import nodes_of
from .pytrees.prefixes import lay_prefix
from .randomness.keys import find_key_events, find_key_reuses, record_keys
from .running.endless import find_first_endless_loop
from .static_shapes.shapes import find_first_dependence, find_shapes
from .tracing.compilations import record_compilations

__all__ = [
    "Timings",
    "compare_modes",
    "count_python_calls",
    "count_stages",
    "find_aliases",
    "find_captured_arrays",
    "find_collectives",
    "find_dataflow",
    "find_effects",
    "find_first_dependence",
    "find_first_endless_loop",
    "find_first_nan",
    "find_fusions",
    "find_hidden_reads",
    "find_key_events",
    "find_key_reuses",
    "find_lost",
    "find_module_changes",
    "find_pieces",
    "find_shapes",
    "find_stale_reads",
    "find_tree_differences",
    "find_wrong_derivatives",
    "lay_prefix",
    "make_step_ways",
    "map_axes",
    "measure_growth",
    "measure_program",
    "measure_times",
    "nodes_of",
    "read_sweep",
    "record_batch",
    "record_changes",
    "record_compilations",
    "record_fori_loop",
    "record_keys",
    "record_scan",
    "record_while_loop",
    "split_module",
]
