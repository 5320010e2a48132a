"""One solution of each exercise of 02_tracing, as a reader would write it."""
