"""One solution of each exercise of 11_state_by_hand, as a reader would write it."""
