"""The map of the lessons: what each claims and needs, and which predictions it asks for.

The landing page of the course shows the same. `docs/write_map.py` reads it off the notebooks.
"""

import ast
import linecache
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import FrameType


@dataclass(frozen=True)
class Lesson:
    """A lesson: the name of its exercises' package, and what its notebook says of itself."""

    name: str
    number: str
    topic: str
    group: str
    claim: str
    after: tuple[str, ...]
    minutes: int | None
    predictions: Mapping[str, str]
    """The call of `reveal` of each prediction, by the id of its cell."""


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return the lessons in the order in which they are read.

    >>> lessons()[0].topic
    'Start here'
    """
    table = tomllib.loads((files("traced.course") / "map.toml").read_text("utf-8"))
    return tuple(
        Lesson(**row | {"after": tuple(row["after"]), "minutes": row.get("minutes")})
        for row in table["lesson"]
    )


def asked_at(frame: FrameType) -> tuple[str, str] | None:
    """Return the lesson and the cell that ask for the prediction which `frame` now reveals.

    It is known by its call of `reveal`, which readers leave as it is. Where two lessons have the
    same call, the lesson whose exercises are imported as `ex` is meant; otherwise it is not known.
    """
    call = call_at(linecache.getlines(frame.f_code.co_filename, frame.f_globals), frame.f_lineno)
    found = [
        (lesson.name, cell)
        for lesson in lessons()
        for cell, text in lesson.predictions.items()
        if text == call
    ]
    if len(found) > 1:
        exercises = getattr(frame.f_globals.get("ex"), "__name__", "")
        found = [each for each in found if each[0] == exercises.rpartition(".")[2]]
    return found[0] if len(found) == 1 else None


def call_at(lines: list[str], line: int) -> str | None:
    """Return the call of `reveal` on a line of a program, counted from 1, with plain blanks.

    >>> call_at(["from traced import reveal", "reveal(prediction,", "       1)"], 2)
    'reveal(prediction, 1)'
    """
    source = "".join(f"{each.rstrip()}\n" for each in lines)
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            within = node.lineno <= line <= (node.end_lineno or node.lineno)
            if node.func.id == "reveal" and within:
                return " ".join((ast.get_source_segment(source, node) or "").split())
    return None
