"""Prove that a lesson and the pictures open, run and answer in JupyterLab, as learners see it."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

import execute
import pytest
from browser import needs_browser
from execute_pictures import PAGE
from playwright.sync_api import Browser, Locator, Page, Route, expect

NOTEBOOK = "02_tracing"
EXERCISE = "read_back"
WRONG = "def read_back(x, y):\n    return -jnp.max(x * y)"
RIGHT = "def read_back(x, y):\n    return -jnp.max(x * y - x)"
ERROR = "import jax\n\njax.jit(lambda x: 1.0 if x > 0 else x)(2.0)"

TOKEN = "learner"
CHECK = f"ex.{EXERCISE}.check({EXERCISE})"
LABS_OWN = "Could not restore the debugger state"  # logged whenever a kernel restarts
MINUTE = 60_000  # milliseconds, as Playwright counts
pytestmark = [needs_browser, pytest.mark.seen_once]


@dataclass(frozen=True)
class Opened:
    """A lesson on the screen, and what has happened since it was asked for."""

    panel: Locator
    dialogs: list[str]
    console: list[str]
    foreign: list[str]


@dataclass(frozen=True)
class Visit(Opened):
    """What a learner saw who ran the lesson, answered an exercise twice, and met an error."""

    errors: list[str]
    wrong: str
    right: str
    explained: str


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until the server answers."""
    for _ in range(300):
        assert server.poll() is None, "JupyterLab did not start"
        try:
            urllib.request.urlopen(url).close()
            return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(url)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a lesson and the page of pictures, away from the settings of whoever runs the tests.

    The lesson's notebook is newer than its text, as after pulling new outputs.
    """
    root, state = tmp_path_factory.mktemp("lab"), tmp_path_factory.mktemp("state")
    shutil.copytree(execute.FOLDER, root, dirs_exist_ok=True)
    os.utime(root / f"{NOTEBOOK}.ipynb", (time.time() + 3600,) * 2)
    # The text stays behind: Lab is to take the styles and data of this page from the notebook.
    (root / "docs").mkdir()
    shutil.copy(PAGE.with_suffix(".ipynb"), root / "docs")
    base = f"http://127.0.0.1:{free_port()}"
    folders = {f"JUPYTER_{name}_DIR": str(state / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    options = [
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={base.rpartition(':')[2]}",
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.root_dir={root}",
    ]
    command = [sys.executable, "-m", "jupyterlab", *options]
    with subprocess.Popen(command, env=os.environ | folders, stderr=subprocess.DEVNULL) as server:
        try:
            wait_for(f"{base}/api", server)
            yield base
        finally:
            server.terminate()


def open_notebook(page: Page, base: str, name: str = NOTEBOOK) -> Locator:
    """Open the lesson and wait until its kernel is idle or a dialog is in the way."""
    # A workspace name with a dot is "Path Not Found".
    page.goto(f"{base}/lab/workspaces/auto-test/tree/{name}.ipynb?token={TOKEN}&reset")
    # The toolbar says idle too early, before the kernel is chosen; the status bar does not.
    idle = page.locator("#jp-main-statusbar >> text=/\\| Idle/")
    idle.or_(page.locator(".jp-Dialog")).first.wait_for(timeout=MINUTE)
    return page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")


def run_all(panel: Locator) -> list[str]:
    """Restart the kernel, run every cell, and return the errors on the screen."""
    panel.locator('.jp-NotebookPanel-toolbar [data-command="notebook:restart-run-all"]').click()
    panel.page.locator(".jp-Dialog button.jp-mod-accept").click()
    # The stored prompts are on the screen before anything runs.
    running = panel.locator('.jp-InputPrompt:has-text("[*]")')
    running.first.wait_for(timeout=MINUTE)
    expect(running).to_have_count(0, timeout=5 * MINUTE)
    # Lab shows an error as it shows stderr. What is scrolled away has contents, but no inner text.
    return panel.locator('[data-mime-type="application/vnd.jupyter.stderr"]').all_text_contents()


def answer(panel: Locator, source: str) -> str:
    """Type an answer over the exercise, run it, and return what appears under the cell."""
    return enter(panel.locator(".jp-CodeCell", has_text=CHECK), f"{source}\n\n\n{CHECK}")


def enter(cell: Locator, source: str) -> str:
    """Type over a cell, run it, and return what appears under it."""
    prompt = cell.locator(".jp-InputPrompt")
    before = prompt.inner_text()
    cell.locator(".cm-content").click()
    # Keys that come before the editor has the focus are taken for commands.
    expect(cell.locator(".cm-focused")).to_be_visible()
    cell.page.keyboard.press("Control+A")
    # `type` would meet the automatic indentation.
    cell.page.keyboard.insert_text(source)
    cell.page.keyboard.press("Control+Enter")
    expect(prompt).not_to_have_text(before)
    expect(prompt).to_have_text(re.compile(r"\[\d+\]"), timeout=MINUTE)
    return "\n".join(cell.locator(".jp-OutputArea-output").all_inner_texts())


@pytest.fixture(scope="module")
def opened(lab: str, browser: Browser) -> Opened:
    """Open the lesson."""
    console: list[str] = []
    foreign: list[str] = []

    def gate(route: Route) -> None:
        if route.request.url.startswith((lab, "data:", "blob:")):
            route.continue_()
        else:
            foreign.append(route.request.url)
            route.abort()

    page = browser.new_page()
    page.route("**/*", gate)
    page.on("console", lambda line: console.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: console.append(str(error)))
    panel = open_notebook(page, lab)
    return Opened(panel, page.locator(".jp-Dialog").all_inner_texts(), console, foreign)


@pytest.fixture(scope="module")
def visit(opened: Opened) -> Visit:
    """Run the lesson, answer the exercise wrongly, then rightly; run into an error, and ask why."""
    assert opened.dialogs == []
    errors = run_all(opened.panel)
    wrong, right = answer(opened.panel, WRONG), answer(opened.panel, RIGHT)
    cell = opened.panel.locator(".jp-CodeCell").first
    assert "Traceback" in enter(cell, ERROR)
    explained = enter(cell, "from traced import explain\n\nexplain()")
    return Visit(**vars(opened), errors=errors, wrong=wrong, right=right, explained=explained)


def test_a_notebook_newer_than_its_text_opens_without_a_question(opened: Opened) -> None:
    assert opened.dialogs == []


def test_every_cell_runs(visit: Visit) -> None:
    assert visit.errors == []


def test_a_wrong_answer_is_not_yet(visit: Visit) -> None:
    assert f"{EXERCISE}: not yet" in visit.wrong
    assert f"{EXERCISE}: passed" not in visit.wrong


def test_a_right_answer_passes(visit: Visit) -> None:
    assert f"{EXERCISE}: passed" in visit.right
    assert f"{EXERCISE}: not yet" not in visit.right


def test_an_error_is_explained_in_the_next_run(visit: Visit) -> None:
    assert visit.explained.startswith("TracerBoolConversionError: Attempted boolean conversion")
    assert "line 3:  jax.jit(lambda x: 1.0 if x > 0 else x)(2.0)" in visit.explained
    assert "read: field guide, TracerBoolConversionError" in visit.explained
    assert "Traceback" not in visit.explained


def test_nothing_is_asked_of_another_host(visit: Visit) -> None:
    assert visit.foreign == []


def test_the_console_stays_quiet(visit: Visit) -> None:
    assert [line for line in visit.console if not line.startswith(LABS_OWN)] == []


@pytest.fixture(scope="module")
def pictures(lab: str, browser: Browser) -> Locator:
    """Open the page of pictures, which is not trusted yet."""
    return open_notebook(browser.new_page(), lab, f"docs/{PAGE.stem}")


def explorer(pictures: Locator) -> Locator:
    return pictures.locator(".traced", has_text="equations traced").first


def test_an_untrusted_picture_has_its_three_panes_side_by_side(pictures: Locator) -> None:
    picture = explorer(pictures)
    picture.scroll_into_view_if_needed()
    expect(picture.locator("style")).to_have_count(0)
    # Roles are taken too.
    panes = picture.locator(".linked > div > div")
    expect(panes.first).to_contain_text("def loss(w, x, y):")
    boxes = [pane.bounding_box() for pane in panes.all()]
    assert len(boxes) == 3
    assert len({box and box["y"] for box in boxes}) == 1


def test_an_untrusted_picture_has_the_colours_and_numbers_of_its_lines(pictures: Locator) -> None:
    picture = explorer(pictures)
    picture.scroll_into_view_if_needed()
    expect(picture.locator("style")).to_have_count(0)
    cell = PAGE.read_text().partition("{code-cell} ipython3\n")[2].splitlines()
    number = next(at for at, line in enumerate(cell, 1) if "unused = " in line)
    for text in "unused = ", "sin":
        line = picture.locator("[style*=border-left]", has_text=text).first
        expect(line).to_have_css("border-left-color", "rgb(0, 114, 178)")
        expect(line).to_contain_text(re.compile(rf"\b{number}\b"))


def test_an_untrusted_picture_that_has_room_asks_for_no_scrolling(pictures: Locator) -> None:
    cues = pictures.get_by_text("scroll for the rest")
    cues.first.wait_for(state="attached")
    # Playwright calls visible what its parent cuts off.
    cut = """each => getComputedStyle(each).position === "static"
        && getComputedStyle(each.parentElement).overflow === "hidden"
        && each.parentElement.offsetHeight === 0"""
    assert cues.count() > 3
    assert [i for i, each in enumerate(cues.all()) if not each.evaluate(cut)] == []


def test_what_was_measured_is_drawn_before_a_run(pictures: Locator) -> None:
    image = pictures.locator("img[alt='calls, to scale']")
    image.scroll_into_view_if_needed()
    expect(image).to_be_visible()
    assert image.evaluate("each => each.complete && each.naturalWidth > 300")


def test_after_a_run_pointing_at_a_line_lights_up_its_equations(pictures: Locator) -> None:
    assert run_all(pictures) == []
    picture = explorer(pictures)
    picture.scroll_into_view_if_needed()
    picture.locator("[data-at]", has_text="unused = ").first.hover()
    lit = picture.locator("[data-at]").filter(has_text="sin")
    expect(lit).to_have_count(2)
    for line in lit.all():
        expect(line).to_have_css("outline-style", "solid")
    other = picture.locator("[data-at]").filter(has_text="dot_general").first
    expect(other).to_have_css("outline-style", "none")


def test_a_tree_of_rows_is_indented_and_marked(pictures: Locator) -> None:
    tree = pictures.locator(".traced", has_text="used again").first
    tree.scroll_into_view_if_needed()
    indent = re.compile(r"^1\d(\.\d+)?px$")
    expect(tree.locator("th", has_text=".split[0]")).to_have_css("padding-left", indent)
    marked = tree.locator("tr", has_text="✗ used again")
    expect(marked).to_have_css("background-color", "rgba(255, 179, 0, 0.2)")


def test_after_a_run_a_plot_is_drawn_above_its_numbers(pictures: Locator) -> None:
    plot = pictures.locator(".traced").filter(has=pictures.page.locator("img[alt*=' by ']")).first
    plot.scroll_into_view_if_needed()
    expect(plot.locator("img")).to_be_visible()
    expect(plot.locator("summary")).to_be_visible()


SHOWN = """from traced.findings.feedback import Feedback, Finding

Feedback("f", "not yet", Finding("tracing/branch-on-tracer"))"""


def test_what_a_finding_says_to_read_in_this_lesson_is_a_link(opened: Opened) -> None:
    cell = opened.panel.locator(".jp-CodeCell").first
    cell.scroll_into_view_if_needed()
    enter(cell, SHOWN)
    cell.get_by_role("link", name=re.compile(f"^{NOTEBOOK}")).click()
    heading = opened.panel.locator("h2", has_text="A traced argument has a shape and a dtype")
    expect(heading).to_be_in_viewport(timeout=MINUTE)
