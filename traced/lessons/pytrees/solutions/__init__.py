"""One solution of each exercise of 08_pytrees, as a reader would write it."""
