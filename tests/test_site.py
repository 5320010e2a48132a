"""Prove that the site builds cleanly, needs no network, and can be read by everyone."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from browser import find_barriers, is_too_wide, needs_browser
from playwright.sync_api import Browser, Page, expect
from specimen import EXECUTED, plant

pytestmark = pytest.mark.seen_once
ROOT = Path(__file__).parents[1]
LESSONS = [path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
PAGES = ["index", "CONTRIBUTING", "docs/about", "docs/claims", "docs/measured", "docs/pictures"]
PAGES += [f"notebooks/{lesson}" for lesson in LESSONS]
Scheme = Literal["light", "dark"]
FOREIGN = re.compile(r"(https?:)?//")


@dataclass(frozen=True)
class Site:
    """What a run of Sphinx left behind."""

    folder: Path
    complaints: str

    def html(self, name: str) -> str:
        """Return the text of a page."""
        return (self.folder / f"{name}.html").read_text("utf-8")


def build(source: Path, target: Path) -> Site:
    """Build the site as the Makefile does, apart from where it goes."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    run = subprocess.run([*command, source, target / "site"], capture_output=True, text=True)
    return Site(target / "site", run.stderr + ("" if run.returncode == 0 else "failed"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Build the course itself."""
    return build(ROOT, tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def specimen(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Build a course whose only lesson has one of everything, and whose repository is known."""
    tree = tmp_path_factory.mktemp("specimen")
    return build(plant(tree / "tree", repository="https://github.com/someone/course"), tree)


@pytest.mark.parametrize("course", ["site", "specimen"])
def test_sphinx_has_nothing_to_complain_about(course: str, request: pytest.FixtureRequest) -> None:
    assert request.getfixturevalue(course).complaints == ""


def test_a_lesson_that_does_not_say_how_it_was_executed_is_an_error(tmp_path: Path) -> None:
    undated = {key: value for key, value in EXECUTED.items() if key != "date"}
    complaints = build(plant(tmp_path / "tree", undated), tmp_path).complaints
    assert "00_specimen.ipynb lacks ['date'] under traced.executed in its metadata" in complaints


def test_no_page_names_a_resource_on_another_host(site: Site) -> None:
    attribute = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*?\b(?:src|href)=\"([^\"]*)")
    style = re.compile(r"url\([\"']?([^)]*)|@import [\"']([^\"']*)")
    for path in [*site.folder.rglob("*.html"), *site.folder.rglob("*.css")]:
        text = path.read_text("utf-8")
        named = attribute.findall(text) + ["".join(pair) for pair in style.findall(text)]
        assert [name for name in named if FOREIGN.match(name)] == [], path.name


def test_next_leads_from_the_landing_page_through_every_lesson(site: Site) -> None:
    page, visited = site.folder / "index.html", []
    while link := re.search(r'class="right-next"\s+href="([^"]+)"', page.read_text("utf-8")):
        page = (page.parent / link[1]).resolve()
        visited.append(page.stem)
    assert visited[: len(LESSONS)] == LESSONS


def test_previous_leads_back(site: Site) -> None:
    links = re.findall(r'class="left-prev"\s+href="([^"]+)"', site.html(f"notebooks/{LESSONS[0]}"))
    assert links == ["../index.html"]


def test_the_landing_page_has_one_title_and_a_lesson_has_two(specimen: Site) -> None:
    assert "<title>A course</title>" in specimen.html("index")
    assert "<title>A specimen &#8212; JAX, Traced</title>" in specimen.html("notebooks/00_specimen")


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_ends_with_its_date_versions_and_files(site: Site, lesson: str) -> None:
    source = ROOT / "notebooks" / f"{lesson}.ipynb"
    foot = (
        site.html(f"notebooks/{lesson}").partition('<p class="executed">')[2].partition("</p>")[0]
    )
    executed = json.loads(source.read_text("utf-8"))["metadata"]["traced"]["executed"]
    assert all(fact in foot for fact in executed.values())
    notebook, text = (
        site.folder / "notebooks" / href for href in re.findall(r'href="([^"]+)" download', foot)
    )
    assert notebook.read_bytes() == source.read_bytes()
    assert text.read_bytes() == source.with_suffix(".md").read_bytes()


def test_every_sidebar_has_a_new_title_after_the_next_build(tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree")
    assert build(tree, tmp_path).complaints == ""
    (tree / "docs/about.md").write_text("# A new title\n")
    again = build(tree, tmp_path)
    pages = ("CONTRIBUTING", "notebooks/00_specimen", "docs/guide/findings/keys")
    assert ["A new title</a>" in re.sub(r"\s+", " ", again.html(page)) for page in pages] == [
        True
    ] * 3


def test_a_known_repository_gets_its_buttons(specimen: Site) -> None:
    page = specimen.html("notebooks/00_specimen")
    path = "someone/course/blob/main/notebooks/00_specimen.ipynb"
    assert 'href="https://github.com/someone/course"' in page
    assert f'href="https://colab.research.google.com/github/{path}"' in page
    assert "mybinder.org/v2/gh/someone/course/main?urlpath=lab/tree/notebooks/00_spec" in page


def test_an_unknown_repository_gets_none(tmp_path: Path) -> None:
    page = build(plant(tmp_path / "tree"), tmp_path).html("notebooks/00_specimen")
    assert re.findall("(?i)source-repository|colab|binder", page) == []


@dataclass
class Reader:
    """Someone who opens pages from a folder, and has no network."""

    page: Page
    refused: list[str] = field(default_factory=list)

    def open(self, site: Site, name: str, width: int = 1280, scheme: Scheme = "light") -> Page:
        """Open a page with its formulas set, and wait for nothing else."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=scheme)
        self.page.goto((site.folder / f"{name}.html").as_uri())
        self.page.evaluate("window.MathJax && MathJax.startup.promise.then(() => null)")
        # Half-way through a transition the colours are not those that one reads.
        self.page.add_style_tag(
            content="* { animation: none !important; transition: none !important }"
        )
        return self.page


@pytest.fixture
def reader(browser: Browser) -> Iterator[Reader]:
    """Offer a browser window whose requests to other hosts, and to missing files, are noted."""
    with browser.new_context() as context:
        context.set_default_timeout(10_000)
        reader = Reader(context.new_page())
        context.route(re.compile("^(?!file:|data:|blob:)"), lambda route: route.abort())
        reader.page.on("requestfailed", lambda request: reader.refused.append(request.url))
        yield reader


@needs_browser
@pytest.mark.parametrize("name", ["index", "search", "notebooks/00_specimen"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_kind_of_page_is_for_everyone(
    reader: Reader, specimen: Site, name: str, width: int, scheme: Scheme
) -> None:
    page = reader.open(specimen, name, width, scheme)
    assert find_barriers(page) == []
    assert not is_too_wide(page)
    assert reader.refused == []


# Each kind of page has been seen in all four looks; what one page adds shows in these two.
@needs_browser
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_each_page_is_for_everyone(
    reader: Reader, site: Site, name: str, width: int, scheme: Scheme
) -> None:
    page = reader.open(site, name, width, scheme)
    assert find_barriers(page) == []
    assert not is_too_wide(page)
    assert page.locator(".math:not(:has(mjx-container))").count() == 0
    assert reader.refused == []


@needs_browser
def test_formulas_are_set(reader: Reader, specimen: Site) -> None:
    page = reader.open(specimen, "notebooks/00_specimen")
    expect(page.locator(".math mjx-container")).to_have_count(2)


@needs_browser
def test_search_finds_a_word_of_a_lesson(reader: Reader, specimen: Site) -> None:
    page = reader.open(specimen, "index")
    page.keyboard.press("Control+k")
    page.keyboard.type("quokka")
    page.keyboard.press("Enter")
    page.locator("#search-results a", has_text="A specimen").first.click()
    expect(page).to_have_title("A specimen — JAX, Traced")


@needs_browser
def test_code_can_be_copied_without_its_prompts(reader: Reader, specimen: Site) -> None:
    reader.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = reader.open(specimen, "notebooks/00_specimen")
    page.locator(".highlight-pycon").hover()
    page.locator(".highlight-pycon button.copybtn").click()
    assert page.evaluate("navigator.clipboard.readText()") == "1 + 1\n"


@needs_browser
def test_outputs_have_no_copy_button(reader: Reader, specimen: Site) -> None:
    page = reader.open(specimen, "notebooks/00_specimen")
    expect(page.locator(".cell_input button.copybtn")).to_have_count(6)
    expect(page.locator(".cell_output button.copybtn")).to_have_count(0)


@needs_browser
def test_our_pictures_follow_the_dark_scheme(reader: Reader, specimen: Site) -> None:
    page = reader.open(specimen, "notebooks/00_specimen", scheme="dark")
    panel = page.locator(".text_html:has(.traced)")
    expect(panel).to_have_css("background-color", "rgba(0, 0, 0, 0)")


@needs_browser
@pytest.mark.parametrize("part", ["source", "output"])
def test_a_folded_cell_unfolds(reader: Reader, specimen: Site, part: str) -> None:
    page = reader.open(specimen, "notebooks/00_specimen")
    folded = page.locator("details", has_text=f"Show the {part}")
    expect(folded.locator("pre")).to_be_hidden()
    folded.locator("summary").click()
    expect(folded.locator("pre")).to_be_visible()


@needs_browser
def test_a_phone_has_the_lessons_in_a_drawer(reader: Reader, specimen: Site) -> None:
    page = reader.open(specimen, "index", width=390)
    lesson = page.locator("nav.bd-links a", has_text="A specimen")
    expect(lesson).to_be_hidden()
    page.locator(".primary-toggle").click()
    expect(lesson).to_be_visible()
    assert find_barriers(page) == []
