"""Numbers: derivatives against finite differences, and where a NaN begins."""
