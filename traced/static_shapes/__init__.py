"""Shapes: those that a function returns, and where it needs a value to have one."""
