"""What each lesson asks; a notebook imports its own module from here as `ex`."""
