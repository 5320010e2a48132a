"""Ask again what the lessons ask, on a page made from their own pages.

Of each prediction the page has the question, the program and the form as the lesson shows them,
and what the run answered. Without scripts these are folds; the script chooses which are due.
"""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from typing import Any

from answers import lead
from course_map import COURSE, Lesson
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform

PAGE = "docs/review"
ASK = '<div class="ask"'
FORM = re.compile(r'data-form="([^"]*)"')
ANSWER = "<summary>No prediction yet"
#: Characters of what shows an answer; beyond them it stands in the lesson alone.
MOST = 1000


@dataclass(frozen=True)
class Question:
    """A prediction on a lesson's page: its form, and the cell with the program and the answer."""

    ask: nodes.raw
    cell: nodes.Element

    @property
    def facts(self) -> dict[str, Any]:
        """The facts of the form."""
        facts: dict[str, Any] = json.loads(unescape(FORM.findall(self.ask.astext())[0]))
        return facts

    @property
    def id(self) -> str:
        """The id of the cell."""
        return str(self.facts["id"])

    @property
    def section(self) -> str:
        """The anchor of the section that it stands in."""
        above = self.cell.parent
        while not isinstance(above, nodes.section):
            above = above.parent
        return str(above["ids"][0])

    def code(self) -> nodes.literal_block:
        """Return the program of the cell."""
        return next(code_of(self.cell))

    def answer(self) -> str:
        """Return the fold with what the run says; what shows it, where that is short."""
        texts = (each.astext() for each in self.cell.findall(nodes.raw))
        html = next(text for text in texts if ANSWER in text)
        if len(html) > MOST:
            html = f"{html.partition('</p>')[0]}</p></details></div>"
        return html


def code_of(node: nodes.Element) -> Iterator[nodes.literal_block]:
    """Yield the programs of the cells in a part of a page."""
    for block in node.findall(nodes.literal_block):
        if "cell_input" in block.parent.get("classes", []):
            yield block


def questions(doctree: nodes.document) -> list[Question]:
    """List what a lesson asks, in order."""
    return [
        Question(raw, raw.parent)
        for raw in doctree.findall(nodes.raw)
        if raw.astext().startswith(ASK)
    ]


def note_asked(app: Sphinx, doctree: nodes.document) -> None:
    """Note which predictions a page asks for."""
    if found := questions(doctree):
        app.env.metadata[app.env.docname]["asked"] = [each.id for each in found]
    if app.env.docname == PAGE:
        for notebook in Path(app.srcdir, "notebooks").glob("*.ipynb"):
            app.env.note_dependency(str(notebook))


def asked(env: BuildEnvironment) -> dict[str, list[str]]:
    """Return the ids of the predictions of each lesson."""
    return {page: env.metadata[page]["asked"] for page in env.metadata if asks(env, page)}


def asks(env: BuildEnvironment, page: str) -> bool:
    """Tell whether a page asks for predictions."""
    return "asked" in env.metadata[page]


