"""One solution of each exercise of 06_branches, as a reader would write it."""
