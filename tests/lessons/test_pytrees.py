"""The exercises of 08_pytrees."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
