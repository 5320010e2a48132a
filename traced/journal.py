"""What has been tried and passed: a small file of the reader's own, never in a notebook."""

import contextlib
import importlib
import io
import json
import os
import time
from pathlib import Path

from traced.show.picture import Picture, table


def path() -> Path:
    """Return where the journal is kept: `TRACED_JOURNAL`, or the user's folder for data."""
    if given := os.environ.get("TRACED_JOURNAL"):
        return Path(given)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "traced" / "journal.jsonl"


def note(lesson: str, exercise: str, state: str) -> None:
    """Add one outcome to the journal; where it cannot be written, nothing is and nothing is raised.

    Each outcome is a line of its own, added at the end in one write: two notebooks that are open at
    once do not overwrite each other.
    """
    entry = {"lesson": lesson, "exercise": exercise, "state": state, "at": round(time.time())}
    with contextlib.suppress(OSError, RuntimeError), _opened(path()) as journal:
        journal.write(f"\n{json.dumps(entry)}\n".encode())


def _opened(file: Path) -> io.RawIOBase:
    try:
        return open(file, "ab", buffering=0)
    except FileNotFoundError:
        file.parent.mkdir(parents=True, exist_ok=True)
        return open(file, "ab", buffering=0)


def states() -> dict[tuple[str, str], str]:
    """Return the best outcome of each exercise, by lesson and name, passing over damaged lines."""
    best: dict[tuple[str, str], str] = {}
    for lesson, exercise, state in _entries():
        if best.get((lesson, exercise)) != "passed":
            best[lesson, exercise] = state
    return best


def _entries() -> list[tuple[str, str, str]]:
    entries = []
    with contextlib.suppress(OSError, RuntimeError):
        for line in path().read_bytes().splitlines():
            with contextlib.suppress(ValueError, TypeError, KeyError):
                entry = json.loads(line)
                entries.append((str(entry["lesson"]), str(entry["exercise"]), str(entry["state"])))
    return entries


def show_progress() -> Picture:
    """Return a table of all exercises, by lesson, with the best outcome of each.

    >>> str(show_progress()).splitlines()[1].split(maxsplit=2)
    ['start_here', 'mean_square', 'not attempted']
    """
    best = states()
    rows = [
        (lesson, exercise, best.get((lesson, exercise), "not attempted"))
        for lesson, exercise in _exercises()
    ]
    return table(("lesson", "exercise", "state"), rows, "progress by lesson")


def _exercises() -> list[tuple[str, str]]:
    from traced import lessons  # which import what imports this module
    from traced.exercise import Exercise

    return [
        (name, thing.name)
        for name in lessons.LESSONS
        for thing in vars(importlib.import_module(f"traced.lessons.{name}")).values()
        if isinstance(thing, Exercise)
    ]


def reset_progress() -> None:
    """Begin a new journal; the old one is kept beside it, as `journal.jsonl.old`.

    >>> note("start_here", "mean_square", "passed")
    >>> reset_progress()
    >>> states()
    {}
    """
    with contextlib.suppress(OSError, RuntimeError):
        path().replace(path().with_name(path().name + ".old"))
