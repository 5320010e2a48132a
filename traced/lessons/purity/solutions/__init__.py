"""One solution of each exercise of 03_purity, as a reader would write it."""
