"""Launch the browser for the tests that look at pages, and find what nobody can read on one."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # no stubs
from playwright.sync_api import Browser, Page, sync_playwright

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

#: What is drawn in a page of the site, and what it is shown with.
PICTURE = re.compile(r'<div class="traced.*?(?=<div class="cell |<section|</section)', re.DOTALL)

# What stands around pictures on a page of their own; `color-scheme` makes it follow the reader's.
FRAME = """<!doctype html><html lang="en"><head><title>Pictures</title><meta name="viewport"
content="width=device-width"><style>:root {{ color-scheme: light dark }} body {{ margin: 1em;
font: 16px sans-serif; color: CanvasText; background: Canvas }}</style></head><body><main>
<h1>Pictures</h1>{}</main></body></html>"""


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


# Most of a page's elements are tokens of code, and those inside the same classes look the same. axe
# takes three quarters of its time for their colours, so it looks at the first of each kind.
MARK_REPEATED_TOKENS = """() => {
  const kinds = new Set();
  for (const token of document.querySelectorAll('.highlight pre span:not(:has(*))')) {
    let kind = '';
    for (let each = token; each; each = each.parentElement) kind += each.className + '<';
    token.toggleAttribute('data-repeated', kinds.has(kind));
    kinds.add(kind);
  }
}"""


def find_barriers(page: Page) -> list[str]:
    """List what keeps somebody from reading a page, folded parts included."""
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    page.evaluate(MARK_REPEATED_TOKENS)
    options = {
        "preload": False,
        # Off by default, being new.
        "rules": {"label-content-name-mismatch": {"enabled": True}},
        # axe takes most of its time to describe what is in order.
        "resultTypes": ["violations", "incomplete"],
    }
    found = Axe().run(page, {"exclude": [["[data-repeated]"]]}, options).response
    barriers = [(rule["id"], node) for rule in found["violations"] for node in rule["nodes"]]
    # Text in exactly the colour of its background is only doubtful to axe: it may be on purpose.
    doubts = [("unseen", node) for rule in found["incomplete"] for node in rule["nodes"]]
    barriers += [(rule, node) for rule, node in doubts if '"equalRatio"' in json.dumps(node)]
    return [f"{rule}: {node['html']}" for rule, node in barriers]


def is_too_wide(page: Page) -> bool:
    """Tell whether a page scrolls sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
