"""What a lesson's page asks: its exercises in their order, and the stub of each."""

import ast
import re
from functools import cache

import execute

ASKS = re.compile(r"^ex\.(\w+)\.check\(", re.MULTILINE)


def notebooks():
    """Return the Markdown file of each lesson by the lesson's name, in their order."""
    return {path.stem.partition("_")[2]: path for path in execute.paths()}


@cache
def _code_cells(lesson):
    cells = execute.read_myst(notebooks()[lesson]).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def asked_on(lesson):
    """Return the names of the exercises that a page asks for, in its order."""
    return list(dict.fromkeys(ASKS.findall("\n".join(_code_cells(lesson)))))


def stub_of(exercise):
    """Return what the exercise's cell defines, as it stands on the page with the page's imports."""
    cells, check = _code_cells(exercise.lesson), f"ex.{exercise.name}.check({exercise.name})"
    statements = [each for cell in cells for each in ast.parse(cell).body]
    imports = [each for each in statements if isinstance(each, ast.Import | ast.ImportFrom)]
    (cell,) = (cell for cell in cells if cell.endswith(check))
    namespace = {"__name__": "page"}
    exec("\n".join([*map(ast.unparse, imports), cell.removesuffix(check)]), namespace)
    return namespace[exercise.name]
