"""The exercises of 11_state_by_hand."""

from tests.lessons.exercises import TestExercises

__all__ = ["TestExercises"]
