"""One solution of each exercise of 13b_nnx_axes, as a reader would write it."""