class AskAgain(SphinxPostTransform):
    """Add the questions of all lessons to the page, before anything else is made of its parts."""

    default_priority = 1
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Add a part for each lesson that asks for predictions."""
        if self.env.docname == PAGE:
            place = nodes.container(classes=["review"])
            for lesson in COURSE["now"].lessons.values():
                if asks(self.env, lesson.document):
                    place += self.part(lesson)
            self.document[0] += place
            if next(iter(place.findall(nodes.math)), None):
                self.env.domains.math_domain.data["has_equations"][PAGE] = True

    def part(self, lesson: Lesson) -> list[nodes.Node]:
        """Make the part of a lesson."""
        doctree = self.env.get_doctree(lesson.document)
        # A list to choose from has no room on a phone for what stands behind the colon.
        short = escape(lesson.name.partition(":")[0])
        head = f'<section data-lesson-name="{short}"><h2>{escape(lesson.name)}</h2>'
        parts: list[nodes.Node] = [raw(head)]
        for number, question in enumerate(questions(doctree), 1):
            parts += self.fold(lesson, number, question, doctree)
        return [*parts, raw("</section>")]

    def fold(
        self, lesson: Lesson, number: int, question: Question, doctree: nodes.document
    ) -> list[nodes.Node]:
        """Make the fold of a question."""
        asked = escape(question.facts["question"])
        summary = f"<b>{lesson.number}, question {number}.</b> {asked}"
        before = shown_before(question, doctree)
        return [
            raw(f'<details class="question"><summary>{summary}</summary>'),
            *(self.copied(node) for node in lead(question.cell)),
            *([nodes.paragraph("", "Defined earlier in the lesson:"), before] if before else []),
            self.copied(question.code()),
            question.ask.deepcopy(),
            raw(question.answer()),
            self.link(lesson, question),
            raw("</details>"),
        ]

    def copied(self, node: nodes.Element) -> nodes.Element:
        """Copy a part of a lesson, with links that lead from this page, and without outputs."""
        copy: nodes.Element = node.deepcopy()
        for output in list(copy.findall(is_output)):
            output.parent.remove(output)
        for each in copy.findall(nodes.Element):
            each["ids"], each["names"] = [], []
            if isinstance(each, addnodes.pending_xref):
                each["refdoc"] = PAGE
        return copy

    def link(self, lesson: Lesson, question: Question) -> nodes.paragraph:
        """Make the link back; the title of a section may say the answer, so it is not named."""
        at = self.app.builder.get_relative_uri(PAGE, lesson.document)
        text = f"The section of {lesson.name} that it is from"
        link = nodes.reference("", text, refuri=f"{at}#{question.section}", internal=True)
        return nodes.paragraph("", "", link)


def raw(html: str) -> nodes.raw:
    """Make a node of some HTML."""
    return nodes.raw("", html, format="html")


def is_output(node: nodes.Node) -> bool:
    """Tell whether a node is what a cell printed."""
    return isinstance(node, nodes.container) and "cell_output" in node.get("classes", [])


def shown_before(question: Question, doctree: nodes.document) -> nodes.literal_block | None:
    """Return the functions and values that a program uses and the lesson defines before it."""
    cells = list(code_of(doctree))
    code = question.code()
    shown = [code, *(block for node in lead(question.cell) for block in code_of(node))]
    wanted = unbound([block.astext() for block in reversed(shown)])
    earlier = [block for block in cells[: cells.index(code)] if block not in shown]
    texts = definitions([block.astext() for block in earlier], wanted)
    if not texts:
        return None
    block: nodes.literal_block = code.deepcopy()
    text = "\n\n".join(texts)
    block.rawsource = text
    block.children = []
    block += nodes.Text(text)
    return block


def definitions(programs: list[str], wanted: set[str]) -> list[str]:
    """Return the texts that define the wanted names, and what these use, in their order.

    >>> definitions(["a = 1", "b = 2", "def f(x):\\n    return a * x"], {"f"})
    ['a = 1', 'def f(x):\\n    return a * x']
    """
    found: list[str] = []
    for program in reversed(programs):
        for statement in reversed(parse(program).body):
            names = defines(statement)
            if names & wanted:
                text = "\n".join(program.splitlines()[first_line(statement) : statement.end_lineno])
                found.insert(0, text)
                wanted = (wanted - names) | unbound([text])
    return found


def parse(program: str) -> ast.Module:
    """Return the syntax of a cell; of one that is no plain Python, of nothing."""
    try:
        return ast.parse(program)
    except SyntaxError:
        return ast.parse("")


def defines(statement: ast.stmt) -> set[str]:
    """Return the names of a function, a class or values; imports and loops show nothing."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    return bound(statement) if isinstance(statement, ast.Assign) else set()


def first_line(statement: ast.stmt) -> int:
    """Return where a statement begins, its decorators included, counted from 0."""
    decorators = getattr(statement, "decorator_list", [])
    return int(min(each.lineno for each in (statement, *decorators))) - 1


def unbound(programs: list[str]) -> set[str]:
    """Return the names that programs, one after the other, take from what ran before."""
    wanted: set[str] = set()
    known: set[str] = set()
    for program in programs:
        for statement in parse(program).body:
            inner = bound(statement) | parameters(statement)
            wanted |= loaded(statement) - known - (inner - defines_itself(statement))
            known |= bound(statement)
    return wanted


def defines_itself(statement: ast.stmt) -> set[str]:
    """Return the names that a plain statement both reads and binds, such as `x = f(x)`."""
    plain = isinstance(statement, ast.Assign | ast.AugAssign)
    return loaded(statement) & bound(statement) if plain else set()


def loaded(node: ast.AST) -> set[str]:
    """Return the names that are read."""
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }


def bound(node: ast.AST) -> set[str]:
    """Return the names that are bound by assignments, functions, classes and imports."""
    names = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            names.add(each.id)
        elif isinstance(each, ast.FunctionDef | ast.ClassDef):
            names.add(each.name)
        elif isinstance(each, ast.alias):
            names.add((each.asname or each.name).partition(".")[0])
    return names


def parameters(node: ast.AST) -> set[str]:
    """Return the names of the parameters of all functions."""
    return {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}


def write_asked(app: Sphinx, error: Exception | None) -> None:
    """Write which predictions each lesson asks for, as a script, before the scripts are bundled."""
    if error is None and app.builder.format == "html":
        table = json.dumps(asked(app.env), separators=(",", ":"))
        Path(app.outdir, "_static/asked.js").write_text(f"const ASKED = {table};\n", "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx, after the one that makes the forms."""
    app.connect("doctree-read", note_asked, priority=600)
    app.connect("build-finished", write_asked, priority=900)
    app.add_post_transform(AskAgain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
