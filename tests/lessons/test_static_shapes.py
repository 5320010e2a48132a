"""The exercises of 05_static_shapes."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
