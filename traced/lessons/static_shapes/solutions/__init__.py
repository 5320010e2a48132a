"""One solution of each exercise of 05_static_shapes, as a reader would write it."""
