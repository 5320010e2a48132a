"""The exercises of 17_find_the_faults."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
