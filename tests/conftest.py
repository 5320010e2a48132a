"""What tests share: their order, JAX as they have it, a browser; and a count of compared cells."""

import functools
import os
import signal
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import jax
import nbformat
import pytest
from compiled import keep_compiled
from nbformat import NotebookNode
from nbval.plugin import find_comment_markers, find_metadata_tags

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Where the files lie that take longest. They are handed out first, lest one worker ends with them
# alone.
LONGEST = ("tests/test_", "tests/lessons/", "notebooks/")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the reader's journal as it is, and let the tests press Ctrl-C.

    The examples of the package and the lessons' kernels have no fixtures, and one example begins a
    new journal. A shell that runs the tests in the background starts them deaf to Ctrl-C, and
    whatever they start is deaf as well.
    """
    folder = tempfile.TemporaryDirectory()
    config.add_cleanup(folder.cleanup)
    # Lesson 15 is about eight devices, and all files share a process. The lessons' kernels and
    # other processes of their own have the devices that they ask for.
    jax.config.update("jax_num_cpu_devices", 8)
    os.environ["TRACED_JOURNAL"] = str(Path(folder.name) / "journal.jsonl")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run ask a part of what is `by_turns`: `--turn 2/6`."""
    told = "leave out what is marked `by_turns`, but for this part: `2/6` is the third of six"
    parser.addoption("--turn", metavar="K/N", type=_turn, help=told)


def _turn(text: str) -> tuple[int, int]:
    turn, turns = map(int, text.split("/"))
    if not 0 <= turn < turns:
        raise ValueError(text)
    return turn, turns


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the files that take longest first, in the order of `LONGEST`, and wait for one's turn."""
    items.sort(key=lambda item: [not item.nodeid.startswith(folder) for folder in LONGEST])
    if (chosen := config.getoption("--turn", None)) is None:
        return
    turn, turns = chosen
    waiting = [
        item
        for item in items
        if item.get_closest_marker("by_turns")
        # The tests of one lesson run it together: its name decides, and not theirs.
        and zlib.crc32(item.name.partition("[")[2].encode()) % turns != turn
    ]
    config.hook.pytest_deselected(items=waiting)
    left_out = set(waiting)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(autouse=True)
def own_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a journal of its own."""
    monkeypatch.setenv("TRACED_JOURNAL", str(tmp_path / "journal.jsonl"))
    return tmp_path / "journal.jsonl"


@pytest.fixture(autouse=True)
def strictness() -> Iterator[None]:
    """Let JAX refuse, in each test, every promotion of dtypes and ranks that nobody asked for."""
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        yield


@pytest.fixture
def as_readers_have_it(strictness: None) -> Iterator[None]:
    """Promote dtypes and ranks as JAX does by default: readers' code is no part of the package."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield


@pytest.fixture(scope="module")
def compiled_once() -> Iterator[None]:
    """Let the tests of a file take from disk what an earlier run compiled."""
    with keep_compiled():
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Share one browser among the tests of a file."""
    from browser import launch  # few files need it, and it takes a second

    with launch() as browser:
        yield browser


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
    """Print how many cells the run compared and how many only ran; and the canaries that fell."""
    failed = [report.nodeid for report in terminalreporter.getreports("failed")]
    if fallen := [node for node in failed if "::test_a_canary_lives[" in node]:
        terminalreporter.section("JAX or Flax does not show any longer")
        for node in fallen:
            terminalreporter.write_line(node.partition("[")[2].removesuffix("]"))
    if not config.option.nbval:
        return
    reports = [report for group in terminalreporter.stats.values() for report in group]
    nodes = {report.nodeid for report in reports if isinstance(report, pytest.TestReport)}
    # nbval names its items `notebooks/02_tracing.ipynb::Cell 3`, counting code cells from 0.
    cells = [node.split("::Cell ") for node in nodes if ".ipynb::Cell " in node]
    exempt = sum(exemptions(config.rootpath / path)[int(number)] for path, number in cells)
    terminalreporter.write_line(f"cells compared: {len(cells) - exempt}, exempt: {exempt}")
