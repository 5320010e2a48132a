"""The exercises of 10_vmap."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
