"""A reader's own copy of the lessons: put into a folder, brought up to date, and given anew.

Nothing that a reader has changed is written over. What was given is noted in a hidden file of the
folder, as a digest of each file: a file with another digest is the reader's.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

from traced.command.refusal import Refusal, refused_writes
from traced.python.course_files import course_file

RECORD = ".jax-traced.json"
#: Raised when a record is no longer read as it was; an older command refuses a newer record.
FORMAT = 1
LESSONS = "notebooks"
#: What a copy has, at the places that it has in the repository, so that links lead somewhere.
GIVEN = (
    f"{LESSONS}/[0-9]*.ipynb",
    "docs/guide/**/*.md",
    "docs/measured.md",
    "docs/error.md",
    "docs/faults.md",
    "docs/pictures.ipynb",
)


@dataclass
class Changes:
    """What was written into a copy: files that were missing, renewed ones, and those put beside."""

    added: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    beside: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class WorkingCopy:
    """The copy in a folder."""

    folder: Path

    def exists(self) -> bool:
        """Return whether the folder has a copy, of this version or of another one."""
        return (self.folder / RECORD).exists()

    def lessons(self) -> Path:
        """Return the folder of the notebooks."""
        return self.folder / LESSONS

    def bring_up_to_date(self) -> Changes:
        """Put in what is missing or new; a file that the reader changed gets the new one beside.

        Raises `Refusal` where the folder has other things in it, or cannot be written.
        """
        with refused_writes(self.folder):
            record = self._record()
            if record is None and self._has_other_things():
                raise Refusal(
                    f"{self.folder} has other things in it: name a new or an empty folder"
                )
            if record is None:
                # Whoever is interrupted now has a copy that the next time completes.
                self._note({}, None)
            noted: dict[str, str] = dict((record or {}).get("files", {}))
            changes = Changes()
            for name, source in given_files().items():
                self._give(name, read_given(source), noted, changes)
            self._note(noted, record)
        return changes

    def reset(self, lesson: str) -> Path | None:
        """Give a lesson anew; return where the old one is kept, or None if it was as given.

        Raises `Refusal` where the folder has no copy, no lesson is called that, or the folder
        cannot be written.
        """
        name = f"{LESSONS}/{find_lesson(lesson)}.ipynb"
        data, path = read_given(given_files()[name]), self.folder / name
        with refused_writes(self.folder):
            record = self._record()
            if record is None:
                raise Refusal(f"{self.folder} has no lessons: `jax-traced learn` puts them there")
            if digest_of(path) == digest(data):
                return None
            kept = free_name(path, "old") if path.exists() else None
            with written(path, data) as replacement:
                if kept:
                    path.rename(kept)
                replacement.replace(path)
            self._note(dict(record.get("files", {})) | {name: digest(data)}, record)
        return kept

    def changed(self) -> list[str]:
        """Return the lessons of which the copy has not what is given, by name."""
        return [
            Path(name).stem
            for name, source in given_files().items()
            if name.startswith(LESSONS)
            and digest_of(self.folder / name) != digest(read_given(source))
        ]

    def last_opened(self) -> str:
        """Return the path of the lesson that was saved last, or of the first one."""
        noted = (self._record() or {}).get("files", {})
        own = {
            (self.folder / name).stat().st_mtime_ns: name
            for name in _lesson_files()
            if digest_of(self.folder / name) not in (None, noted.get(name))
        }
        return own[max(own)] if own else _lesson_files()[0]

    def remembered(self, key: str) -> Any:
        """Return what was remembered of the reader under a key, or None."""
        return (self._record() or {}).get(key)

    def remember(self, **what: str) -> None:
        """Keep something of the reader's in the copy, such as where in the course they are."""
        with refused_writes(self.folder):
            record = self._record() or {}
            self._note(record.get("files", {}), record, **what)

    def _give(self, name: str, data: bytes, noted: dict[str, str], changes: Changes) -> None:
        path, now, new = self.folder / name, digest_of(self.folder / name), digest(data)
        if now is None or (now == noted.get(name) != new):
            (changes.added if now is None else changes.renewed).append(name)
            put(path, data)
        elif new not in (now, noted.get(name)):
            beside = path.with_suffix(f".new{path.suffix}")
            if digest_of(beside) not in (None, new, noted.get(f"{name}.new")):
                beside = free_name(path, "new")
            put(beside, data)
            changes.beside[name] = beside.relative_to(self.folder).as_posix()
            noted[f"{name}.new"] = new
        noted[name] = new

    def _has_other_things(self) -> bool:
        names = os.listdir(self.folder) if self.folder.exists() else []
        return any(not name.startswith(".") for name in names)

    def _record(self) -> dict[str, Any] | None:
        """Return what was noted, or None if nothing was."""
        path = self.folder / RECORD
        if not path.exists():
            return None
        with suppress(ValueError):
            record = json.loads(path.read_text("utf-8"))
            if isinstance(record, dict) and record.get("format") == FORMAT:
                return record
        raise Refusal(f"{path} is damaged, or of a newer jax-traced: nothing was changed")

    def _note(self, files: dict[str, str], before: dict[str, Any] | None, **more: str) -> None:
        noted = {"format": FORMAT, "version": version("jax-traced"), "files": files}
        record = (before or {}) | noted | more
        if record != before:
            put(self.folder / RECORD, json.dumps(record, indent=1, sort_keys=True).encode())


