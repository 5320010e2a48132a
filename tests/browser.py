"""Launch the browser for the tests that look at pages."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
MISSING = "no Chromium: install Debian's `chromium`, or put another one on the PATH"
FLAGS = (
    "--no-sandbox",  # a container's root has none
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

# Nobody reads the list of skipped tests in CI, so there a missing browser is a failure.
needs_browser = pytest.mark.skipif(not CHROMIUM and not os.environ.get("CI"), reason=MISSING)


@contextmanager
def launch() -> Iterator[Browser]:
    """Launch a headless Chromium and close it in the end.

    Playwright allows one at a time: a fixture around this should not outlive its module.
    """
    assert CHROMIUM, MISSING
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()
