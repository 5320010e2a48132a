"""The exercises of 13b_nnx_axes, in the order of the page."""

from traced.lessons.nnx_axes.deep import deep
from traced.lessons.nnx_axes.samples import samples

EXERCISES = (samples, deep)
