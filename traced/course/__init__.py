"""What a reader meets of the machinery: exercise, hint, journal, prediction, `explain`."""
