"""The exercises of 02_tracing."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
