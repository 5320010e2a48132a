"""What was predicted is asked again on its day, and what was missed comes first."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from browser import find_barriers, is_too_wide, needs_browser
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from review import definitions, unbound
from specimen import ROOT, plant, text, write_notebook
from test_site import Site, build

pytestmark = pytest.mark.seen_once
PAGE = "docs/review"
ASKED = {"01_first": 4, "02_second": 3}
INDEX = """# A course

```{toctree}
:caption: Core
:hidden:

00 Specimens <notebooks/00_specimen>
01 Firsts <notebooks/01_first>
02 Seconds: what comes after the first, at length <notebooks/02_second>
```

```{toctree}
:caption: Tools
:hidden:

Review of predictions <docs/review>
docs/guide/index
docs/claims
docs/measured
docs/pictures
docs/reference
docs/about
CONTRIBUTING
```
"""
TRACED = (
    '<div class="traced"><details><summary>No prediction yet. Open to see what the run says.'
    "</summary><p>The run says: <strong>{0}</strong></p><pre>{1}</pre></details></div>"
)


def ask(lesson: str, number: int) -> dict[str, Any]:
    """Make a cell that asks for a number, and was executed."""
    shown = "evidence " * (1 if number < 3 else 400)
    data = {
        "text/html": TRACED.format(number, shown),
        "text/plain": f"no prediction yet; the run says: {number}",
    }
    return {
        "cell_type": "code",
        "id": f"{lesson[:2]}-ask-{number}",
        "execution_count": 1,
        "metadata": {},
        "source": f"prediction = ...  # 1, 2, 3 or 4\n\nreveal(prediction, ones({number}))",
        "outputs": [
            {"output_type": "execute_result", "execution_count": 1, "data": data, "metadata": {}}
        ],
    }


def lesson(name: str) -> list[dict[str, Any]]:
    """Make the cells of a lesson that asks so many questions."""
    define = ask(name, 0) | {"id": "define", "source": "def ones(n):\n    return n", "outputs": []}
    cells = [text(f"# Lesson {name}\n\nNeeded: nothing. About 5 minutes.") | {"id": "t"}, define]
    for number in range(1, ASKED[name] + 1):
        riddle = f"Why? How many are {number} of $x$ in {name}? `jnp` counts."
        asking = f"## Section {number}\n\nIt is a riddle. {riddle}"
        cells += [text(asking) | {"id": f"t{number}"}, ask(name, number)]
    return cells


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Build a course with two lessons that ask, and the page of the review."""
    tree = plant(tmp_path_factory.mktemp("review") / "tree")
    (tree / "index.md").write_text(INDEX)
    (tree / f"{PAGE}.md").write_text((ROOT / f"{PAGE}.md").read_text("utf-8"))
    stored = json.loads((tree / "notebooks/00_specimen.ipynb").read_text("utf-8"))
    for name in ASKED:
        write_notebook(tree / f"notebooks/{name}", lesson(name), stored["metadata"])
        path = tree / f"notebooks/{name}.ipynb"
        path.write_text(path.read_text().replace('"nbformat_minor": 4', '"nbformat_minor": 5'))
    site = build(tree, tree.parent)
    assert site.complaints == ""
    return site


class Reader:
    """Somebody who comes back on later days, with the same browser."""

    def __init__(self, context: BrowserContext, site: Site) -> None:
        self.context, self.site, self.page = context, site, context.new_page()
        self.day(1)

    def day(self, number: int) -> None:
        """Make it noon of a day of a month."""
        self.context.clock.set_fixed_time(f"2026-03-{number:02}T12:00:00")

    def open(self, name: str = PAGE) -> Page:
        """Open a page of the course."""
        self.page.goto((self.site.folder / f"{name}.html").as_uri())
        return self.page

    def predict(self, name: str, answers: list[int]) -> None:
        """Answer the first questions of a lesson."""
        page = self.open(f"notebooks/{name}")
        for at, answer in enumerate(answers):
            page.locator(".ask").nth(at).get_by_role("button", name=str(answer)).click()

    def asked(self) -> list[str]:
        """List what the review asks: a lesson and a number."""
        found = self.page.locator(".due .question > summary").all_inner_texts()
        return [" ".join(re.findall(r"^(\d\d), question (\d)", each)[0]) for each in found]

    def answer(self, at: int, answer: int) -> Locator:
        """Answer a question of the review, and return its place."""
        question = self.page.locator(".due .question").nth(at)
        question.get_by_role("button", name=str(answer), exact=True).click()
        return question


