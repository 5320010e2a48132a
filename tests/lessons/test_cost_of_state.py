"""The exercises of 14_cost_of_state."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
