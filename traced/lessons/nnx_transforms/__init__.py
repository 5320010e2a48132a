"""The exercises of 13_nnx_transforms, in the order of the page."""

from traced.lessons.nnx_transforms.pure_call import pure_call
from traced.lessons.nnx_transforms.running_mean import RunningMean
from traced.lessons.nnx_transforms.train_step import train_step

EXERCISES = (pure_call, RunningMean, train_step)
