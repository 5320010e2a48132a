"""The exercises of 00_start_here."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
