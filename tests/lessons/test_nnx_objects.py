"""The exercises of 12_nnx_objects."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
