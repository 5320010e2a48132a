"""Prove that the page of pictures shows what its cells display, on every supported JAX."""

import execute
import nbformat
from execute_pictures import PAGE
from nbformat import NotebookNode


def parts(notebook: NotebookNode) -> list[object]:
    """List what stands in each cell: its kind, its source, and what it displays."""
    return [
        (cell.cell_type, cell.source, execute.without_images(cell.get("outputs", [])))
        for cell in notebook.cells
    ]


def test_the_page_shows_what_its_cells_display() -> None:
    stored = nbformat.read(PAGE.with_suffix(".ipynb"), as_version=4)
    now = execute.read_myst(PAGE)
    execute.run(now, PAGE.parent)
    assert parts(now) == parts(stored)
