"""The exercises of 13_nnx_transforms."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