@pytest.fixture
def reader(browser: Browser, course: Site) -> Iterator[Reader]:
    """Offer a reader whose browser is new."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        context.set_default_timeout(10_000)
        yield Reader(context, course)


def test_the_review_has_each_question_of_the_lessons_and_no_other(course: Site) -> None:
    forms = [
        re.findall(r'data-page="([^"]*)" data-form="([^"]*)"', course.html(page))
        for page in (PAGE, *(f"notebooks/{name}" for name in ASKED))
    ]
    review, *lessons = forms
    assert review == [each for lesson in lessons for each in lesson]
    assert len(review) == sum(ASKED.values())


def test_a_question_has_its_program_its_answer_and_its_section(course: Site) -> None:
    fold = course.html(PAGE).split('<details class="question">')[1]
    plain = " ".join(re.sub("<.*?>", "", fold).split())
    assert plain.startswith("01, question 1. How many are 1 of x in 01_first?")
    assert "Defined earlier in the lesson: def ones(n): return n" in plain
    assert "The run says: 1evidence" in plain
    assert 'href="../notebooks/01_first.html#section-1"' in fold
    # What shows the answer is left to the lesson where it is long.
    assert course.html(PAGE).count("evidence") == 4


def test_only_the_page_that_asks_knows_the_programs(course: Site) -> None:
    assert 'class="review' not in course.html("notebooks/01_first")
    assert 'id="section-1"' not in course.html(PAGE)


def test_all_scripts_of_ours_together_are_small(course: Site) -> None:
    served = [
        course.folder / "_static" / path.name for path in (ROOT / "docs/_static").glob("*.js")
    ]
    assert len(served) >= 9
    assert sum(path.stat().st_size for path in served) < 30_000


def test_the_page_says_the_days_that_the_script_counts() -> None:
    script = (ROOT / "docs/_static/kept.js").read_text("utf-8")
    days = re.findall(r"days: \[(.*)\]", script)[0].split(", ")
    page = " ".join((ROOT / f"{PAGE}.md").read_text("utf-8").split())
    assert days[0] == "1"
    assert "on the next day" in page
    assert ", then ".join([f"{days[1]} days", *days[2:]]) in page


@pytest.mark.parametrize(
    ("programs", "wanted", "found"),
    [
        (["a = 1", "a = 2"], {"a"}, ["a = 2"]),
        (["def g(x):\n    return x", "@jit\ndef f(x):\n    return g(x)"], {"f"}, 2),
        (["import a", "for a in b: pass", "%magic"], {"a", "b"}, []),
        (["x = 1", "x = x + 1"], {"x"}, 2),
    ],
)
def test_what_defines_a_name_is_found(
    programs: list[str], wanted: set[str], found: list[str] | int
) -> None:
    texts = definitions(programs, wanted)
    assert texts == (found if isinstance(found, list) else texts)
    assert len(texts) == (found if isinstance(found, int) else len(found))


def test_a_name_that_a_program_binds_is_not_sought() -> None:
    program = "import jax as j\ndef f(x):\n    y = x\n    return y + a\nf(j.b) + c"
    assert unbound([program]) == {"a", "c"}
    assert unbound(["c = 1", program]) == {"a"}


@needs_browser
def test_a_missed_one_comes_first_and_a_right_one_after_its_days(reader: Reader) -> None:
    reader.predict("01_first", [1, 2, 1])
    page = reader.open()
    expect(page.get_by_text("Nothing is due today.")).to_contain_text("Monday 2 March")
    assert reader.asked() == []
    reader.day(2)
    reader.open()
    assert reader.asked() == ["01 3"]
    expect(reader.answer(0, 3)).to_contain_text("It comes back on Thursday 5 March.")
    expect(page.get_by_text("Answered 1 of 1, 1 of them right.")).to_be_visible()
    reader.day(3)
    reader.open()
    assert reader.asked() == []
    reader.day(5)
    reader.open()
    assert reader.asked() == ["01 3", "01 1", "01 2"]
    reader.answer(0, 3)
    reader.answer(1, 1)
    reader.answer(2, 4)
    expect(page.locator(".due .back")).to_have_text(
        [f"It comes back on {day} March." for day in ("Thursday 12", "Thursday 12", "Friday 6")]
    )
    for day, due in ((6, ["01 2"]), (11, ["01 2"]), (12, ["01 2", "01 3", "01 1"])):
        reader.day(day)
        reader.open()
        assert reader.asked() == due
    for at, right in enumerate((2, 3, 1)):
        reader.answer(at, right)
    expect(page.locator(".due .back").last).to_contain_text("Thursday 2 April")


@needs_browser
def test_a_handful_is_asked_and_then_the_rest(reader: Reader) -> None:
    reader.predict("01_first", [4, 4, 4, 4])
    reader.predict("02_second", [4, 4, 4])
    reader.day(20)
    page = reader.open()
    expect(page.get_by_text("7 questions are due today.")).to_be_visible()
    assert reader.asked() == ["01 1", "01 2", "01 3", "02 1", "02 2"]
    for at in range(5):
        expect(page.get_by_role("button", name="Ask again")).to_have_count(0)
        reader.answer(at, 4)
    page.get_by_role("button", name="Ask again: 2 more due").click()
    assert reader.asked() == ["02 3", "01 4"]


@needs_browser
def test_what_was_passed_over_counts_as_read_and_what_comes_later_does_not(reader: Reader) -> None:
    page = reader.open("notebooks/01_first")
    page.locator(".ask").nth(2).get_by_role("button", name="1").click()
    reader.day(2)
    reader.open()
    assert reader.asked() == ["01 3", "01 1", "01 2"]


@needs_browser
def test_what_was_kept_before_there_was_a_review_is_asked(reader: Reader) -> None:
    page = reader.open()
    old = {"notebooks/02_second": {"02-ask-1": "1", "gone": "7"}}
    page.evaluate("old => localStorage.setItem('traced-answers', old)", json.dumps(old))
    page.reload()
    assert reader.asked() == ["02 1"]
    expect(page.locator(".bd-links .made")).to_have_text(["1/3 predicted"])


@needs_browser
@pytest.mark.parametrize("kept", ["{", "3", "null", '"a"', '{"notebooks/01_first": 3}'])
def test_a_damaged_storage_is_begun_anew(reader: Reader, kept: str) -> None:
    page = reader.open()
    page.evaluate("kept => localStorage.setItem('traced-answers', kept)", kept)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.reload()
    expect(page.get_by_text("No prediction was made on these pages yet.")).to_be_visible()
    reader.predict("02_second", [1])
    expect(page.locator(".bd-links .made")).to_have_text(["1/3 predicted"])
    assert errors == []


@needs_browser
def test_two_tabs_lose_nothing(reader: Reader) -> None:
    first, second = reader.open("notebooks/01_first"), reader.context.new_page()
    second.goto((reader.site.folder / "notebooks/02_second.html").as_uri())
    first.locator(".ask").nth(0).get_by_role("button", name="1").click()
    second.locator(".ask").nth(0).get_by_role("button", name="2").click()
    reader.open("index")
    expect(first.locator(".map .made")).to_have_text(["1 of 4 predicted", "1 of 3 predicted"])
    reader.day(9)
    reader.open()
    assert reader.asked() == ["02 1", "01 1"]


@needs_browser
def test_one_click_erases_the_days_as_well(reader: Reader) -> None:
    reader.predict("01_first", [4])
    reader.predict("02_second", [4])
    page = reader.open("notebooks/01_first")
    page.get_by_role("button", name="Erase", exact=True).click()
    expect(page.locator(".bd-links .made")).to_have_text(["1/3 predicted"])
    reader.day(2)
    reader.open()
    assert reader.asked() == ["02 1"]
    page = reader.open("index")
    page.get_by_role("button", name="Erase all answers").click()
    expect(page.locator(".made")).to_have_count(0)
    assert page.evaluate("localStorage.getItem('traced-answers')") == "{}"


@needs_browser
def test_the_sidebar_and_the_map_say_the_same(reader: Reader) -> None:
    reader.predict("01_first", [1, 2])
    page = reader.page
    # The page that is open hears of it at once.
    expect(page.locator(".bd-links .current .made")).to_have_text("2/4 predicted")
    reader.open("index")
    expect(page.locator(".map .made")).to_have_text(["2 of 4 predicted"])
    expect(page.locator('.bd-links a[href*="01_first"]')).to_have_text("01 Firsts 2/4 predicted")


@needs_browser
def test_it_is_linked_from_the_landing_page_the_sidebar_and_each_lesson(course: Site) -> None:
    to_review = re.compile(r'<a [^>]*href="(?:(?:\.\./)?docs/)?review\.html"')
    assert len(to_review.findall(course.html("index").partition('<section id="lessons">')[2])) == 1
    for name in ASKED:
        foot = course.html(f"notebooks/{name}").partition("bd-footer-article")[2]
        assert to_review.search(foot)
    sidebar = course.html("docs/about").partition('aria-label="Main"')[2].partition("</nav>")[0]
    assert to_review.search(sidebar)


@needs_browser
def test_the_keyboard_is_enough(reader: Reader) -> None:
    reader.predict("01_first", [4])
    reader.day(2)
    page = reader.open()
    summary = page.locator(".due .question > summary")
    summary.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".due .ask")).to_be_hidden()
    page.keyboard.press("Enter")
    for _ in range(9):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "1":
            break
    page.keyboard.press("Enter")
    expect(page.get_by_text("Predicted: 1, right.")).to_be_focused()
    expect(page.locator(".due").get_by_text("The run says: 1")).to_be_visible()
    page.get_by_label("Ask from a lesson").focus()
    page.keyboard.type("02")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert reader.asked() == ["02 1", "02 2", "02 3"]
    expect(page.locator(".due summary").first).to_be_focused()


@needs_browser
def test_the_name_of_a_lesson_is_not_cut_on_a_phone(reader: Reader) -> None:
    reader.page.set_viewport_size({"width": 390, "height": 844})
    page = reader.open()
    too_wide = """lists => lists.flatMap(list => {
      const text = document.createElement('canvas').getContext('2d');
      text.font = getComputedStyle(list).font;
      const room = list.closest('form').clientWidth - 50; // the frame and the arrow take the rest
      const names = [...list.options].map(each => each.textContent);
      return names.filter(name => text.measureText(name).width > room);
    })"""
    assert page.locator("select").evaluate_all(too_wide) == []


@needs_browser
def test_fingers_are_enough(browser: Browser, course: Site) -> None:
    with browser.new_context(has_touch=True, viewport={"width": 390, "height": 844}) as context:
        context.set_default_timeout(10_000)
        reader = Reader(context, course)
        page = reader.open()
        page.get_by_label("Ask from a lesson").select_option("02 Seconds")
        page.get_by_role("button", name="Ask", exact=True).tap()
        button = page.locator(".due .ask").first.get_by_role("button", name="1")
        box = button.bounding_box()
        assert box
        assert box["height"] >= 40
        button.tap()
        expect(page.get_by_text("Answered 1 of 3, 1 of them right.")).to_be_visible()
        assert not is_too_wide(page)


@needs_browser
def test_without_scripts_the_questions_are_folds(browser: Browser, course: Site) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = Reader(context, course).open()
        unscripted = page.locator("article noscript")
        expect(unscripted).to_be_visible()
        assert "this page cannot know what you" in unscripted.evaluate("each => each.textContent")
        expect(page.locator(".review").get_by_role("button")).to_have_count(0)
        questions = page.locator(".review .question")
        expect(questions).to_have_count(7)
        first = questions.first
        expect(first.get_by_text("The run says: 1")).to_be_hidden()
        first.locator("summary").first.click()
        first.get_by_text("No prediction yet.").click()
        expect(first.get_by_text("The run says: 1")).to_be_visible()


@needs_browser
def test_without_storage_it_asks_for_the_visit_and_says_so(browser: Browser, course: Site) -> None:
    denied = "Object.defineProperty(window, 'localStorage', {get() { throw Error('denied') }})"
    with browser.new_context() as context:
        context.set_default_timeout(10_000)
        context.add_init_script(denied)
        reader = Reader(context, course)
        page = reader.open()
        expect(page.get_by_text("This browser keeps nothing for these pages")).to_be_visible()
        page.get_by_label("Ask from a lesson").select_option("01 Firsts")
        page.get_by_role("button", name="Ask", exact=True).click()
        reader.answer(0, 1)
        reader.answer(1, 1)
        expect(page.get_by_text("Answered 2 of 4, 1 of them right.")).to_be_visible()
        expect(page.get_by_text("It comes back on")).to_have_count(0)
        # What was missed is the first of the next handful of this visit.
        page.get_by_role("button", name="Ask", exact=True).click()
        assert reader.asked()[0] == "01 2"


@needs_browser
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_review_is_for_everyone(reader: Reader, width: int, scheme: Any) -> None:
    reader.page.set_viewport_size({"width": width, "height": 900})
    reader.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    still = "* { animation: none !important; transition: none !important }"
    reader.predict("01_first", [4, 4])
    reader.day(2)
    page = reader.open()
    page.evaluate("window.MathJax && MathJax.startup.promise.then(() => null)")
    page.add_style_tag(content=still)
    assert find_barriers(page) == []
    expect(page.locator(".due .math mjx-container")).to_have_count(2)
    reader.answer(0, 1)
    assert find_barriers(page) == []
    assert not is_too_wide(page)


@needs_browser
def test_a_screen_reader_hears_the_questions_and_what_is_due(reader: Reader) -> None:
    reader.predict("01_first", [4])
    reader.day(2)
    page = reader.open()
    expect(page.locator(".review")).to_match_aria_snapshot("""
    - status: 1 question is due today.
    - list:
      - listitem:
        - group:
          - text: /01, question 1. How many are 1 of/
          - 'group "Prediction: How many are 1 of x in 01_first?"':
            - button "1"
            - button "2"
            - button "3"
            - button "4"
          - paragraph:
            - link "The section of 01 Firsts that it is from"
    - status
    - text: "Ask from a lesson:"
    - combobox "Ask from a lesson:"
    - button "Ask"
    - paragraph:
      - button "Erase all answers"
    """)
    reader.answer(0, 1)
    expect(page.get_by_role("status").filter(has_text="Answered 1 of 1")).to_be_visible()
