"""The project in `small` is run by a pytest of its own."""

collect_ignore = ["small"]
