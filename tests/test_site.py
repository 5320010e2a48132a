"""Prove that the site builds cleanly, needs no network, and can be read by everyone."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Literal

import pytest
from browser import PICTURE, find_barriers, is_too_wide, needs_browser
from playwright.sync_api import Browser, Locator, Page, Request, expect
from specimen import EXECUTED, plant

pytestmark = pytest.mark.seen_once
ROOT = Path(__file__).parents[1]
LESSONS = [path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
PAGES = ["index", "CONTRIBUTING", "docs/about", "docs/claims", "docs/error", "docs/glossary"]
PAGES += ["docs/guide/index", "docs/measured", "docs/phrasebook", "docs/pictures"]
PAGES += ["docs/review", "search"]
PAGES += [f"docs/why/{path.stem}" for path in sorted((ROOT / "docs/why").glob("*.md"))]
PAGES += [f"notebooks/{lesson}" for lesson in LESSONS]
Scheme = Literal["light", "dark"]
FOREIGN = re.compile(r"(https?:)?//")
ADDRESS = "https://someone.example/course"


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
    """Build a course whose only lesson has one of everything, and whose addresses are known."""
    tree = tmp_path_factory.mktemp("specimen")
    urls = {"Repository": "https://github.com/someone/course", "Documentation": ADDRESS}
    return build(plant(tree / "tree", **urls), tree)


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


def test_a_measured_picture_is_described_by_its_text(site: Site) -> None:
    whole = r'(?s)<div class="traced measured">.*?</details>'
    measured = re.findall(whole, site.html("docs/pictures"))
    assert measured
    for picture in measured:
        assert 'alt="calls, to scale"' in picture
        assert "first call" in picture.partition("<summary>")[2]


def test_next_leads_from_the_landing_page_through_every_lesson(site: Site) -> None:
    page, visited = site.folder / "index.html", []
    while link := re.search(r'class="right-next"\s+href="([^"]+)"', page.read_text("utf-8")):
        page = (page.parent / link[1]).resolve()
        visited.append(page.stem)
    assert visited[: len(LESSONS)] == LESSONS


def test_previous_leads_back(site: Site) -> None:
    links = re.findall(r'class="left-prev"\s+href="([^"]+)"', site.html(f"notebooks/{LESSONS[0]}"))
    assert links == ["../index.html"]


@pytest.mark.parametrize(
    ("name", "title"), [("search", "Search"), ("404", "There is no such page")]
)
def test_a_page_without_a_text_is_described_too(specimen: Site, name: str, title: str) -> None:
    page = specimen.html(name)
    assert f"<title>{title} &#8212; JAX, Traced</title>" in page
    (told,) = re.findall('<meta name="description" content="([^"]+)">', page)
    assert 80 < len(told) < 240


def test_a_lesson_is_titled_by_its_words_and_its_claim(specimen: Site) -> None:
    page = specimen.html("notebooks/00_specimen")
    assert "<title>Specimens: A specimen &#8212; JAX, Traced</title>" in page
    assert '<meta name="description" content="Specimens: A specimen. A quokka' in page
    assert re.search(r"<title>[^<]*</title>", specimen.html("index"))[0] == (  # type: ignore[index]
        "<title>JAX, Traced: see what JAX makes of your code</title>"
    )


def test_a_page_says_where_it_stands(specimen: Site) -> None:
    def trail(name: str) -> list[str]:
        found = re.search(r'<nav class="trail".*?</nav>', specimen.html(name), re.DOTALL)
        return re.findall(r">([^<>]*\w[^<>]*)</(?:a|li)>", found[0] if found else "")

    assert trail("notebooks/00_specimen") == ["JAX, Traced", "Core", "00 Specimens"]
    assert trail("docs/guide/findings/keys") == ["JAX, Traced", "Field guide", "Keys"]
    assert trail("index") == []


def test_the_sidebar_has_the_words_of_the_field(site: Site) -> None:
    sidebar = site.html("docs/about").partition('aria-label="Main"')[2].partition("</nav>")[0]
    names = re.findall(r">(\d\d[a-z]?) ([^<]+)</a>", sidebar)
    assert [number for number, _ in names] == [lesson.partition("_")[0] for lesson in LESSONS]
    words = "jit keys shapes cond scan pytrees grad vmap NNX".lower().split()
    assert [word for word in words if word not in " ".join(name for _, name in names).lower()] == []


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_map_says_what_the_notebook_says(site: Site, lesson: str) -> None:
    notebook = (ROOT / "notebooks" / f"{lesson}.md").read_text("utf-8")
    cards = re.findall(r'<li data-lesson="notebooks/(.*?)".*?</li>', site.html("index"), re.DOTALL)
    assert cards == LESSONS
    card = (
        site.html("index").partition(f'data-lesson="notebooks/{lesson}"')[2].partition("</li>")[0]
    )
    claim = re.sub(r"<.*?>", "", card.partition('class="claim">')[2].partition("</p>")[0])
    assert claim == notebook.partition("\n")[0].removeprefix("# ").replace("`", "")
    needed = next(line for line in notebook.splitlines() if line.startswith("Needed: "))
    assert re.findall(r'href="notebooks/(\w+)\.html" aria-label', card) == re.findall(
        r"\((\w+)\.ipynb\)", needed
    )
    minutes = re.findall(r"About (\d+) minutes", needed)
    assert re.findall(r"(\d+) minutes", card) == minutes
    exercises = set(re.findall(r"^ex\.(\w+)\.check\(", notebook, re.MULTILINE))
    assert f"{len(exercises)} exercise" in card


def test_the_first_screen_shows_what_was_run(site: Site) -> None:
    page = site.html("index")
    stored = json.loads((ROOT / "docs/landing/mean_square.json").read_text("utf-8"))
    assert stored["trace"] in page
    assert "loops/unrolled" in page


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
    index = tree / "index.md"
    index.write_text(index.read_text("utf-8").replace("00 Specimens", "00 Examples"))
    again = build(tree, tmp_path)
    assert ["00 Examples</a>" in again.html(page) for page in pages] == [True] * 3


def test_a_known_repository_gets_its_buttons(specimen: Site) -> None:
    page = specimen.html("notebooks/00_specimen")
    path = "someone/course/blob/main/notebooks/00_specimen.ipynb"
    assert 'href="https://github.com/someone/course"' in page
    assert f'href="https://colab.research.google.com/github/{path}"' in page
    assert "mybinder.org/v2/gh/someone/course/main?urlpath=lab/tree/notebooks/00_spec" in page


def test_unknown_addresses_are_named_nowhere(tmp_path: Path) -> None:
    site = build(plant(tmp_path / "tree"), tmp_path)
    page = site.html("notebooks/00_specimen")
    assert re.findall("(?i)source-repository|colab|binder|canonical|og:", page) == []
    assert [name for name in ("404.html", "sitemap.xml") if (site.folder / name).exists()] == []


@pytest.mark.parametrize("name", ["index", "notebooks/00_specimen", "docs/guide/findings/keys"])
def test_a_known_address_has_each_page_found_from_outside(specimen: Site, name: str) -> None:
    page = specimen.html(name)
    assert f'<link rel="canonical" href="{ADDRESS}/{name}.html" />' in page
    assert f"<loc>{ADDRESS}/{name}.html</loc>" in (specimen.folder / "sitemap.xml").read_text()
    told = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)"', page))
    assert told["description"] == re.findall(r'<meta name="description" content="([^"]*)"', page)[0]
    assert told["title"] in re.findall(r"<title>(.*)</title>", page)[0]
    picture = specimen.folder / told["image"].removeprefix(f"{ADDRESS}/")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_missing_page_leads_on_from_wherever_it_was_looked_for(specimen: Site) -> None:
    page = specimen.html("404")
    assert "There is no such page" in page
    links = re.findall(r'\b(?:href|src)="([^"#][^"]*)"', page)
    relative = [each for each in links if not each.startswith(("/course/", "https://"))]
    assert relative == []
    assert 'href="/course/search.html"' in page
    assert "404" not in (specimen.folder / "sitemap.xml").read_text()


@dataclass
class Reader:
    """Someone who opens pages from a folder, and has no network."""

    page: Page
    refused: list[str] = field(default_factory=list)

    def note(self, request: Request) -> None:
        """Note what failed, but for a file that was still loading when the next page was opened."""
        if not (request.url.startswith("file:") and request.failure == "net::ERR_ABORTED"):
            self.refused.append(f"{request.url}: {request.failure}")

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
        reader.page.on("requestfailed", reader.note)
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
@pytest.mark.by_turns
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
def test_no_page_is_wider_than_a_phone_or_has_a_script_that_fails(
    reader: Reader, site: Site
) -> None:
    failed: list[str] = []
    reader.page.on("pageerror", lambda error: failed.append(f"{reader.page.url}: {error}"))
    pages = [path for path in site.folder.rglob("*.html") if "_static" not in path.parts]
    names = [path.relative_to(site.folder).with_suffix("").as_posix() for path in pages]
    assert len(names) > 400
    assert [name for name in names if is_too_wide(reader.open(site, name, 390))] == []
    assert failed == []
    assert reader.refused == []


@needs_browser
@pytest.mark.parametrize("width", [1280, 390])
def test_a_prediction_is_kept_until_it_is_erased(reader: Reader, site: Site, width: int) -> None:
    page = reader.open(site, "notebooks/00_start_here", width)
    expect(page.get_by_text("Predicted 0 of 1, 0 of them right.")).to_be_visible()
    page.get_by_role("button", name="4001").press("Enter")
    expect(page.get_by_text("Predicted: 4001, right.")).to_be_visible()
    expect(page.get_by_text("The run says: 4001")).to_be_visible()
    assert find_barriers(page) == []
    assert not is_too_wide(page)
    page = reader.open(site, "notebooks/00_start_here", width, "dark")
    expect(page.get_by_text("Predicted 1 of 1, 1 of them right.")).to_be_visible()
    assert find_barriers(page) == []
    page.get_by_role("button", name="Erase").click()
    expect(page.get_by_text("Predicted 0 of 1, 0 of them right.")).to_be_visible()
    page.get_by_role("button", name="9000").click()
    expect(page.get_by_text("Predicted: 9000, not so.")).to_be_visible()
    assert reader.refused == []


@needs_browser
def test_what_was_erased_comes_back_until_something_else_is_answered(
    reader: Reader, site: Site
) -> None:
    page = reader.open(site, "notebooks/00_start_here")
    undo = page.get_by_role("button", name="Undo")
    page.get_by_role("button", name="4001").click()
    page.get_by_role("button", name="Erase").click()
    expect(page.get_by_text("Predicted 0 of 1")).to_be_visible()
    undo.click()
    expect(page.get_by_text("Predicted 1 of 1, 1 of them right.")).to_be_visible()
    expect(undo).to_have_count(0)
    page = reader.open(site, "index")
    page.get_by_role("button", name="Erase all answers").click()
    expect(page.locator(".map .made")).to_have_count(0)
    undo.click()
    expect(page.locator(".map .made")).to_have_text("1 of 1 predicted")
    page.get_by_role("button", name="Erase all answers").click()
    expect(undo).to_be_visible()
    page = reader.open(site, "notebooks/00_start_here")
    page.get_by_role("button", name="9000").click()
    expect(undo).to_have_count(0)


def ask_for(page: Page, *names: str) -> Locator:
    """Return the first form of a page that offers these names."""
    asks = page.locator(".ask")
    for name in names:
        asks = asks.filter(has=page.get_by_label(name, exact=True))
    return asks.first


@needs_browser
def test_nothing_ticked_is_no_prediction(reader: Reader, site: Site) -> None:
    ask = ask_for(reader.open(site, "notebooks/02_tracing"), "compiling", "later call")
    ask.get_by_role("button", name="Predict").click()
    assert ask.locator(":invalid").count() > 0
    expect(ask).not_to_have_attribute("data-right", re.compile(""))
    ask.get_by_label("tracing", exact=True).check()
    ask.get_by_label("without jit").check()
    ask.get_by_role("button", name="Predict").click()
    expect(ask).to_have_attribute("data-right", "yes")


@needs_browser
@pytest.mark.parametrize(("written", "right"), [("5", "yes"), ("5.0", "yes"), ("6", "no")])
def test_a_number_is_asked_for_by_a_box_for_numbers(
    reader: Reader, site: Site, written: str, right: str
) -> None:
    page = reader.open(site, "notebooks/02_tracing")
    ask = ask_for(page, "1", "2", "3")
    boxes = ask.get_by_role("spinbutton")
    for box, text in zip(boxes.all(), ("five", "5", "1"), strict=True):
        box.press_sequentially(text)
    ask.get_by_role("button", name="Predict").click()
    assert "number" in boxes.first.evaluate("box => box.validationMessage").lower()
    expect(ask).not_to_have_attribute("data-right", re.compile(""))
    boxes.first.fill(written)
    ask.get_by_role("button", name="Predict").click()
    expect(ask).to_have_attribute("data-right", right)
    assert find_barriers(page) == []


def test_the_form_of_a_prediction_has_its_question(site: Site) -> None:
    for lesson in LESSONS:
        forms = re.findall(
            r'class="ask"[^>]* data-form="([^"]*)"', site.html(f"notebooks/{lesson}")
        )
        assert forms
        asked = [json.loads(unescape(form))["question"] for form in forms]
        assert [each for each in asked if not each.endswith("?")] == [], lesson


@needs_browser
def test_a_screen_reader_hears_what_is_to_be_predicted(reader: Reader, site: Site) -> None:
    page = reader.open(site, "notebooks/00_start_here")
    group = page.get_by_role("group", name="Prediction: How many does a vector of a thousand make?")
    expect(group.get_by_role("button")).to_have_count(4)


@needs_browser
def test_nothing_lies_over_the_text_of_a_phone(reader: Reader, site: Site) -> None:
    page = reader.open(site, "notebooks/02_tracing", 390)
    # The theme offers a way back to the top to who scrolls up.
    for way in (4000, -500):
        page.mouse.wheel(0, way)
        page.wait_for_timeout(200)
    covered = """() => document.elementsFromPoint(innerWidth / 2, innerHeight * .9 + 12)
        .filter(each => getComputedStyle(each).position === 'fixed').length"""
    assert page.evaluate("scrollY") > 1000
    assert page.evaluate(covered) == 0


@needs_browser
@pytest.mark.parametrize("width", [1440, 390])
def test_without_scripts_there_is_no_button_that_does_nothing(
    browser: Browser, site: Site, width: int
) -> None:
    for scripts in (True, False):
        with browser.new_context(
            java_script_enabled=scripts, viewport={"width": width, "height": 900}
        ) as context:
            page = context.new_page()
            page.goto((site.folder / "notebooks/02_tracing.html").as_uri())
            buttons = page.locator("button").filter(visible=True)
            assert (buttons.count() > 0) is scripts
            if width == 390:
                expect(page.get_by_role("link", name="Search")).to_be_visible()


@needs_browser
def test_the_explanation_waits_for_the_prediction(reader: Reader, site: Site) -> None:
    page = reader.open(site, "notebooks/00_start_here")
    explained = page.get_by_text("That makes 4 · 1000 + 1")
    height = "each => each.getBoundingClientRect().height"
    assert explained.evaluate(height) == 0
    page.emulate_media(media="print")
    assert explained.evaluate(height) > 0
    page.emulate_media(media="screen")
    page.get_by_role("button", name="4001").click()
    expect(explained).not_to_have_attribute("hidden", "until-found")
    assert explained.evaluate(height) > 0


@needs_browser
def test_the_map_says_what_was_predicted_until_it_is_erased(reader: Reader, site: Site) -> None:
    page = reader.open(site, "notebooks/00_start_here")
    page.get_by_role("button", name="4001").click()
    page = reader.open(site, "index", 390, "dark")
    expect(page.locator('[data-lesson="notebooks/00_start_here"]')).to_contain_text(
        "1 of 1 predicted"
    )
    assert find_barriers(page) == []
    page.get_by_role("button", name="Erase all answers").click()
    expect(page.get_by_text("1 of 1 predicted")).to_have_count(0)


@needs_browser
def test_a_prediction_of_several_things_has_a_form(reader: Reader, site: Site) -> None:
    page = reader.open(site, "notebooks/04_randomness")
    form = page.locator(".ask").nth(1)
    for field_of_form in form.get_by_role("combobox").all():
        field_of_form.select_option("True")
    form.get_by_role("button", name="Predict").click()
    expect(page.get_by_text("Predicted: True, True, not so.")).to_be_visible()


@needs_browser
def test_a_prediction_needs_no_storage_and_a_page_no_scripts(browser: Browser, site: Site) -> None:
    address = (site.folder / "notebooks/00_start_here.html").as_uri()
    denied = "Object.defineProperty(window, 'localStorage', {get() { throw Error('denied') }})"
    with browser.new_context() as context:
        context.add_init_script(denied)
        page = context.new_page()
        page.goto(address)
        page.get_by_role("button", name="4001").click()
        expect(page.get_by_text("Predicted: 4001, right.")).to_be_visible()
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(address)
        expect(page.get_by_role("button", name="4001")).to_have_count(0)
        page.get_by_text("No prediction yet.").click()
        expect(page.get_by_text("The run says: 4001")).to_be_visible()


EXERCISE = "notebooks/00_start_here"
QUESTION = "Which of these four answers passes?"


def letters(page: Page) -> tuple[str, str]:
    """Return the letter of the first answer of a page that passes, and of one that does not."""
    said = page.locator(".which").first.locator("li strong").all_text_contents()
    passed = [": passed" in text for text in said]
    return "ABCD"[passed.index(True)], "ABCD"[passed.index(False)]


@needs_browser
def test_an_answer_is_chosen_by_the_keyboard_and_kept(reader: Reader, site: Site) -> None:
    page = reader.open(site, EXERCISE)
    _, wrong = letters(page)
    page.get_by_text(QUESTION).press("Enter")
    page.get_by_role("button", name=f"{wrong} passes").press("Enter")
    right, _ = letters(page)
    said = f"Chosen: {wrong}, not so. {right} passes."
    expect(page.get_by_role("status").filter(has_text="Chosen")).to_have_text(said)
    expect(page.get_by_text(f"What the check says of {wrong}")).to_be_focused()
    expect(page.locator(".score")).to_contain_text("Chosen 1 of 1, 0 of them right.")
    findings = page.locator(".which").get_by_text("not yet")
    expect(findings).to_have_count(3)
    for finding in findings.all():
        expect(finding).to_be_visible()
        expect(finding.get_by_role("link")).to_have_attribute("href", re.compile("guide/findings/"))
    assert find_barriers(page) == []
    page = reader.open(site, EXERCISE)
    expect(page.locator(".score")).to_contain_text("Chosen 1 of 1, 0 of them right.")
    page.get_by_role("button", name="Erase").click()
    expect(page.locator(".score")).to_contain_text("Chosen 0 of 1")
    assert reader.refused == []


@needs_browser
def test_an_answer_is_chosen_by_touch_and_the_map_says_so(browser: Browser, site: Site) -> None:
    with browser.new_context(
        viewport={"width": 390, "height": 800}, has_touch=True, color_scheme="dark"
    ) as context:
        page = context.new_page()
        page.goto((site.folder / f"{EXERCISE}.html").as_uri())
        page.get_by_text(QUESTION).tap()
        right, _ = letters(page)
        button = page.get_by_role("button", name=f"{right} passes")
        box = button.bounding_box()
        assert box
        assert box["height"] >= 24
        button.tap()
        expect(page.get_by_text(f"Chosen: {right}, right.")).to_be_visible()
        assert not is_too_wide(page)
        page.add_style_tag(content="* { transition: none !important }")
        assert find_barriers(page) == []
        page.goto((site.folder / "index.html").as_uri())
        expect(page.locator(f'[data-lesson="{EXERCISE}"]')).to_contain_text("1 of 1 passed")
        expect(page.locator(".bd-links .made").first).to_contain_text("1 passed")


@needs_browser
def test_hints_open_one_by_one_and_answers_are_read_without_scripts(
    browser: Browser, site: Site
) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((site.folder / "notebooks/02_tracing.html").as_uri())
        beside = page.locator(".beside").first
        for level in (1, 2, 3):
            later = beside.get_by_text(f"Hint {min(level + 1, 3)} of 3")
            if level < 3:
                expect(later).to_be_hidden()
            beside.get_by_text(f"Hint {level} of 3").click()
            expect(later).to_be_visible()
        beside.get_by_text("Which of these").click()
        expect(beside.get_by_role("button", name="A passes")).to_have_count(0)
        for letter in "ABCD":
            beside.get_by_text(f"What the check says of {letter}").click()
        expect(beside.get_by_text("read_back: not yet")).to_have_count(3)
        expect(beside.get_by_text("read_back: passed")).to_be_visible()


@needs_browser
def test_a_choice_needs_no_storage_and_a_screen_reader_hears_it(
    browser: Browser, site: Site
) -> None:
    denied = "Object.defineProperty(window, 'localStorage', {get() { throw Error('denied') }})"
    with browser.new_context() as context:
        context.add_init_script(denied)
        page = context.new_page()
        page.goto((site.folder / f"{EXERCISE}.html").as_uri())
        page.get_by_text(QUESTION).click()
        which = page.locator(".which")
        heard = which.aria_snapshot()
        assert 'list "Answers to mean_square"' in heard
        assert [f'button "{each} passes"' in heard for each in "ABCD"] == [True] * 4
        right, _ = letters(page)
        page.get_by_role("button", name=f"{right} passes").click()
        assert f'status: "Chosen: {right}, right."' in which.aria_snapshot()


@needs_browser
@pytest.mark.parametrize(
    "name", ["index", "docs/error", *(f"notebooks/{each}" for each in LESSONS)]
)
def test_a_page_is_light(reader: Reader, site: Site, name: str) -> None:
    loaded: list[Path] = []
    reader.page.on("request", lambda request: loaded.append(Path(request.url.partition("?")[0])))
    reader.open(site, name)
    files = [Path(str(each).removeprefix("file:")) for each in loaded if "data:" not in str(each)]
    rest = [each for each in files if each.suffix in (".css", ".js", ".svg")]
    text = PICTURE.sub("", site.html(name))
    assert len(files) <= 12
    assert len(text.encode()) + sum(each.stat().st_size for each in rest) <= 400_000


@needs_browser
def test_the_icons_are_drawn(reader: Reader, site: Site) -> None:
    page = reader.open(site, "notebooks/00_start_here", 390)
    shapes = page.eval_on_selector_all(
        "[class*='fa-']", "icons => icons.map(icon => getComputedStyle(icon).maskImage)"
    )
    assert shapes
    assert [shape for shape in shapes if "data:image/svg" not in shape] == []


@needs_browser
def test_formulas_are_set(reader: Reader, specimen: Site) -> None:
    page = reader.open(specimen, "notebooks/00_specimen")
    expect(page.locator(".math mjx-container")).to_have_count(2)


def test_the_first_use_of_a_word_leads_to_the_glossary(site: Site) -> None:
    page, glossary = site.html("notebooks/07_loops"), site.html("docs/glossary")
    links = re.findall(r'class="word[^"]*" href="../docs/glossary.html#([^"]+)" title="(\w)', page)
    assert len(links) > 5
    assert len(set(links)) == len(links)
    assert all(f'id="{anchor}"' in glossary for anchor, _ in links)
    # A verb is no term.
    tracing = site.html("notebooks/02_tracing")
    assert not re.search(r"tracers <a[^>]*>carry", tracing)


def test_each_word_of_the_glossary_leads_to_the_lesson_that_introduces_it(site: Site) -> None:
    entries = re.findall(r'<dt id="term-.*?</dd>', site.html("docs/glossary"), re.DOTALL)
    assert len(entries) > 20
    for entry in entries:
        (lesson,) = re.findall(r'href="../notebooks/(\w+)\.html"', entry)
        name = re.sub("<.*?>", "", entry.partition("</dt>")[0]).strip(" #\n\u00b6").lower()
        text = (ROOT / "notebooks" / f"{lesson}.md").read_text("utf-8").lower()
        stem = name.split()[-1].removesuffix("ing").removesuffix("ion")
        assert stem in text, (name, lesson)


GUIDE = "docs/guide/findings/loops-unrolled"
TAUGHT = "07_loops.html#a-python-loop-leaves-all-its-rounds-in-the-trace"


def test_a_page_of_the_guide_leads_to_its_lesson_its_exercises_and_what_is_near(site: Site) -> None:
    related = site.html(GUIDE).partition('<section class="related"')[2].partition("</section>")[0]
    assert f'href="../../../notebooks/{TAUGHT}"' in related
    assert "<code>mean_square</code>" in related
    assert 'href="loops-' in related.partition("Near to it")[2]


def test_a_page_that_no_section_explains_leads_to_the_one_that_treats_its_subject(
    site: Site,
) -> None:
    page = site.html("docs/guide/errors/recursion")
    related = page.partition('<section class="related"')[2].partition("</section>")[0]
    (told,) = re.findall(
        r"<h2>(.*?)</h2>\s*<ul>\s*<li>(.*?)</li>", related.partition("Near")[0], re.S
    )
    assert told[0] == "Its subject is taught in"
    assert 'href="../../../notebooks/06_branches.html#what-cond-traces-and-what-it-runs"' in told[1]


def test_what_is_taught_leads_to_a_section_or_a_lesson(site: Site) -> None:
    pages = [page.read_text("utf-8") for page in (site.folder / "docs/guide").glob("*/*.html")]
    parts = [re.findall(r"aught in</h2>.*?</ul>", page, re.DOTALL) for page in pages]
    links = {link for part in parts if part for link in re.findall(r'href="(.*?)"', part[0])}
    # A lesson's title is that of its first part, which has no anchor.
    assert {link for link in links if "#" not in link} == {"../../../notebooks/12_nnx_objects.html"}
    assert len([part for part in parts if part]) > 300
    silent = ["No section of a lesson is about this." in page for page in pages]
    assert [bool(part) for part in parts] == [not each for each in silent]


def test_the_exercises_of_every_lesson_lead_to_the_guide(site: Site) -> None:
    pages = (page.read_text("utf-8") for page in (site.folder / "docs/guide").glob("*/*.html"))
    led = (
        page.partition("Exercises that lead here")[2].partition("Near to it")[0] for page in pages
    )
    lessons = {lesson for each in led for lesson in re.findall(r"notebooks/(\w+)\.html", each)}
    assert sorted(set(LESSONS) - lessons) == []


def test_every_page_of_the_guide_has_neighbours_and_is_led_to(site: Site) -> None:
    pages = [*(site.folder / "docs/guide").glob("*/*.html")]
    bare = [page.stem for page in pages if "Near to it" not in page.read_text("utf-8")]
    assert len(pages) > 300
    assert bare == []
    ends = [
        page.stem
        for page in pages
        if not all(f'"{way}"' in page.read_text("utf-8") for way in ("left-prev", "right-next"))
    ]
    assert len(ends) <= 2


def test_what_a_run_printed_leads_to_what_it_names(site: Site) -> None:
    page = site.html(GUIDE)
    assert f'read: <a href="../../../notebooks/{TAUGHT}">07_loops, “A Python loop leaves' in page
    assert '[<a href="docs/guide/findings/loops-unrolled.html">loops/unrolled</a>]' in site.html(
        "index"
    )
    own_projects = site.html("docs/own_projects")
    assert '[<a href="guide/findings/tracing-new-shape.html">tracing/new-shape</a>]' in own_projects


def test_no_page_of_the_guide_tells_its_reader_to_read_it(site: Site) -> None:
    told = re.compile(r"read: field guide,\s+(?:<a[^>]*>)?([\w/-]+)")
    texts = (page.read_text("utf-8") for page in (ROOT / "docs/guide").glob("*/*.md"))
    assert sum("read: field guide" in text for text in texts) > 100
    pages = {page.stem: page for page in (site.folder / "docs/guide").glob("*/*.html")}
    named = {name: told.findall(page.read_text("utf-8")) for name, page in pages.items()}
    assert [
        name for name in named if name in [each.replace("/", "-") for each in named[name]]
    ] == []


@pytest.mark.parametrize("lesson", LESSONS[1:])
def test_a_lesson_lists_the_errors_that_its_readers_meet(site: Site, lesson: str) -> None:
    page = site.html(f"notebooks/{lesson}").partition('aria-label="Errors and findings"')[2]
    assert 'href="../docs/guide/' in page


@needs_browser
def test_the_index_of_the_guide_is_narrowed(reader: Reader, site: Site) -> None:
    page = reader.open(site, "docs/guide/index")
    assert find_barriers(page) == []
    page.get_by_label("Narrow the list").fill("carry type")
    expect(
        page.get_by_role("link", name="carry input and carry output must have equal types").first
    ).to_be_visible()
    expect(page.get_by_role("heading", name="Checkpoints")).to_be_hidden()
    assert page.locator("#narrowed").inner_text().endswith(" pages")


@needs_browser
def test_a_pasted_message_leads_to_its_page(reader: Reader, site: Site) -> None:
    page = reader.open(site, "docs/error")
    box = page.get_by_label("The traceback, or the message")
    box.fill("OddError: never heard of")
    expect(page.locator("#explained")).to_contain_text("not in the field guide")
    expect(page.locator("#explained a")).to_have_attribute("href", re.compile("search.html[?]q="))
    box.fill("TypeError: JAX arrays are immutable and do not support in-place item assignment.")
    assert find_barriers(page) == []
    page.locator("#explained .page a").click()
    expect(page).to_have_url(re.compile("in-place-assignment.html$"))
    assert reader.refused == []


@needs_browser
@pytest.mark.parametrize("width", [1280, 390])
def test_search_finds_a_word_of_a_lesson(reader: Reader, specimen: Site, width: int) -> None:
    page = reader.open(specimen, "index", width)
    page.keyboard.press("Control+k")
    expect(page).to_have_url(re.compile("search.html"))
    page.get_by_label("Words, a message, or a question").fill("quoka")
    page.locator("#found a", has_text="A specimen").first.click()
    expect(page).to_have_title("Specimens: A specimen — JAX, Traced")
    assert reader.refused == []


@needs_browser
def test_the_field_in_the_sidebar_leads_to_the_search(reader: Reader, specimen: Site) -> None:
    page = reader.open(specimen, "docs/about")
    page.keyboard.press("Control+k")
    page.keyboard.type("quokka")
    page.keyboard.press("Enter")
    expect(page.locator("#found a").first).to_have_text("A specimen")


@needs_browser
def test_examples_stand_where_nothing_has_been_asked_yet(reader: Reader, site: Site) -> None:
    page = reader.open(site, "search")
    examples = page.locator(".instead a[href^='?']")
    assert examples.count() > 3
    examples.nth(1).click()
    expect(page.locator("#question")).to_have_value("loss is nan")
    expect(page.locator("#found a").first).to_be_visible()
    expect(page.locator(".instead")).to_be_hidden()


@needs_browser
def test_a_hit_shows_the_text_below_its_title(reader: Reader, site: Site) -> None:
    page = reader.open(site, "search")
    page.locator("#question").fill("the run ends where guessing would")
    hit = page.locator("#found li", has=page.locator("a[href*='symptom-learns-nothing']"))
    expect(hit.locator("p").last).to_have_text(re.compile("^The run ends without an error, "))


@needs_browser
def test_what_is_not_found_is_said(reader: Reader, specimen: Site) -> None:
    page = reader.open(specimen, "search")
    page.locator("#question").fill("zyzzyva")
    expect(page.get_by_role("status")).to_have_text("Nothing was found.")


@needs_browser
def test_everyday_words_find_their_answer_among_the_first_three(reader: Reader, site: Site) -> None:
    phrases = tomllib.loads((ROOT / "tests/phrases.toml").read_text("utf-8"))
    page = reader.open(site, "search")
    script = """phrases => {
      const index = makeIndex(COURSE);
      return phrases.map(phrase => findPages(index, phrase).slice(0, 3).map(hit => hit.where));
    }"""
    found = {
        phrase: [Path(where.partition("#")[0]).stem for where in hits]
        for phrase, hits in zip(phrases, page.evaluate(script, list(phrases)), strict=True)
    }
    missed = {phrase: hits for phrase, hits in found.items() if not {*hits} & {*phrases[phrase]}}
    assert len(missed) <= 0.05 * len(phrases), missed


def test_what_readers_call_a_section_or_a_page_is_searched_there(site: Site) -> None:
    table = tomllib.loads((ROOT / "docs/search_words.toml").read_text("utf-8"))
    given = {name: words for name, words in table.items() if isinstance(words, dict)}
    written = (site.folder / "_static/search-index.js").read_text("utf-8")
    rows = json.loads(written.partition("=")[2].rstrip(";\n"))["rows"]
    assert len(given) > 20
    for name, words in given.items():
        texts = [row[4] for row in rows if name in ("pages", Path(row[0].partition("#")[0]).stem)]
        lost = [part for part in words if not any(words[part] in text for text in texts)]
        assert lost == [], name


def test_each_phrase_is_answered_by_pages_that_there_are(site: Site) -> None:
    phrases = tomllib.loads((ROOT / "tests/phrases.toml").read_text("utf-8"))
    pages = {path.stem for path in site.folder.rglob("*.html")}
    assert {page for answers in phrases.values() for page in answers} - pages == set()


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
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_opens_with_a_picture(reader: Reader, site: Site, lesson: str) -> None:
    page = reader.open(site, f"notebooks/{lesson}", 1440)
    pictures = page.locator(".cell_output .traced").evaluate_all(
        "all => all.map(each => each.getBoundingClientRect()).map(box => [box.top, box.bottom])"
    )
    top, bottom = pictures[0]
    # The first screen is 900 pixels high, and shows two thirds of a picture at least.
    assert 900 - top >= 2 / 3 * (bottom - top)


@needs_browser
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768)])
def test_the_first_screen_has_the_start_the_trace_and_the_finding(
    reader: Reader, site: Site, width: int, height: int
) -> None:
    page = reader.open(site, "index", width)
    example = page.locator(".landing .example")
    parts = (
        page.get_by_role("link", name=re.compile(r"^Start \(")),
        example.locator(".linked"),
        example.get_by_text("hint:"),
    )
    assert all(
        (box := part.bounding_box()) and box["y"] + box["height"] <= height for part in parts
    )
    expect(example.locator("[data-pane]").last).to_be_visible()
    cut = "all => all.filter(each => each.scrollWidth > each.clientWidth).length"
    assert example.locator("[data-pane]").evaluate_all(cut) == 0


@needs_browser
@pytest.mark.parametrize("name", [f"notebooks/{lesson}" for lesson in LESSONS])
def test_no_code_is_cut_off_on_a_phone(reader: Reader, site: Site, name: str) -> None:
    blocks = reader.open(site, name, 390).locator(".bd-article div.highlight pre")
    assert blocks.evaluate_all("all => all.every(each => each.scrollWidth <= each.clientWidth)")


@needs_browser
def test_a_line_of_code_breaks_below_itself(reader: Reader, specimen: Site) -> None:
    page = reader.open(specimen, "notebooks/00_specimen", 390)
    line = page.locator(".line").first
    # A character wider than the screen takes two lines, of which the second begins further in.
    line.evaluate("line => { line.textContent = '    ' + 'x '.repeat(60); line.style = '--in:4' }")
    starts = line.evaluate(
        """line => {
          const range = document.createRange();
          range.selectNodeContents(line);
          return [...range.getClientRects()].map(each => Math.round(each.left));
        }"""
    )
    assert starts[1] > starts[0]


@needs_browser
def test_paper_shows_what_is_folded(reader: Reader, specimen: Site) -> None:
    page = reader.open(specimen, "notebooks/00_specimen")
    folded = page.locator("details", has_text="Show the source").locator("pre")
    expect(folded).to_be_hidden()
    page.emulate_media(media="print")
    expect(folded).to_be_visible()


@needs_browser
def test_the_page_of_symptoms_fits_on_a_sheet_that_one_can_pin_up(
    reader: Reader, site: Site
) -> None:
    page = reader.open(site, "docs/faults")
    assert len(re.findall(rb"/Type */Page\b", page.pdf(format="A4"))) == 1


@needs_browser
def test_a_phone_has_the_lessons_in_a_drawer(reader: Reader, specimen: Site) -> None:
    page = reader.open(specimen, "index", width=390)
    lesson = page.locator("nav.bd-links a", has_text="00 Specimens")
    expect(lesson).to_be_hidden()
    page.locator(".primary-toggle").click()
    expect(lesson).to_be_visible()
    assert find_barriers(page) == []


@needs_browser
@pytest.mark.parametrize("width", [1440, 390])
def test_the_sides_of_a_phrase_stand_beside_each_other_where_there_is_room(
    reader: Reader, site: Site, width: int
) -> None:
    page = reader.open(site, "docs/phrasebook", width)
    entries = page.locator(".sides")
    assert entries.count() == page.locator("h3").count() > 30
    for entry in entries.all():
        left, right = (side.bounding_box() for side in entry.locator(".side").all())
        assert left
        assert right
        if width == 1440:
            assert left["y"] == right["y"]
            assert left["x"] + left["width"] < right["x"]
        else:
            assert left["x"] == right["x"]
            assert left["y"] + left["height"] <= right["y"]
