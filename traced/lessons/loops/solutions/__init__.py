"""One solution of each exercise of 07_loops, as a reader would write it."""
