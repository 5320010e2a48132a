"""The exercises of 09_gradients."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
