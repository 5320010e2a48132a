"""One solution of each exercise of 01_arrays, as a reader would write it."""
