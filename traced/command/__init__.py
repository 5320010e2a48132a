"""The command `jax-traced`: a copy of the lessons, JupyterLab, and the course in a terminal."""
