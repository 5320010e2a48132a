"""The exercises of 01_arrays, in the order of the page."""

from traced.lessons.arrays.clip_boxes import clip_boxes
from traced.lessons.arrays.counts import counts
from traced.lessons.arrays.load import load
from traced.lessons.arrays.store import store
from traced.lessons.arrays.time_call import time_call

EXERCISES = (clip_boxes, store, counts, load, time_call)
