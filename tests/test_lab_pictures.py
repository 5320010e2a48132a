"""Prove that the pictures can be read in JupyterLab before they ran, and are linked after."""

import re
import shutil
from collections.abc import Iterator

import pytest
from browser import launch, needs_browser
from execute_pictures import PAGE
from playwright.sync_api import Locator, expect
from test_lab import lab, open_notebook, run_all

pytestmark = needs_browser


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Locator]:
    """Open a copy of the page, which is not trusted yet: Lab takes styles and data from it."""
    folder = tmp_path_factory.mktemp("pictures")
    (folder / "pages").mkdir()
    shutil.copy(PAGE.with_suffix(".ipynb"), folder / "pages")
    with lab(folder / "pages", folder / "state") as base, launch() as browser:
        yield open_notebook(browser.new_page(), base, PAGE.stem)


def explorer(panel: Locator) -> Locator:
    return panel.locator(".traced", has_text="equations traced").first


def test_an_untrusted_picture_has_its_three_panes_side_by_side(panel: Locator) -> None:
    picture = explorer(panel)
    picture.scroll_into_view_if_needed()
    expect(picture.locator("style")).to_have_count(0)
    # Roles are taken too.
    panes = picture.locator(".linked > div > div")
    expect(panes.first).to_contain_text("def loss(w, x):")
    boxes = [pane.bounding_box() for pane in panes.all()]
    assert len(boxes) == 3
    assert len({box and box["y"] for box in boxes}) == 1


def test_after_a_run_pointing_at_a_line_lights_up_its_equations(panel: Locator) -> None:
    assert run_all(panel) == []
    picture = explorer(panel)
    picture.scroll_into_view_if_needed()
    picture.locator("[data-at]", has_text="unused = ").first.hover()
    lit = picture.locator("[data-at]").filter(has_text="sin")
    expect(lit).to_have_count(2)
    for line in lit.all():
        expect(line).to_have_css("background-color", "rgba(255, 179, 0, 0.333)")
    other = picture.locator("[data-at]").filter(has_text="tanh").first
    expect(other).to_have_css("background-color", "rgba(0, 0, 0, 0)")


def test_a_tree_of_rows_is_indented_and_marked(panel: Locator) -> None:
    tree = panel.locator(".traced", has_text="used again").first
    tree.scroll_into_view_if_needed()
    indent = re.compile(r"^1\d(\.\d+)?px$")
    expect(tree.locator("th", has_text=".split[0]")).to_have_css("padding-left", indent)
    marked = tree.locator("tr", has_text="✗ used again")
    expect(marked).to_have_css("background-color", "rgba(255, 179, 0, 0.2)")


def test_after_a_run_a_plot_is_drawn_above_its_numbers(panel: Locator) -> None:
    plot = panel.locator(".traced", has_text="the numbers").first
    plot.scroll_into_view_if_needed()
    expect(plot.locator("svg[role=img]")).to_be_visible()
    expect(plot.locator("summary")).to_be_visible()
