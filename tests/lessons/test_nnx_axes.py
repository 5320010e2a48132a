"""The exercises of 13b_nnx_axes."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
