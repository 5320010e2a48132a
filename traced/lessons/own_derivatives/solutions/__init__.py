"""One solution of each exercise of 09b_own_derivatives, as a reader would write it."""
