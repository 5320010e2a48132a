"""The exercises of 06_branches."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
