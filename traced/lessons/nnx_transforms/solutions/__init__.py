"""One solution of each exercise of 13_nnx_transforms, as a reader would write it."""
