"""What the command says when it cannot do what it was asked for."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Refusal(Exception):
    """Raised with one line for the reader; the command shows it and ends with a status of 1."""


@contextmanager
def refused_writes(folder: Path) -> Iterator[None]:
    """Turn what the system refuses in the `with` block into a refusal that names the folder.

    >>> with refused_writes(Path("lessons")):
    ...     raise PermissionError(13, "Permission denied")
    Traceback (most recent call last):
    traced.command.refusal.Refusal: lessons cannot be written: permission denied
    """
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        raise Refusal(f"{folder} cannot be written: {reason}") from error
