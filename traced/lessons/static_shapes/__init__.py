"""The exercises of 05_static_shapes, in the order of the page."""

from traced.lessons.static_shapes.block_means import block_means
from traced.lessons.static_shapes.log_total import log_total
from traced.lessons.static_shapes.mean_log import mean_log
from traced.lessons.static_shapes.positions import positions
from traced.lessons.static_shapes.window import window

EXERCISES = (block_means, mean_log, positions, window, log_total)
