"""The exercises of 07_loops, in the order of the page."""

from traced.lessons.loops.decayed_sum import decayed_sum
from traced.lessons.loops.median_gaps import median_gaps
from traced.lessons.loops.newton import newton
from traced.lessons.loops.running_mean import running_mean
from traced.lessons.loops.smooth import smooth

EXERCISES = (smooth, running_mean, newton, median_gaps, decayed_sum)
