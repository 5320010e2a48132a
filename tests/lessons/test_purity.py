"""The exercises of 03_purity."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
