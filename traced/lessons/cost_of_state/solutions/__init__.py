"""One solution of each exercise of 14_cost_of_state, as a reader would write it."""
