"""One solution of each exercise of 09_gradients, as a reader would write it."""
