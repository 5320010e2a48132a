"""Assertions for the tests of one's own project; each fails with a finding as its text."""

from traced.projects.assertions import (
    assert_changes_nothing,
    assert_keys_used_once,
    assert_same_equations,
    assert_traces_at_most,
)

__all__ = [
    "assert_changes_nothing",
    "assert_keys_used_once",
    "assert_same_equations",
    "assert_traces_at_most",
]