def given_files() -> dict[str, Path]:
    """Return the files that a copy has, by their paths in it.

    >>> "notebooks/00_start_here.ipynb" in given_files()
    True
    """
    root = course_file(".")
    found = (path for pattern in GIVEN for path in sorted(root.glob(pattern)))
    return {path.relative_to(root).as_posix(): path for path in found}


def read_given(source: Path) -> bytes:
    """Return what a copy has of a file: where solutions are hidden, a lesson without their outputs.

    `TRACED_SOLUTIONS` is looked at here without JAX, which takes seconds to import.
    """
    data = source.read_bytes()
    if os.environ.get("TRACED_SOLUTIONS") != "hidden" or source.suffix != ".ipynb":
        return data
    notebook = json.loads(data)
    for cell in notebook["cells"]:
        if "".join(cell["source"]).endswith(".solution()"):
            cell["outputs"] = []
    return f"{json.dumps(notebook, indent=1, ensure_ascii=False)}\n".encode()


def _lesson_files() -> list[str]:
    return [name for name in given_files() if name.startswith(LESSONS)]


def find_lesson(name: str) -> str:
    """Return the full name of a lesson that is named with its number, without it, or by it alone.

    Raises `Refusal` if there is none.

    >>> find_lesson("02"), find_lesson("tracing"), find_lesson("02_tracing.ipynb")
    ('02_tracing', '02_tracing', '02_tracing')
    """
    every = [Path(path).stem for path in _lesson_files()]
    wanted = Path(name).name.removesuffix(".ipynb")
    for lesson in every:
        number, _, rest = lesson.partition("_")
        if wanted in (lesson, number, rest):
            return lesson
    raise Refusal(f"no lesson is called {wanted}; there are {', '.join(every)}")


def digest(data: bytes) -> str:
    """Return what tells one content of a file from another."""
    return hashlib.sha256(data).hexdigest()


def digest_of(path: Path) -> str | None:
    """Return the digest of a file, or None if there is none; anything else counts as changed."""
    if path.is_file():
        return digest(path.read_bytes())
    return "no file" if os.path.lexists(path) else None


def free_name(path: Path, word: str) -> Path:
    """Return a path that is not taken: `02_tracing.old.ipynb`, or else `02_tracing.old2.ipynb`."""
    names = (path.with_suffix(f".{word}{n if n > 1 else ''}{path.suffix}") for n in count(1))
    return next(each for each in names if not os.path.lexists(each))


def put(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all."""
    with written(path, data) as replacement:
        replacement.replace(path)


@contextmanager
def written(path: Path, data: bytes) -> Iterator[Path]:
    """Write `data` beside a path and yield where; in the end, what was not moved is removed."""
    part = path.with_name(f".{path.name}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        part.write_bytes(data)
        yield part
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
