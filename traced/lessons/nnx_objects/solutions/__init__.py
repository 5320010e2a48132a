"""One solution of each exercise of 12_nnx_objects, as a reader would write it."""
