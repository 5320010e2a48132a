"""The exercises of 09_gradients, in the order of the page."""

from traced.lessons.gradients.agrees import agrees
from traced.lessons.gradients.clipped_mean import clipped_mean
from traced.lessons.gradients.hvp import hvp
from traced.lessons.gradients.quantize import quantize
from traced.lessons.gradients.step import step

EXERCISES = (step, hvp, quantize, agrees, clipped_mean)
