"""What the page of a lesson says of its exercises: the text of each, and the cell to fill in."""

import ast
import json
import symtable
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from traced.course.exercise import Exercise
from traced.python.course_files import course_file

#: How the text of an exercise begins, within a cell.
TITLE = "### Exercise"


@dataclass(frozen=True)
class ExercisePage:
    """One exercise as its page has it: the lesson's name with its number, the text, the stub.

    `stub` begins with what it needs of the cells above it.
    """

    lesson: str
    text: str
    stub: str


def read_page(exercise: Exercise) -> ExercisePage:
    """Return what the page of a lesson says of one of its exercises.

    >>> from traced.lessons import start_here as ex
    >>> read_page(ex.mean_square).stub.splitlines()[-1].strip()
    'raise NotImplementedError'
    """
    name, cells = _read_lesson(exercise.lesson)
    check = f"ex.{exercise.name}.check({exercise.name})"
    (at,) = (at for at, cell in enumerate(cells) if _source(cell).endswith(check))
    titled = [at for at, cell in enumerate(cells[:at]) if TITLE in _source(cell)]
    text = TITLE + "".join(_source(cells[titled[-1]]).partition(TITLE)[2:])
    for cell in cells[titled[-1] + 1 : at]:
        text += f"\n\n```python\n{_source(cell)}\n```\n\n```text\n{_shown(cell)}\n```"
    above = [_source(cell) for cell in cells[:at] if cell["cell_type"] == "code"]
    stub = _source(cells[at]).removesuffix(check).strip()
    door = f"from traced.lessons import {exercise.lesson} as ex"
    needed = "\n".join(_needed(above, stub, door))
    return ExercisePage(name, text, f"{needed}\n\n\n{stub}\n")


@cache
def _read_lesson(lesson: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the name of a lesson with its number, and its cells."""
    (path,) = course_file("notebooks").glob(f"[0-9]*_{lesson}.ipynb")
    return path.stem, json.loads(path.read_text("utf-8"))["cells"]


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def _shown(cell: dict[str, Any]) -> str:
    """Return what a cell printed or displayed, as text."""
    outputs = cell.get("outputs", [])
    texts = [each.get("text") or each.get("data", {}).get("text/plain", "") for each in outputs]
    return "\n".join("".join(text).rstrip() for text in texts)


def _needed(above: list[str], stub: str, door: str) -> list[str]:
    """Return the imports of the cells above a stub, then what else of them it needs."""
    wanted = set(_free_names(stub))
    imports, definitions = {door: None}, []
    for node, source in reversed([each for cell in above for each in _statements(cell)]):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports[source] = None
        elif names := wanted & _defined(node):
            # What it was before does not matter.
            wanted = (wanted - names) | set(_free_names(source))
            definitions.append(source)
    return [*sorted(imports), *(f"\n{source}" for source in reversed(definitions))]


def _statements(cell: str) -> Iterator[tuple[ast.stmt, str]]:
    lines = cell.splitlines()
    for node in ast.parse(cell).body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        yield node, "\n".join(lines[first - 1 : node.end_lineno])


def _defined(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {
        each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
    }


def _free_names(source: str) -> Iterator[str]:
    """Yield the names that a program takes from outside of its functions, itself included."""
    todo = [symtable.symtable(source, "<cell>", "exec")]
    for table in todo:
        todo += table.get_children()
        is_module = table.get_type() == "module"
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (is_module or symbol.is_global()):
                yield symbol.get_name()
