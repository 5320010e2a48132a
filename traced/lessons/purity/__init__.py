"""The exercises of 03_purity, in the order of the page."""

from traced.lessons.purity.clip import clip
from traced.lessons.purity.fit import fit
from traced.lessons.purity.record import record
from traced.lessons.purity.running_mean import RunningMean
from traced.lessons.purity.sharpen import sharpen

EXERCISES = (fit, sharpen, RunningMean, record, clip)
