"""The exercises of 07_loops."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
