"""One solution of each exercise of 00_start_here, as a reader would write it."""
