"""The exercises of 06_branches, in the order of the page."""

from traced.lessons.branches.activation import activation
from traced.lessons.branches.clip_norm import clip_norm
from traced.lessons.branches.keep_best import keep_best
from traced.lessons.branches.mean_exp import mean_exp
from traced.lessons.branches.mend import mend

EXERCISES = (clip_norm, keep_best, activation, mean_exp, mend)
