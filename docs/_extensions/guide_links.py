"""Lead from each page of the field guide to what is beside it, and from a lesson to its errors.

A page says which lesson teaches it, or its subject, which pages are near to it, and which exercises
lead to it; in the outputs of a run, `[code]` and `read:` are links. The links are made from what
the package and the tests of the exercises say, when the pages are written.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from course_map import COURSE, Course
from docutils import nodes
from search_index import plain
from sphinx.application import Sphinx

from traced.findings.catalogue import CATALOGUE, page_of
from traced.findings.reading import with_links

GUIDE = "docs/guide/"
NEAR = 5  # pages that are named as near to one
#: What a feedback and an explanation print.
PRINTED = re.compile(r"<(pre|strong)\b.*?</\1>", re.DOTALL)
#: The line of an output that names a page of the field guide.
READ = re.compile(r'<span class="line">read: field guide, ([\w/-]+)\n</span>')


class Links:
    """What belongs to each page of the field guide, by its document."""

    def __init__(self, app: Sphinx, course: Course) -> None:
        self.app, self.course = app, course
        self.subjects = read_subjects(app)
        self.order = [page for pages in self.subjects.values() for page in pages]
        self.names = {page.rpartition("/")[2]: page for page in self.order}
        lessons = {page.rpartition("/")[2]: page for page in course.lessons}
        self.lessons = lessons
        self.taught = self.sections(taught())
        subjects = self.sections(places(Path(app.srcdir, GUIDE, "taught.toml")))
        self.treated = {page: subjects[page] for page in subjects if page not in self.taught}
        led = read_exercises(Path(app.srcdir), course)
        self.exercises = {page: led[name] for name, page in self.names.items() if name in led}

    def sections(self, told: Iterator[tuple[str, str, str]]) -> dict[str, list[tuple[str, str]]]:
        """Return the sections of each page, of those lessons and pages that there are."""
        found: dict[str, list[tuple[str, str]]] = {}
        for name, lesson, section in told:
            if name in self.names and lesson in self.lessons:
                sections = found.setdefault(self.names[name], [])
                place = self.lessons[lesson], section
                sections += [place] * (place not in sections)
        return found

    def title(self, page: str) -> str:
        """Return the title of a page."""
        return str(self.app.env.titles[page].astext())

    def anchor(self, lesson: str, section: str) -> str:
        """Return the anchor of a lesson's section, or nothing where there is none of that title."""
        references = self.app.env.tocs[lesson].findall(nodes.reference)
        anchors = {plain(each.astext()): str(each["anchorname"]) for each in references}
        return anchors.get(plain(section), "")

    def near(self, page: str) -> list[str]:
        """Return the pages of the same subject: of the same section, of a like name, and others."""
        subject = next((each for each in self.subjects.values() if page in each), [])

        def distance(other: str) -> tuple[bool, bool, int]:
            first, second = (each.rpartition("/")[2].lower().split("-") for each in (page, other))
            shared = bool(set(self.taught.get(page, ())) & set(self.taught.get(other, ())))
            far = abs(subject.index(page) - subject.index(other))
            return not shared, first[0] != second[0], far

        return sorted((each for each in subject if each != page), key=distance)[:NEAR]

    def of_lesson(self, lesson: str) -> list[str]:
        """Return the pages that a lesson teaches, in the order of the index."""
        taught = [
            page for page in self.order for each, _ in self.taught.get(page, ()) if each == lesson
        ]
        return list(dict.fromkeys(taught))


def read_subjects(app: Sphinx) -> dict[str, list[str]]:
    """Return the pages of each subject, as the index lists them."""
    file = Path(app.srcdir, GUIDE, "subjects.toml")
    patterns = tomllib.loads(file.read_text("utf-8")) if file.exists() else {}
    subjects: dict[str, list[str]] = {subject: [] for subject in patterns}
    pages = [page for page in app.env.found_docs if re.match(rf"{GUIDE}(errors|findings)/", page)]
    for page in sorted(pages, key=lambda page: app.env.titles[page].astext().lower()):
        name = page.rpartition("/")[2]
        fits = (each for each in patterns if any(fnmatchcase(name, one) for one in patterns[each]))
        subjects.setdefault(next(fits, ""), []).append(page)
    return subjects


