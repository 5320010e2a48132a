"""One solution of each exercise of 17_find_the_faults, as a reader would write it."""
