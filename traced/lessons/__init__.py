"""What each lesson asks; a notebook imports its own module from here as `ex`."""

#: The lessons in the order in which they are read.
LESSONS = (
    "start_here",
    "tracing",
    "purity",
    "randomness",
    "static_shapes",
    "branches",
    "loops",
    "pytrees",
    "nnx_objects",
    "nnx_transforms",
    "cost_of_state",
)
