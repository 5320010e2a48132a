"""Places in the reader's own code: a file, a line and what stands there."""

import linecache
import sysconfig
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType

PACKAGE = Path(__file__).parents[1]
LIBRARY = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


@dataclass(frozen=True)
class Place:
    """A line of the reader's code: `line` counts from 1 in its file or notebook cell.

    >>> Place("cell.py", 4, "y = y * x", "second use")
    Place(file='cell.py', line=4, source='y = y * x', note='second use')
    """

    file: str
    line: int
    source: str
    note: str = ""


def place_at(file: str, line: int, note: str = "") -> Place:
    """Return the place at `line` of `file`, with its source text where Python still knows it."""
    return Place(file, line, linecache.getline(file, line).strip(), note)


def place_of_definition(file: str, line: int) -> Place:
    """Return the place of the `def` or `class` whose first decorator stands at `line` of `file`."""
    while linecache.getline(file, line).lstrip().startswith("@"):
        line += 1
    return place_at(file, line)


@cache
def is_library(file: str) -> bool:
    """Return whether `file` belongs to Python, to an installed library or to this package.

    The package's solutions count as the reader's code.

    >>> import jax
    >>> is_library(jax.__file__), is_library("notebook cell")
    (True, False)
    """
    if Path(file).is_relative_to(PACKAGE):
        return not Path(file).is_relative_to(PACKAGE / "solutions")
    # Generated code, such as a dataclass's methods, has no file: it says `<string>`.
    return file.startswith((*LIBRARY, "<frozen", "<string>"))


def first_place(frames: Iterable[tuple[str, int]]) -> Place | None:
    """Return the place of the first of `frames`, pairs of file and line, or None."""
    return next((place_at(*frame) for frame in frames), None)


def place_of_error(error: BaseException) -> Place | None:
    """Return the innermost line of the reader's code that `error` passed through, or None."""
    own = [frame for frame in _walk(error.__traceback__) if not is_library(frame[0])]
    return first_place(reversed(own))


def _walk(trace: TracebackType | None) -> Iterable[tuple[str, int]]:
    return ((frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(trace))
