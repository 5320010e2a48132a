"""The exercises of 09b_own_derivatives."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
