"""Execute lessons from their Markdown and store the outputs in the paired `.ipynb`.

The Markdown is the source of truth: file times are not looked at, nothing of a stored notebook is
carried over but the ids of its cells, and every cell runs in a fresh kernel. A notebook whose
cells, outputs and versions come out as they are stored keeps its bytes, and so its date; images of
what was measured do not count, and stay.
"""

import argparse
import datetime
import json
import os
import platform
import re
import sys
import time
from collections.abc import Sequence
from copy import deepcopy
from difflib import SequenceMatcher
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from jupytext.config import load_jupytext_configuration_file
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.reader import NotJSONError
from nbval.plugin import get_sanitize_patterns
from packaging.version import Version

FOLDER = Path(__file__).parent
MYST = "md:myst"
# What nbval does not compare of an output, in its own form.
NOT_COMPARED = get_sanitize_patterns((FOLDER / "measured.cfg").read_text("utf-8"))
METADATA: dict[str, Any] = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "pygments_lexer": "ipython3"},
}
SECONDS_PER_CELL = 300


class CellError(Exception):
    """Say which cell of a notebook failed, with its source and its error."""

    def __init__(self, prompt: int, source: str, error: Exception) -> None:
        # `str` of a CellExecutionError is the whole coloured traceback.
        text = f"{error.ename}: {error.evalue}" if isinstance(error, CellExecutionError) else error
        code = "\n".join(f"    {line}" for line in source.splitlines())
        super().__init__(f"code cell [{prompt}]\n{code}\n" + "\n".join(str(text).splitlines()[:2]))


def reference_release() -> str:
    """Return the newest jax in the lock: the release whose outputs are stored."""
    lock = (FOLDER.parent / "requirements.txt").read_text()
    releases: list[str] = re.findall(r"^jax==([\d.]+)", lock, flags=re.MULTILINE)
    return max(releases, key=Version)


def paths(names: Sequence[str] = (), folder: Path = FOLDER) -> list[Path]:
    """List the Markdown files of the named lessons, of all lessons if none is named."""
    every = {path.stem: path for path in sorted(folder.glob("[0-9][0-9]*_*.md"))}
    if unknown := [name for name in names if name not in every]:
        raise SystemExit(f"no such lesson: {', '.join(unknown)}; there are {', '.join(every)}")
    return [every[name] for name in names or every]


def read_myst(path: Path) -> NotebookNode:
    """Read a lesson's Markdown as a notebook without outputs, with the ids of the stored one."""
    notebook: NotebookNode = jupytext.read(path, fmt=MYST)
    notebook.metadata = METADATA
    keep_ids(notebook.cells, stored_cells(path.with_suffix(".ipynb")))
    return notebook


def stored_cells(pair: Path) -> list[NotebookNode]:
    """Return the cells of a stored notebook: none if there is none, or if git left both sides."""
    try:
        cells: list[NotebookNode] = nbformat.read(pair, as_version=4).cells
    except (FileNotFoundError, NotJSONError):
        return []
    return cells


def keep_ids(cells: list[NotebookNode], stored: list[NotebookNode]) -> None:
    """Give each cell the id that it has among the stored ones, and a new cell one that is free.

    jupytext draws random ids at each reading, and the Markdown has no place for them. A cell whose
    text changed between two that stayed is taken for the same cell.
    """
    before, now = ([(cell.cell_type, cell.source) for cell in each] for each in (stored, cells))
    used = {cell.id for cell in stored}
    free = (name for number in count() if (name := f"cell-{number:02}") not in used)
    same = SequenceMatcher(None, before, now, autojunk=False)
    for _, start, end, first, last in same.get_opcodes():
        known = (cell.id for cell in stored[start:end])
        for cell in cells[first:last]:
            cell.id = next(known if end - start == last - first else free)


