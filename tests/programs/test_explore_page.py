"""The compiler explorer in a browser: what lights up, for mouse and keyboard, wide and narrow."""

from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from browser import FRAME, find_barriers, is_too_wide, needs_browser
from playwright.sync_api import Browser, Locator, Page, expect

from traced import explore

ROOT = Path(__file__).parents[2]

pytestmark = needs_browser


def step(carry: jax.Array, row: jax.Array) -> tuple[jax.Array, jax.Array]:
    shifted = row + 1.0
    return carry + jnp.sin(shifted), carry


def total(rows: jax.Array) -> jax.Array:
    carry, _ = jax.lax.scan(step, jnp.float32(0), rows)
    return jnp.exp(carry)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write two pictures on one page: a rule of one must not reach into the other."""
    first = explore(total, jnp.ones(3))
    second = explore(total, jnp.ones(4)).beside(batched=explore(jax.vmap(total), jnp.ones((2, 3))))
    path: Path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(FRAME.format(first._repr_html_() + second._repr_html_()), "utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Open the page."""
    with browser.new_context() as context:
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.goto(address)
        yield page


def pane(page: Page, title: str) -> Locator:
    return page.get_by_role("group", name=title).first


def lit(page: Page) -> list[str]:
    """List the lines with a frame, without their numbers and triangles."""
    texts = page.locator("[data-at]").evaluate_all(
        """lines => lines
            .filter(line => getComputedStyle(line).outlineStyle !== 'none')
            .map(line => line.lastChild.textContent.trim())"""
    )
    return [str(text) for text in texts]


def test_nothing_is_lit_before_something_is_pointed_at(page: Page) -> None:
    assert lit(page) == []


def test_pointing_at_a_line_lights_up_what_it_became_and_nothing_else(page: Page) -> None:
    pane(page, "Python source").get_by_text("return jnp.exp(carry)").hover()
    first, *others = lit(page)
    assert first == "return jnp.exp(carry)"
    assert [("exp" in line) for line in others] == [True] * len(others)
    assert len(others) >= 2


def test_pointing_at_an_equation_lights_up_its_line_and_its_operations(page: Page) -> None:
    pane(page, "jaxpr").locator("[data-at]", has_text="= exp").hover()
    assert lit(page)[0] == "return jnp.exp(carry)"


def test_the_focus_does_what_the_pointer_does(page: Page) -> None:
    line = pane(page, "Python source").locator("[data-at]", has_text="return jnp.exp")
    line.hover()
    pointed = lit(page)
    page.mouse.move(0, 0)
    assert lit(page) == []
    line.focus()
    assert lit(page) == pointed


def test_every_linked_line_is_reached_with_the_tab_key(page: Page) -> None:
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.textContent"))
    visible = page.locator("[data-at]:visible")
    assert visible.count() > 10
    assert set(visible.all_text_contents()) <= reached


def test_a_folded_body_lights_up_its_head_and_unfolds_with_the_keyboard(page: Page) -> None:
    pane(page, "Python source").get_by_text("shifted = row").hover()
    head = pane(page, "jaxpr").locator("summary", has_text="scan[")
    assert any(line.startswith("b:f32[]") and "scan" in line for line in lit(page))
    body = pane(page, "jaxpr").get_by_text("= sin")
    expect(body).to_be_hidden()
    head.focus()
    page.keyboard.press("Enter")
    expect(body).to_be_visible()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_for_everyone(page: Page, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    pane(page, "Python source").get_by_text("shifted = row").hover()
    assert lit(page)
    assert find_barriers(page) == []
    assert not is_too_wide(page)


def test_panes_stand_side_by_side_where_there_is_room(page: Page) -> None:
    titles = ("Python source", "jaxpr", "optimised HLO")
    page.set_viewport_size({"width": 1280, "height": 900})
    boxes = [pane(page, title).bounding_box() for title in titles]
    assert len({box and box["y"] for box in boxes}) == 1
    expect(page.get_by_label("jaxpr, traced by JAX").first).to_be_hidden()


def test_a_phone_shows_one_pane_and_the_others_are_tabs(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    expect(pane(page, "Python source")).to_be_visible()
    tab = page.get_by_role("radio", name="optimised HLO, left by XLA").first
    hlo = page.locator('[role=group][aria-label^="optimised HLO"]').first
    expect(hlo).to_be_hidden()
    tab.check()
    expect(hlo).to_be_visible()
    expect(page.locator('[role=group][aria-label="Python source"]').first).to_be_hidden()
    # The other picture of the page has tabs of its own.
    expect(page.locator('[role=group][aria-label="Python source"]').last).to_be_visible()


def test_no_line_is_broken(page: Page) -> None:
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        heights = page.locator("[data-at]:visible").evaluate_all(
            "lines => lines.map(line => line.getBoundingClientRect().height)"
        )
        assert len({round(height) for height in heights}) == 1


def test_connectors_lead_to_what_belongs_to_a_line_and_leave_with_it(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.add_script_tag(path=ROOT / "docs/_static/panes.js")
    connectors = page.locator(".linked").first.locator("svg path")
    expect(connectors).to_have_count(0)
    pane(page, "Python source").get_by_text("return jnp.exp(carry)").hover()
    expect(connectors).to_have_count(2)  # to the equation, and on to the operation
    page.mouse.move(0, 0)
    expect(connectors).to_have_count(0)
    pane(page, "jaxpr").locator("[data-at]", has_text="= exp").focus()
    expect(connectors).not_to_have_count(0)
