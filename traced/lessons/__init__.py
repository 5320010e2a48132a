"""What each lesson asks; a notebook imports its own module from here as `ex`."""

#: The lessons in the order in which they are read.
LESSONS = (
    "start_here",
    "arrays",
    "tracing",
    "purity",
    "randomness",
    "static_shapes",
    "branches",
    "loops",
    "pytrees",
    "gradients",
    "own_derivatives",
    "vmap",
    "state_by_hand",
    "nnx_objects",
    "nnx_transforms",
    "nnx_axes",
    "cost_of_state",
    "many_devices",
    "shard_map",
    "processes",
    "find_the_faults",
)
