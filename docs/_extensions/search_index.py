"""Write what the search looks through, as a script: it works without a server.

A part of a lesson is found by its title, its text, and by the questions of readers that it answers;
a page of the field guide by the messages of its errors. `docs/search_words.toml` leads readers'
words to ours, and says of a section or a page what readers call it. MiniSearch, which comes with
the pages, does the searching.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from course_map import COURSE
from docutils import nodes
from glossary_links import PAGE as GLOSSARY
from glossary_links import read_terms
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

HEADING = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
#: A link, a tag or a mark, of which the words are kept.
MARKS = re.compile(r"\]\([^)]*\)|<[^>]+>|[*`\[#|>\\]")
#: What stands above the text of a page: its title, and the code of a finding.
HEAD = re.compile(r"\A# .*\n+(?:`[\w/-]+`\n)?")
#: Marks that stand close to a word, which a hit shows without a gap.
CLOSE = re.compile(r"\]\([^)]*\)|[*`\[]")
WORD = re.compile(r"[^\W_]+")
#: A question on the page of them, with the section that answers it.
ASKED = re.compile(r"^- (.+?)\\\n.*?\(\.\./notebooks/(\w+)\.ipynb(#[\w-]*)?\)", re.MULTILINE)
CLAIMS = "docs/claims"
PHRASEBOOK = "docs/phrasebook"
WORDS = "docs/search_words.toml"
SHOWN = 150  # characters of the text below a hit


@dataclass
class Part:
    """A section of a lesson, or a whole page: where it is, what it says, what else it is called."""

    document: str
    anchor: str
    title: str
    page: str
    kind: str
    text: str
    words: str = ""

    def row(self) -> list[str]:
        """Return what the script has of it; of a text, each word once."""
        text = CLOSE.sub("", FENCE.sub(" ", HEAD.sub("", self.text)))
        plain = " ".join(MARKS.sub(" ", text).split())
        words = dict.fromkeys(WORD.findall(MARKS.sub(" ", self.text).lower()))
        shown = f"{plain[:SHOWN].rsplit(' ', 1)[0]} …" if len(plain) > SHOWN else plain
        where = f"{self.document}.html{self.anchor}"
        return [where, self.title, self.page, self.kind, self.words, " ".join(words), shown]


def read_called(app: Sphinx, words: dict[str, Any]) -> Iterator[Part]:
    """Yield what can be found, each with the words that readers have for it."""
    tables = {name: table for name, table in words.items() if isinstance(table, dict)}
    called = {
        name: {plain(title): text for title, text in table.items()}
        for name, table in tables.items()
    }
    for part in read_parts(app):
        name = part.document.rpartition("/")[2]
        own = called.get(name, {}).get(plain(part.title), "")
        whole = "" if part.anchor else tables.get("pages", {}).get(name, "")
        part.words = " ".join(filter(None, (part.words, own, whole)))
        yield part


def read_parts(app: Sphinx) -> Iterator[Part]:
    """Yield what can be found: sections of lessons, and other pages as a whole."""
    course, folder = COURSE["now"], Path(app.srcdir)
    asked = read_questions(folder)
    rows = read_rows()
    for page in sorted(app.env.found_docs - {app.config.root_doc}):
        title = app.env.titles[page].astext()
        name = course.entries[page].name if page in course.entries else ""
        if page in course.lessons:
            text = read_cells(folder / f"{page}.ipynb")
            for part in sections(app.env, page, f"{name}: {title}", text, "lesson"):
                part.words = " ".join(asked.get((page, part.anchor), ()))
                yield part
        elif page.startswith("docs/guide/") and not page.endswith("/index"):
            text = (folder / f"{page}.md").read_text("utf-8")
            words = " ".join(rows.get(page.rpartition("/")[2], ()))
            yield Part(page, "", title, "Field guide", "guide", text, words)
        elif page == PHRASEBOOK and page in course.entries:
            text = (folder / f"{page}.md").read_text("utf-8")
            for part in sections(app.env, page, name, text, "guide"):
                part.words = title
                yield part
        elif page == GLOSSARY:
            for term, meaning in read_terms(folder / f"{page}.md").items():
                anchor = f"#term-{term.replace(' ', '-')}"
                yield Part(page, anchor, term, title, "word", meaning)
        elif page.startswith("docs/why/"):
            text = (folder / f"{page}.md").read_text("utf-8")
            yield Part(page, "", title, "Why", "why", text, title)
        elif (folder / f"{page}.md").exists():
            text = (folder / f"{page}.md").read_text("utf-8") if page != CLAIMS else ""
            yield Part(page, "", name or title, title, "page", text)


def read_cells(notebook: Path) -> str:
    """Return the text of a lesson, with its code fenced."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return "\n\n".join(
        "".join(cell["source"]) if cell["cell_type"] == "markdown" else f"```\n{code(cell)}\n```"
        for cell in cells
    )


