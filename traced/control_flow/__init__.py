"""Loops: what they carry and give out at each step."""
