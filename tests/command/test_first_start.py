"""On a first start JupyterLab asks for nothing, and the terminal has the address and no more."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from browser import launch, needs_browser
from playwright.sync_api import expect

LESSON = "00_start_here"
MINUTE = 60_000  # milliseconds, as Playwright counts
#: What would lead to settings of whoever runs the tests, or let a browser of theirs open.
HIDDEN = re.compile(r"(JUPYTER|XDG|BROWSER|IPYTHON)\w*|\w*DISPLAY")
pytestmark = [needs_browser, pytest.mark.seen_once]


class Start(NamedTuple):
    """What a reader sees who has never used Jupyter: on the page, and in the terminal."""

    toasts: list[str]
    dialogs: list[str]
    settings: str
    terminal: str
    status: int


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Start the course with an empty home, open a lesson, and end it by Ctrl-C."""
    home = tmp_path_factory.mktemp("home")
    log = home / "log"
    kept = {name: value for name, value in os.environ.items() if not HIDDEN.fullmatch(name)}
    command = [sys.executable, "-m", "traced.command", "learn", str(home / "copy")]
    with (
        log.open("wb") as file,
        subprocess.Popen(
            command, env=kept | {"HOME": str(home)}, stdout=file, stderr=file
        ) as server,
        launch() as browser,
    ):
        try:
            page = browser.new_page()
            page.goto(address(log, server))
            idle = page.locator("#jp-main-statusbar >> text=/\\| Idle/")
            idle.or_(page.locator(".jp-Dialog")).first.wait_for(timeout=MINUTE)
            # It asks when all else is there.
            page.wait_for_timeout(2000)
            toasts = page.locator(".Toastify__toast").all_inner_texts()
            dialogs = page.locator(".jp-Dialog").all_inner_texts()
            settings = page.locator("#jupyter-config-data").text_content() or ""
            expect(page.locator(".jp-NotebookPanel")).to_be_visible()
        finally:
            server.send_signal(signal.SIGINT)
        status = server.wait(timeout=60)
        yield Start(toasts, dialogs, settings, log.read_text(), status)


def address(log: Path, server: subprocess.Popen[bytes]) -> str:
    """Return the address that JupyterLab tells, once it has."""
    for _ in range(300):
        if found := re.search(r"http://127\.0\.0\.1\S+", log.read_text()):
            return found[0]
        assert server.poll() is None, log.read_text()
        time.sleep(0.2)
    raise TimeoutError(log.read_text())


def test_nothing_is_asked_about_news(start: Start) -> None:
    assert (start.toasts, start.dialogs) == ([], [])
    assert '"@jupyterlab/apputils-extension:announcements"' in start.settings


def test_the_terminal_has_the_address_and_no_warnings(start: Start) -> None:
    assert start.status == 0
    first, second, *rest = start.terminal.splitlines()
    assert first.startswith("The lessons are in ")
    assert second.endswith(f"{LESSON}.ipynb; Ctrl-C ends JupyterLab.")
    # The address, and that it was told to stop.
    told = [line for line in rest if line.startswith("[")]
    assert [line[:3] for line in told] == ["[C ", "[C "]
    assert not re.search("WARNING|not trusted|Traceback", start.terminal)
