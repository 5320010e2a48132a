"""The exercises of 01_arrays."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
