"""One solution of each exercise of 16b_processes, as a reader would write it."""
