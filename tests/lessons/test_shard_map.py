"""The exercises of 16_shard_map."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
