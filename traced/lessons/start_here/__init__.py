"""The exercises of 00_start_here, in the order of the page."""

from traced.lessons.start_here.mean_square import mean_square

EXERCISES = (mean_square,)
