"""Purity: what a function does besides returning a value, and what it reads unseen."""
