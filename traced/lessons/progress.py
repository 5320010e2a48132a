"""What has been tried and passed of every lesson, as a table."""

from importlib import import_module

from traced.course import journal
from traced.drawing.picture import Picture, table
from traced.lessons import LESSONS


def show_progress() -> Picture:
    """Return a table of all exercises, by lesson, with the best outcome of each.

    >>> str(show_progress()).splitlines()[1].split(maxsplit=2)
    ['start_here', 'mean_square', 'not attempted']
    """
    best = journal.states()
    rows = [
        (lesson, exercise.name, best.get((lesson, exercise.name), "not attempted"))
        for lesson in LESSONS
        for exercise in import_module(f"traced.lessons.{lesson}").EXERCISES
    ]
    return table(("lesson", "exercise", "state"), rows, "progress by lesson")
