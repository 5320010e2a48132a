"""The exercises of 07_loops, in the order of the page."""

from traced.lessons.loops.bounded_while import bounded_while
from traced.lessons.loops.decayed_sum import decayed_sum
from traced.lessons.loops.median_gaps import median_gaps
from traced.lessons.loops.smooth import smooth

EXERCISES = (smooth, bounded_while, median_gaps, decayed_sum)
