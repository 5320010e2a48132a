"""Draw the map of the course: the landing page, and each page's name, group and neighbours.

The groups and the short names are those of the sidebar, in `index.md`. What a lesson claims and
needs, how long it takes and which exercises it has, its notebook says.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import shorten
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

#: What a lesson says of itself, in words that a test of the lessons requires.
CLAIM = re.compile(r"^# (.+)$", re.MULTILINE)
NEEDS = re.compile(r"^Needed: .*$", re.MULTILINE)
NEEDED = re.compile(r"\((\w+)\.ipynb\)")
MINUTES = re.compile(r"About (\d+) minutes")
TO_FIRST_CHECK = re.compile(r"first check after (\d+)")
CHECK = re.compile(r"^ex\.(\w+)\.check\(", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
COURSE_DESCRIPTION = (
    "A course on JAX and Flax NNX for those who know NumPy or PyTorch: every output was run and"
    " compared, and exercises are checked on the trace."
)
GUIDE = "docs/guide/"
INDEX = "docs/guide/index"


@dataclass(frozen=True)
class Entry:
    """A page in the sidebar: its document, its name there, and the caption it stands under."""

    document: str
    name: str
    group: str


@dataclass(frozen=True)
class Lesson:
    """What a notebook says of itself; minutes are `None` where it does not say them."""

    document: str
    name: str
    group: str
    claim: str
    needs: tuple[str, ...]
    minutes: int | None
    to_first_check: int | None
    exercises: tuple[str, ...]

    @property
    def number(self) -> str:
        """The number that the notebook begins with."""
        return self.document.rpartition("/")[2].partition("_")[0]

    @property
    def topic(self) -> str:
        """The name without its number."""
        return self.name.removeprefix(self.number).strip()

    @property
    def claim_html(self) -> str:
        """The claim, with its code marked as such."""
        return CODE.sub(r"<code>\1</code>", escape(self.claim, quote=False))


def read_sidebar(env: BuildEnvironment) -> list[Entry]:
    """List the pages of the sidebar in order, as the toctrees of the landing page have them."""
    trees = env.get_doctree(env.config.root_doc).findall(addnodes.toctree)
    return [
        Entry(document, name or env.titles[document].astext(), tree["caption"])
        for tree in trees
        for name, document in tree["entries"]
    ]


def read_lesson(folder: Path, entry: Entry) -> Lesson:
    """Read what a lesson says of itself off its notebook."""
    cells = json.loads((folder / f"{entry.document}.ipynb").read_text("utf-8"))["cells"]
    texts = {
        kind: "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == kind)
        for kind in ("markdown", "code")
    }
    needs = NEEDS.search(texts["markdown"])
    said = needs[0] if needs else ""
    return Lesson(
        *(entry.document, entry.name, entry.group),
        claim=CLAIM.search(texts["markdown"])[1],  # type: ignore[index]  # each page has a title
        needs=tuple(f"notebooks/{name}" for name in NEEDED.findall(said)),
        minutes=_number(MINUTES, said),
        to_first_check=_number(TO_FIRST_CHECK, said),
        exercises=tuple(dict.fromkeys(CHECK.findall(texts["code"]))),
    )


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return int(found[1]) if found else None


class Course:
    """The sidebar's pages by document, and the lessons among them in order."""

    def __init__(self, env: BuildEnvironment) -> None:
        self.entries = {entry.document: entry for entry in read_sidebar(env)}
        lessons = [each for each in self.entries.values() if "notebooks/" in each.document]
        self.lessons = {each.document: read_lesson(Path(env.srcdir), each) for each in lessons}

    def groups(self) -> Iterator[tuple[str, list[Lesson]]]:
        """Yield the groups that have lessons, with them."""
        for group in dict.fromkeys(lesson.group for lesson in self.lessons.values()):
            yield group, [each for each in self.lessons.values() if each.group == group]

    def first_in(self, group: str) -> str:
        """Return the first page of a group."""
        return next(each.document for each in self.entries.values() if each.group == group)

    def trail(self, page: str) -> list[tuple[str, str | None]]:
        """List what stands above a page: the name and the document of each, from the outside in."""
        entry = self.entries.get(page)
        if page.startswith(GUIDE) and page != INDEX and INDEX in self.entries:
            return [("Field guide", INDEX)]
        return [(entry.group, self.first_in(entry.group))] if entry else []


COURSE: dict[str, Course] = {}
#: What is said of the pages that are made of a template alone.
WITHOUT_TEXT = {
    "search": "Find the section of a lesson, an error or a finding by the words that come to mind, "
    "by a message, or by a question. The search runs in the browser and sends nothing.",
    "404": "There is no page at this address. The search finds pages by everyday words, and the "
    "first page lists all lessons.",
}


def read_course(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Read the map once all pages are read, and write the landing page again where it differs."""
    COURSE["now"] = course = Course(env)
    before = getattr(env, "course_map", None)
    shown = [str(each) for each in (*course.entries.values(), *course.lessons.values())]
    env.course_map = shown  # type: ignore[attr-defined]  # kept with the environment
    return [] if before == shown else [env.config.root_doc]


def describe(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Hand a page its name in the field's words, its description and what stands above it."""
    context["course"] = course = COURSE["now"]
    entry, lesson = course.entries.get(page), course.lessons.get(page)
    title = app.env.titles[page].astext() if page in app.env.titles else ""
    context["trail"] = course.trail(page)
    context["entry_name"] = entry.name if entry else ""
    context["full_title"] = f"{lesson.topic}: {title}" if lesson else title
    context["description"] = WITHOUT_TEXT.get(page, description(context["full_title"], doctree))
    if page in WITHOUT_TEXT:
        context["full_title"] = context["title"]
    if page == app.config.root_doc:
        context["full_title"], context["description"] = app.config.project, COURSE_DESCRIPTION
        stored = Path(app.srcdir, "docs/landing/mean_square.json")
        context["example"] = json.loads(stored.read_text("utf-8"))
    # Where the site has an address, what a message that names a page shows of it.
    title, told = context["full_title"], context["description"]
    shown = {"og:title": title, "og:description": told, "og:image:alt": title}
    context["meta"] = {**(context.get("meta") or {}), **shown}
    for way in ("prev", "next"):
        name_neighbour(course, page, way, context)


def description(title: str, doctree: nodes.document | None) -> str:
    """Return the sentences that a search engine shows: the title, and how the text begins."""
    paragraphs = (each.astext() for each in doctree.findall(nodes.paragraph)) if doctree else ()
    return shorten(f"{title}. {next(iter(paragraphs), '')}", 240, placeholder=" …") if title else ""


def name_neighbour(course: Course, page: str, way: str, context: dict[str, Any]) -> None:
    """Say the name in the sidebar of the page before or after, above its title."""
    documents = list(course.entries)
    if page in course.entries and context.get(way):
        at = documents.index(page) + (1 if way == "next" else -1)
        if 0 <= at < len(documents):
            context[f"{way}_title"] = course.entries[documents[at]].name


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("env-updated", read_course)
    app.connect("html-page-context", describe, priority=200)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
