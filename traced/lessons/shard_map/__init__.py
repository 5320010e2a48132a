"""The exercises of 16_shard_map, in the order of the page."""

from traced.lessons.shard_map.differences import differences
from traced.lessons.shard_map.local_noise import local_noise
from traced.lessons.shard_map.smooth import smooth
from traced.lessons.shard_map.standardize import standardize
from traced.lessons.shard_map.step_by_hand import step_by_hand

EXERCISES = (local_noise, smooth, standardize, differences, step_by_hand)
