"""The exercises of 15_many_devices."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
