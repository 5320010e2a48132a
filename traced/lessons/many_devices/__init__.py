"""The exercises of 15_many_devices, in the order of the page."""

from traced.lessons.many_devices.count_pieces import count_pieces
from traced.lessons.many_devices.masked_step import masked_step
from traced.lessons.many_devices.place_params import place_params
from traced.lessons.many_devices.restore_on import restore_on
from traced.lessons.many_devices.split_rows import split_rows

EXERCISES = (split_rows, count_pieces, masked_step, place_params, restore_on)
