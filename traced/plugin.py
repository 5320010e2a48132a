"""A plugin for pytest, `-p traced.plugin`: it explains the errors of JAX that end tests."""

from traced.projects.reports import pytest_runtest_makereport

__all__ = ["pytest_runtest_makereport"]
