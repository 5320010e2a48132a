"""Every drawing in a browser: no text lies on another one, leaves its box, or leaves the card."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browser import FRAME, needs_browser
from playwright.sync_api import Browser, Page

from tests.drawing import drawn, drawn_programs
from traced.drawing.picture import Picture
from traced.drawing.shapes import Shape, box, draw, label

pytestmark = [needs_browser, pytest.mark.seen_once]

DRAWN = drawn.DRAWN | drawn_programs.DRAWN

#: How far texts may reach into each other, in pixels: the box of a line has room above its letters.
SLACK = 2

FIND = """slack => [...document.querySelectorAll('svg')].flatMap(svg => {
  const found = [], texts = [...svg.querySelectorAll('text')].filter(each => each.textContent);
  const inside = (a, b) => a.x >= b.x - slack && a.y >= b.y - slack
    && a.x + a.width <= b.x + b.width + slack && a.y + a.height <= b.y + b.height + slack;
  const across = (a, b) =>
    Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > slack
    && Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > slack;
  const boxes = new Map(texts.map(text => [text, text.getBBox()]));
  texts.forEach((text, i) => {
    const own = text.parentElement.querySelector(':scope > rect');
    if (text.parentElement.tagName === 'g' && own && !inside(boxes.get(text), own.getBBox()))
      found.push(`${text.textContent} leaves its box`);
    for (const other of texts.slice(i + 1))
      if (across(boxes.get(text), boxes.get(other)))
        found.push(`${text.textContent} lies on ${other.textContent}`);
  });
  const view = svg.viewBox.baseVal;
  for (const shape of svg.querySelectorAll('text, rect, circle, path, polygon'))
    if (!inside(shape.getBBox(), view))
      found.push(`${shape.textContent || shape.tagName} leaves the card`);
  return found.map(each => `${svg.ariaLabel}: ${each}`);
})"""


@pytest.fixture(scope="module")
def drawings() -> dict[str, str]:
    """Make each picture once."""
    return {name: make().svg or "" for name, make in DRAWN.items()}


@pytest.fixture(params=[1280, 390], ids=str)
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Open a page of this width."""
    with browser.new_context(viewport={"width": request.param, "height": 900}) as context:
        yield context.new_page()


def faults(page: Page, drawings: dict[str, str]) -> Any:
    """Return what is wrong in drawings, put into a page."""
    named = (svg.replace("<svg", f"<svg aria-label='{name}'", 1) for name, svg in drawings.items())
    page.set_content(FRAME.format("".join(named)))
    return page.evaluate(FIND, SLACK)


def test_no_text_lies_on_another_or_leaves_its_place(page: Page, drawings: dict[str, str]) -> None:
    assert [name for name, svg in drawings.items() if not svg] == []
    assert faults(page, drawings) == []


PLANTED: dict[str, Callable[[], list[Shape]]] = {
    "a lies on b": lambda: [label(0, 0, "a"), label(4, 3, "b")],
    "a text lies on another": lambda: [box(0, 0, "a text"), label(9, 0, "another")],
    "wide leaves its box": lambda: [
        Shape(box(0, 0, "").svg.replace("></", ">wide</"), 0, -99, 99, 9)
    ],
    "rect leaves the card": lambda: [Shape(box(0, 0, "").svg, 40, 0, 50, 10)],
}


@pytest.mark.parametrize("fault", PLANTED)
def test_what_is_planted_is_found(page: Page, fault: str) -> None:
    svg = draw(PLANTED[fault](), "planted", Picture("a text")).svg
    assert f"planted: {fault}" in faults(page, {"planted": svg or ""})
