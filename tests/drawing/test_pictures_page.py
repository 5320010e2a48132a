"""Every picture in a browser: light and dark, wide and narrow, with mouse and keyboard."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import matplotlib.image
import pytest
from browser import FRAME, find_barriers, is_too_wide, needs_browser
from flax import nnx
from playwright.sync_api import Browser, Page

import traced.show as show
from traced import explore, watch
from traced.drawing.picture import Picture

pytestmark = [needs_browser, pytest.mark.seen_once]
WIDE = {f"a_rather_long_name_{i}": jnp.ones((3, 4)) for i in range(3)}


def reuse(key: jax.Array) -> jax.Array:
    left, _ = jax.random.split(key)
    return jax.random.normal(left) + jax.random.uniform(left) * jax.random.normal(left, (1, 1, 1))


class Counter(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.layers = nnx.List([nnx.Linear(2, 2, rngs=rngs) for _ in range(5)])
        self.calls = 0

    def __call__(self, x: jax.Array) -> jax.Array:
        self.calls += 1
        return self.layers[0](x)


def watched() -> watch:  # type: ignore[valid-type]  # what it returns has no public name
    f = watch(lambda x, name: x)
    for i in range(3):
        f(jnp.ones(3 + i // 2), {"a_rather_long_name": jnp.ones((10, 10))})
    return f


PICTURES = {
    "calls, traced or cached": watched,
    "tree of random keys": lambda: show.show_keys(reuse, jax.random.key(0)),
    "pytree tree": lambda: show.show_tree(WIDE),
    "prefix of tree": lambda: show.show_prefix({"a": 0}, WIDE),
    "axes of exp": lambda: show.show_axes(jnp.exp, jnp.ones(3)),
    "steps of scan": lambda: show.show_scan(lambda c, x: (c + x, (c, x)), 0, jnp.arange(9)),
    "steps of fori_loop": lambda: show.show_fori_loop(0, 3, lambda i, c: c + i, 0),
    "steps of while_loop": lambda: show.show_while_loop(lambda c: c < 3, lambda c: c + 1, 0),
    "modules before and after a call": lambda: show.show_module(
        Counter(nnx.Rngs(0)), jnp.ones((1, 2))
    ),
    "a module, split": lambda: show.show_split(Counter(nnx.Rngs(0)), nnx.Param, ...),
    "modules outside and inside of Counter": lambda: show.show_levels(
        Counter(nnx.Rngs(0)), jnp.ones((1, 2))
    ),
    "the numbers of the plot": lambda: show.plot_lines({"a": {1: 1, 2: 3}}, "x", "y"),
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write all pictures on one page."""
    html = "".join(make()._repr_html_() or "" for make in PICTURES.values())
    path: Path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(FRAME.format(html), "utf-8")
    return path.as_uri()


