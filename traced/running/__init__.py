"""Running somebody else's code safely: attempt, guard, rehearsal, diagnosis, endless loops."""
