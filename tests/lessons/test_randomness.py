"""The exercises of 04_randomness."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
