"""What has been tried and passed: a small file of the reader's own, never in a notebook."""

import contextlib
import io
import json
import os
import sys
import time
from functools import cache
from pathlib import Path

#: What was noted since Python was started, also where the file cannot be written.
_NOTED: list[tuple[str, str, str]] = []


def path() -> Path:
    """Return where the journal is kept: `TRACED_JOURNAL`, or the user's folder for data."""
    if given := os.environ.get("TRACED_JOURNAL"):
        return Path(given)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "traced" / "journal.jsonl"


def note(lesson: str, exercise: str, state: str) -> None:
    """Add one outcome to the journal; where it cannot be written, that is said once.

    Each outcome is a line of its own, added at the end in one write: two notebooks that are open at
    once do not overwrite each other.
    """
    _NOTED.append((lesson, exercise, state))
    _add({"lesson": lesson, "exercise": exercise, "state": state})


def note_prediction(lesson: str, cell: str, *, right: bool) -> None:
    """Add to the journal that a prediction was made, as `note` adds an outcome."""
    _add({"lesson": lesson, "prediction": cell, "state": "right" if right else "missed"})


def _add(facts: dict[str, str]) -> None:
    entry = facts | {"at": round(time.time())}
    try:
        with _opened(path()) as journal:
            journal.write(f"\n{json.dumps(entry)}\n".encode())
    except (OSError, RuntimeError) as error:
        # Without a home folder there is no path.
        place = getattr(error, "filename", None) or "the journal"
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        _say_once(f"progress is not kept: {place} cannot be written: {reason}")


@cache
def _say_once(line: str) -> None:
    print(line, file=sys.stderr)


def _opened(file: Path) -> io.RawIOBase:
    try:
        return open(file, "ab", buffering=0)
    except FileNotFoundError:
        file.parent.mkdir(parents=True, exist_ok=True)
        return open(file, "ab", buffering=0)


def states(*, this_run: bool = False, file: Path | None = None) -> dict[tuple[str, str], str]:
    """Return the best outcome of each exercise, by lesson and name, passing over damaged lines.

    `this_run` leaves out what was noted before Python was started, and in other notebooks. `file`
    is a journal of somebody else's.
    """
    best: dict[tuple[str, str], str] = {}
    for lesson, exercise, state in _NOTED if this_run else _entries(file=file):
        if best.get((lesson, exercise)) != "passed":
            best[lesson, exercise] = state
    return best


def predictions() -> set[tuple[str, str]]:
    """Return the lesson and the cell of each prediction that was made."""
    return {(lesson, cell) for lesson, cell, _ in _entries("prediction")}


def _entries(kind: str = "exercise", file: Path | None = None) -> list[tuple[str, str, str]]:
    entries = []
    with contextlib.suppress(OSError, RuntimeError):
        for line in (file or path()).read_bytes().splitlines():
            with contextlib.suppress(ValueError, TypeError, KeyError):
                entry = json.loads(line)
                entries.append((str(entry["lesson"]), str(entry[kind]), str(entry["state"])))
    return entries


def reset_progress() -> None:
    """Begin a new journal; the old one is kept beside it, as `journal.jsonl.old`.

    >>> note("start_here", "mean_square", "passed")
    >>> reset_progress()
    >>> states()
    {}
    """
    _NOTED.clear()
    with contextlib.suppress(OSError, RuntimeError):
        path().replace(path().with_name(path().name + ".old"))
