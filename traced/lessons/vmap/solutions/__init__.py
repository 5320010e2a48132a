"""One solution of each exercise of 10_vmap, as a reader would write it."""
