"""Places in the reader's own code: a file, a line and what stands there."""

import linecache
import os
import site
import sys
import sysconfig
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from traced.internals.frames import calls_to_tracer, is_generated, lines_of

PACKAGE = Path(__file__).parents[1]

#: Packages that are found by where they are, such as those that are installed to be worked on.
PACKAGES = ("jax", "jaxlib", "numpy", "flax", "optax", "orbax", "chex", "equinox", "IPython")

#: How the names begin that Python and libraries give to code of theirs that is in no file.
GENERATED = ("<frozen", "<__array_function__", "<attrs generated", "<decorator-gen")

#: A file and a line in it, counted from 1.
Spot = tuple[str, int]


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

    The package's solutions count as the reader's code, and so does what `exec`, a prompt or
    `python -c` was given: that has no file and says `<string>` or the like.

    >>> import jax
    >>> is_library(jax.__file__), is_library("notebook cell"), is_library("<string>")
    (True, False, False)
    """
    if Path(file).is_relative_to(PACKAGE):
        return is_of_package(file)
    if file.startswith("<"):
        return file.startswith(GENERATED)
    # A compiled extension names its source by where it lay when it was built.
    if file.endswith(".pyx"):
        return True
    return any(Path(file).is_relative_to(folder) for folder in (*_installed(), *_imported()))


def is_of_package(file: str) -> bool:
    """Return whether `file` is one of this package's, and none of its solutions.

    >>> is_of_package(__file__), is_of_package("notebook cell")
    (True, False)
    """
    return Path(file).is_relative_to(PACKAGE) and Path(file).parent.name != "solutions"


@cache
def _installed() -> frozenset[str]:
    """Return the folders of Python, and those in which it looks for what is installed."""
    names = "stdlib", "platstdlib", "purelib", "platlib"
    found = {sysconfig.get_path(name) for name in names} | {os.path.dirname(os.__file__)}
    # A virtual environment may see the packages of the system, and everybody's own lie elsewhere.
    folders = [*sys.path, *site.getsitepackages(), site.getusersitepackages()]
    found |= {each for each in folders if Path(each).name in ("site-packages", "dist-packages")}
    return frozenset(found | {os.path.realpath(each) for each in found})


def _imported() -> Iterator[str]:
    for name in PACKAGES:
        yield from getattr(sys.modules.get(name), "__path__", ())


def is_library_code(code: CodeType) -> bool:
    """Return whether code belongs to a library, or is a method that Python wrote.

    A dataclass's methods have no file, as what was given to `exec`.

    >>> from dataclasses import make_dataclass
    >>> is_library_code(make_dataclass("Point", ["x"]).__init__.__code__)
    True
    """
    return is_library(code.co_filename) or is_generated(code)


def first_place(frames: Iterable[Spot]) -> Place | None:
    """Return the place of the first of `frames`, or None."""
    return next((place_at(*frame) for frame in frames), None)


def place_of_error(error: BaseException) -> Place | None:
    """Return the innermost line of the reader's code that `error` passed through, or None.

    A line whose text is not known is returned only if none is.
    """
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    own = ((code, line) for code, line in reversed(frames) if not is_library_code(code))
    places = [place_at(code.co_filename, line) for code, line in own]
    return next((place for place in places if place.source), next(iter(places), None))


def place_of_tracer(tracer: Any) -> Place | None:
    """Return the line of the reader's code that made `tracer`, or None where JAX does not know.

    >>> import jax
    >>> kept = []
    >>> _ = jax.jit(lambda x: kept.append(2 * x))(1.0)
    >>> place_of_tracer(kept[0]).note
    'made here'
    """
    made = first_place(lines_of(calls_to_tracer(tracer), is_library))
    return made and replace(made, note="made here")
