"""One solution of each exercise of 04_randomness, as a reader would write it."""