def sections(env: BuildEnvironment, page: str, name: str, text: str, kind: str) -> Iterator[Part]:
    """Yield the sections of a page, with the anchors that Sphinx gave them."""
    anchors = {
        plain(each.astext()): each["anchorname"] for each in env.tocs[page].findall(nodes.reference)
    }
    starts = [0, *(found.start() for found in HEADING.finditer(text)), len(text)]
    for start, end in pairwise(starts):
        body = text[start:end].strip()
        heading = HEADING.match(body)
        if body and heading:
            title = " ".join(MARKS.sub("", heading[1]).split())
            anchor = anchors.get(plain(title), "")
            yield Part(page, anchor, title, name, kind, body[heading.end() :])


def code(cell: dict[str, Any]) -> str:
    """Return the code of a cell without its comments' marks."""
    return "".join(cell["source"]).replace("#", " ")


def plain(title: str) -> str:
    """Return the letters of a title, by which it is the same in both of its forms."""
    return "".join(WORD.findall(title.lower()))


def read_questions(folder: Path) -> dict[tuple[str, str], list[str]]:
    """Return the questions of readers, by the lesson and the section that answer them."""
    asked: dict[tuple[str, str], list[str]] = {}
    file = folder / f"{CLAIMS}.md"
    for question, lesson, anchor in ASKED.findall(file.read_text("utf-8") if file.exists() else ""):
        asked.setdefault((f"notebooks/{lesson}", anchor), []).append(MARKS.sub("", question))
    return asked


def read_rows() -> dict[str, set[str]]:
    """Return what errors are called and say, by the page of the field guide."""
    from traced.course.symptom import symptoms

    rows: dict[str, set[str]] = {}
    for each in symptoms():
        rows.setdefault(each.page, set()).update((each.error, each.message, each.rule))
    return rows


def export(parts: Iterable[Part], words: dict[str, Any]) -> str:
    """Return the script that the search page loads."""
    led = {word: ours for word, ours in words.items() if isinstance(ours, str)}
    stop, nnx = (led.pop(name, "").split() for name in ("stop words", "words of NNX"))
    table = {"rows": [part.row() for part in parts], "stop": stop, "nnx": nnx, "words": led}
    return f"const COURSE = {json.dumps(table, ensure_ascii=False, separators=(',', ':'))};\n"


def write_index(app: Sphinx, error: Exception | None) -> None:
    """Write the script once all pages are there."""
    if error is None and app.builder.format == "html":
        given = Path(app.srcdir, WORDS)
        words = tomllib.loads(given.read_text("utf-8")) if given.exists() else {}
        target = Path(app.outdir, "_static/search-index.js")
        target.write_text(export(read_called(app, words), words), "utf-8")


def replace_search(app: Sphinx) -> None:
    """Leave out the search of Sphinx: 400 kB on every page, and no misspelling is forgiven."""
    app.builder.search = False  # type: ignore[attr-defined]  # of the HTML builder


def add_page(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Add the page that shows what is found."""
    yield "search", {"title": "Search"}, "search.html"


def load(app: Sphinx, page: str, template: str, context: dict[str, Any], _: object) -> None:
    """Load the library, the index and the ranking on the one page that needs them."""
    if page == "search":
        for script in ("minisearch/minisearch.js", "search-index.js", "search.js"):
            app.add_js_file(script, loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", replace_search)
    app.connect("html-collect-pages", add_page)
    app.connect("html-page-context", load)
    app.connect("build-finished", write_index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