def taught() -> Iterator[tuple[str, str, str]]:
    """Yield the name of each page with a lesson and its section that teach it."""
    yield from places(files("traced.course").joinpath("sections.toml"))
    for code, entry in CATALOGUE.items():
        for lesson, section in ((entry.lesson, entry.section), *entry.also.items()):
            if lesson:
                yield page_of(code), lesson, section


def places(file: Traversable) -> Iterator[tuple[str, str, str]]:
    """Yield each page of a table with the lesson and the section under which it stands."""
    table = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
    for lesson, sections in table.items():
        yield from (
            (page, lesson, section) for section, pages in sections.items() for page in pages
        )


def read_exercises(folder: Path, course: Course) -> dict[str, list[tuple[str, str]]]:
    """Return, by the page of a finding, the exercises whose tests have a wrong answer with it."""
    led: dict[str, list[tuple[str, str]]] = {}
    for lesson in course.lessons:
        file = folder / "tests/lessons" / f"{lesson.rpartition('/')[2].partition('_')[2]}.py"
        for exercise, code in wrong_answers(file) if file.exists() else ():
            led.setdefault(page_of(code), []).append((lesson, exercise))
    return led


def wrong_answers(file: Path) -> Iterator[tuple[str, str]]:
    """Yield each exercise with the codes that its wrong answers get, read without running them."""
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "WRONG":
            assert isinstance(node.value, ast.Dict)
            for exercise, answers in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(answers, ast.Dict) and isinstance(exercise, ast.Constant):
                    for code in answers.keys:
                        if isinstance(code, ast.Constant):
                            yield str(exercise.value), str(code.value)


LINKS: dict[str, Links] = {}


def find(app: Sphinx, env: object) -> list[str]:
    """Find the links once all pages are read."""
    LINKS["now"] = Links(app, COURSE["now"])
    return []


def add(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Hand a page its links, its neighbours in the index, and make links of what runs printed."""
    links = LINKS["now"]
    context["links"] = links
    context["link_feedback"] = lambda html: link_printed(links, page, context["pathto"], html)
    if "body" in context:
        printed = context["link_feedback"]
        body = without_itself(page, context["body"]) if page in links.order else context["body"]
        context["body"] = PRINTED.sub(lambda found: printed(found[0]), body)
    if page in links.order:
        at = links.order.index(page)
        for way, other in (("prev", at - 1), ("next", at + 1)):
            if 0 <= other < len(links.order):
                near = links.order[other]
                context[way] = {"link": context["pathto"](near), "title": escape(links.title(near))}


def without_itself(page: str, body: str) -> str:
    """Return a page of the field guide without the lines that tell its reader to read it.

    >>> line = '<span class="line">read: field guide, keys/reused\\n</span>'
    >>> without_itself("docs/guide/findings/keys-reused", line)
    ''
    """
    own = page.rpartition("/")[2]
    return READ.sub(lambda found: found[0] * (page_of(found[1]) != own), body)


def link_printed(links: Links, page: str, pathto: Any, html: str) -> str:
    """Make links of the findings' codes, and of the sections and pages to read, in an output."""

    def address_of(name: str) -> str:
        target = links.names.get(name, page)
        return pathto(target) if target != page else ""

    def section_of(lesson: str, section: str) -> str:
        document = links.lessons.get(lesson)
        if not document:
            return ""
        # Sphinx writes `#` for the page itself, and the anchor begins with one.
        return ("" if document == page else pathto(document)) + links.anchor(document, section)

    return with_links(html, address_of, section_of)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx; the map of the course is read before."""
    app.connect("env-updated", find, priority=900)
    # Before the theme, which looks at what the templates make.
    app.connect("html-page-context", add, priority=210)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