def keep_images(cells: list[NotebookNode], stored: list[NotebookNode]) -> None:
    """Give each cell the stored images if all else that it shows is as it is stored.

    An image shows what was measured, which is a little different each time.
    """
    outputs = {cell.id: cell.get("outputs", []) for cell in stored}
    for cell in cells:
        known = outputs.get(cell.id, [])
        if without_images(cell.get("outputs", [])) == without_images(known):
            for output, old in zip(cell.get("outputs", []), known, strict=True):
                output.get("data", {}).update(old.get("data", {}))


def without_images(outputs: list[NotebookNode]) -> list[dict[str, Any]]:
    """Return what nbval compares of the outputs of a cell: images only have to be there."""
    copies = [dict(output) for output in outputs]
    for copy in copies:
        if "data" in copy:
            data = copy["data"].items()
            copy["data"] = {kind: kind == "image/png" or compared(each) for kind, each in data}
    return copies


def compared(shown: Any) -> Any:
    """Return what is compared of one form of an output: of what was measured, the words."""
    for rule, left in NOT_COMPARED if isinstance(shown, str) else ():
        shown = re.sub(rule, left, shown)
    return shown


def write_myst(notebook: NotebookNode) -> str:
    """Return the Markdown that jupytext writes for a notebook."""
    config = load_jupytext_configuration_file(str(FOLDER / "jupytext.toml"))
    # jupytext records formats in the metadata of what it is given, hence the copy.
    text: str = jupytext.writes(deepcopy(notebook), fmt=MYST, config=config)
    return text


def run(notebook: NotebookNode, folder: Path = FOLDER) -> int:
    """Run the code cells in a fresh kernel, in place, and return how many there were."""
    # Without coalescing, the number of stream outputs depends on how fast the kernel printed.
    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )
    count = 0
    with client.setup_kernel():
        for index, cell in enumerate(notebook.cells):
            count += cell.cell_type == "code"
            try:
                client.execute_cell(cell, index)
            except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
                raise CellError(count, cell.source, error) from None
    return count


def stamp(notebook: NotebookNode, date: str) -> str:
    """Return the notebook's file with the versions it ran on and the given date."""
    executed = {"date": date, "python": platform.python_version()}
    executed |= {name: version(name) for name in ("jax", "flax")}
    notebook.metadata = METADATA | {"traced": {"executed": executed}}
    return f"{nbformat.writes(notebook)}\n"


def stored_date(stored: str) -> str:
    """Return the date that a stored notebook claims, or nothing."""
    metadata = json.loads(stored or "{}").get("metadata", {})
    return str(metadata.get("traced", {}).get("executed", {}).get("date", ""))


def execute(path: Path) -> tuple[int, bool]:
    """Execute one lesson; return how many cells ran and whether the stored notebook changed."""
    pair = path.with_suffix(".ipynb")
    notebook = read_myst(path)
    count = run(notebook, path.parent)
    keep_images(notebook.cells, stored_cells(pair))
    stored = pair.read_text() if pair.exists() else ""
    changed = stored != stamp(notebook, stored_date(stored))
    if changed:
        pair.write_text(stamp(notebook, datetime.date.today().isoformat()))
        path.touch()  # the site, which goes by times, reads the pair again
    if path.read_text() != write_myst(notebook):
        path.write_text(write_myst(notebook))
    # JupyterLab refuses a pair whose notebook is the newer one, should their texts ever differ.
    os.utime(pair, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    return count, changed


def main(names: Sequence[str], folder: Path = FOLDER) -> int:
    """Execute the named lessons and say how each went."""
    if version("jax") != reference_release():
        print(f"outputs are stored with jax {reference_release()}; this is jax {version('jax')}")
        return 1
    # Outputs name devices now and then; the stored ones are those of a machine without any.
    os.environ["JAX_PLATFORMS"] = "cpu"
    for path in paths(names, folder):
        start = time.perf_counter()
        try:
            count, changed = execute(path)
        except CellError as failure:
            print(f"{path.stem}: {failure}\nthe stored notebook is left as it was")
            return 1
        verdict = "stored" if changed else "unchanged"
        print(f"{path.stem:24}{count:3} cells {time.perf_counter() - start:6.1f} s  {verdict}")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NN_name", help="lessons; all if none is named")
    sys.exit(main(parser.parse_args().names))
