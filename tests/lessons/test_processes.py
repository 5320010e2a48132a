"""The exercises of 16b_processes."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