@pytest.fixture(params=[(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")], ids=str)
def page(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Open the page in each look, with its folded parts open."""
    width, scheme = request.param
    size = {"width": width, "height": 900}
    with browser.new_context(viewport=size, color_scheme=scheme) as context:
        page = context.new_page()
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        yield page


def test_nobody_is_kept_from_reading_them(page: Page) -> None:
    assert find_barriers(page) == []


def test_the_page_does_not_scroll_sideways(page: Page) -> None:
    assert not is_too_wide(page)


def test_each_can_be_reached_by_the_keyboard_under_its_name(page: Page) -> None:
    reached = []
    for _ in range(3 * len(PICTURES)):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.ariaLabel"))
    assert set(PICTURES) <= set(reached)


def test_a_mark_is_a_word_and_a_shade_that_lets_the_text_through(page: Page) -> None:
    rows = page.locator("tr", has_text="✗")
    assert rows.count() >= 5
    for i in range(rows.count()):
        colour = rows.nth(i).evaluate("row => getComputedStyle(row).backgroundColor")
        assert colour == "rgba(255, 179, 0, 0.2)"


def test_nothing_sets_the_colour_of_a_text(page: Page) -> None:
    colours = page.locator(".traced th, .traced td, .traced p").evaluate_all(
        "cells => [...new Set(cells.map(cell => getComputedStyle(cell).color))]"
    )
    assert len(colours) == 1


def told() -> Picture:
    """Watch a function of long arguments whose last call has a long reason."""
    f = watch(lambda x, name: x)
    for size in (100, 200):
        f(jnp.ones((size, size)), {"a_rather_long_name": jnp.ones((size, 10))})
    return show.show_calls(f)


def long_lines(x: jax.Array) -> jax.Array:
    return jnp.sin(x) + jnp.cos(x) + jnp.tan(x) + jnp.exp(x) + jnp.log(x) + jnp.sqrt(x)


#: Pictures that need room, and one that does not.
SCROLLED: dict[str, Callable[[], Any]] = {
    "bars": lambda: show.plot_bars({"a" * 30: 0.1, "b": 2.0}, "seconds", measured=True),
    "calls": told,
    "plot": lambda: show.plot_lines({"a name of twenty-four c": {1: 1, 2: 3}}, "x", "y"),
    "modes": lambda: show.show_by_hand("cond"),
    "tree": lambda: show.show_tree(WIDE),
    "small": lambda: show.show_tree(1.0),
    "panes": lambda: explore(long_lines, 1.0),
}

#: Of each scrolled part, whether it has more than is seen, and whether it says so.
CUES = """() => [...document.querySelectorAll('[data-cue]')]
  .filter(cue => cue.parentElement.offsetWidth).map(cue => {
    const pane = cue.closest('[data-pane]'), part = pane || cue.previousElementSibling;
    return [part.ariaLabel, part.scrollWidth > part.clientWidth + 1, cue.offsetHeight > 5];
  })"""
#: Texts that are nearer to the border of their drawing than four pixels, or beyond it.
CUT = """() => [...document.querySelectorAll('svg')].flatMap(svg => {
  const card = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(text => text.textContent.trim()).filter(text => {
    const box = text.getBoundingClientRect();
    return box.left < card.left + 4 || box.right > card.right - 4;
  }).map(text => text.textContent);
})"""


@pytest.mark.parametrize("width", [1440, 390])
def test_what_has_to_be_scrolled_says_so(browser: Browser, width: int) -> None:
    with browser.new_context(viewport={"width": width, "height": 900}) as context:
        page = context.new_page()
        html = "".join(make()._repr_html_() or "" for make in SCROLLED.values())
        page.set_content(FRAME.format(html))
        cues = page.evaluate(CUES)
    assert [name for name, scrolls, says in cues if scrolls != says] == []
    scrolled = {name for name, scrolls, _ in cues if scrolls}
    drawings = {"calls, to scale", "seconds of aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, b"}
    assert drawings <= {name for name, *_ in cues}
    assert drawings & scrolled == (drawings if width == 390 else set())
    assert len(scrolled) < len(cues)


@pytest.mark.parametrize("width", [1440, 390])
def test_no_text_of_a_drawing_is_cut(browser: Browser, width: int) -> None:
    drawings = [svg for make in SCROLLED.values() if (svg := getattr(make(), "svg", None))]
    with browser.new_context(viewport={"width": width, "height": 900}) as context:
        page = context.new_page()
        page.set_content(FRAME.format("".join(drawings)))
        assert page.evaluate(CUT) == []
        narrow = drawings[0].replace('<text x="', '<text x="-')
        page.set_content(FRAME.format(narrow))
        assert page.evaluate(CUT) != []


#: Texts of one drawing that lie on one another.
TOUCHING = """() => [...document.querySelectorAll('svg')].flatMap(svg => {
  const texts = [...svg.querySelectorAll('text')].filter(text => text.textContent.trim());
  const boxes = texts.map(text => text.getBoundingClientRect());
  return texts.flatMap((text, i) => texts.slice(i + 1).filter((_, j) => {
    const [a, b] = [boxes[i], boxes[i + 1 + j]];
    return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  }).map(other => `${text.textContent} on ${other.textContent}`));
})"""


def test_no_text_of_a_plot_lies_on_another(browser: Browser) -> None:
    widths = [8, 32, 128, 256, 512, 1024, 2048]
    ways = "nnx.jit", "nnx.jit(graph_updates=False)", "jax.jit split/merge", "leaves"
    line = {width: 1000 / width for width in widths}
    plots = [
        show.plot_lines(dict.fromkeys(names, line), "width", "times", log=log)
        for names in (ways, ways[::3])
        for log in (True, False)
    ]
    with browser.new_context() as context:
        page = context.new_page()
        page.set_content(FRAME.format("".join(each.svg for each in plots)))
        assert page.evaluate(TOUCHING) == []
        assert page.evaluate(CUT) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["bars", "calls", "plot", "tree"])
def test_no_picture_is_a_white_block_in_the_dark(browser: Browser, name: str, scheme: Any) -> None:
    with browser.new_context(color_scheme=scheme) as context:
        page = context.new_page()
        page.set_content(FRAME.format(SCROLLED[name]()._repr_html_()))
        shot = page.locator("img").screenshot()
    shades = matplotlib.image.imread(io.BytesIO(shot))[..., :3].mean(axis=2)
    bright = (shades > 0.5).mean()
    assert bright > 0.8 if scheme == "light" else bright < 0.2
