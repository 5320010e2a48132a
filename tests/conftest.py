"""Count, at the end of a run, the notebook cells that were compared and those exempt from it."""

import functools
import signal
from collections.abc import Iterator
from pathlib import Path

import jax
import nbformat
import pytest
from nbformat import NotebookNode
from nbval.plugin import find_comment_markers, find_metadata_tags


def pytest_configure() -> None:
    """Let the tests press Ctrl-C, also where a shell runs them in the background.

    It starts such a program deaf to Ctrl-C, and whatever that starts is deaf as well.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def own_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the tests' checks out of the journal of whoever runs them."""
    monkeypatch.setenv("TRACED_JOURNAL", str(tmp_path / "journal.jsonl"))
    return tmp_path / "journal.jsonl"


@pytest.fixture(autouse=True)
def strictness() -> Iterator[None]:
    """Let JAX refuse, in each test, every promotion of dtypes and ranks that nobody asked for."""
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        yield


def is_exempt(cell: NotebookNode) -> bool:
    """Tell whether nbval would skip a code cell, ignore its output or accept its exception."""
    # nbval's own readers, so that no spelling it understands goes unnoticed.
    options = dict(find_metadata_tags(cell.metadata)) | dict(find_comment_markers(cell.source))
    return options not in ({}, {"check": True})


@functools.cache
def exemptions(notebook: Path) -> list[bool]:
    """Tell for each code cell of a stored notebook whether it is exempt."""
    cells = nbformat.read(notebook, as_version=4).cells
    return [is_exempt(cell) for cell in cells if cell.cell_type == "code"]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print how many cells the run compared, and how many only ran."""
    if not config.option.nbval:
        return
    reports = [report for group in terminalreporter.stats.values() for report in group]
    nodes = {report.nodeid for report in reports if isinstance(report, pytest.TestReport)}
    # nbval names its items `notebooks/02_tracing.ipynb::Cell 3`, counting code cells from 0.
    cells = [node.split("::Cell ") for node in nodes if ".ipynb::Cell " in node]
    exempt = sum(exemptions(config.rootpath / path)[int(number)] for path, number in cells)
    terminalreporter.write_line(f"cells compared: {len(cells) - exempt}, exempt: {exempt}")
