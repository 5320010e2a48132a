"""The page for errors names the page that `explain()` names, of whole tracebacks pasted."""

import contextlib
import functools
import io
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import error_page
import execute_guide
import jax
import pytest
from browser import launch, needs_browser
from IPython.core.ultratb import FormattedTB
from playwright.sync_api import Page

import traced
from tests.course.test_explanation import error_of
from tests.symptoms import messages, others, programs
from traced.course.explanation import errors_behind, find_first_symptom
from traced.course.pasted import read_error

ROOT = Path(__file__).parents[1]

pytestmark = [pytest.mark.seen_once, pytest.mark.usefixtures("compiled_once"), needs_browser]
#: What pytest, Jupyter and a terminal show; the share of each that has to come first.
LEAST = 0.95
#: What `explain()` knows by looking into an object.
UNSEEN = (
    "tree",
    "text",
    "jax.array",
    "optax.state",
    "flax.own",
    "flax.step",
    "flax.layers",
    "flax.module",
    "flax.call",
)


@dataclass(frozen=True)
class Pasted:
    """A traceback in both forms, and the page that `explain()` has for it, if any."""

    name: str
    page: str | None
    terminal: str
    jupyter: str


def page_of(error: BaseException) -> str | None:
    """Return the page that `explain()` names first: of the error, or of one behind it."""
    symptom = find_first_symptom(error)
    behind = () if symptom else map(page_of, errors_behind(error))
    return symptom.page if symptom else next(filter(None, behind), None)


def paste(name: str, error: BaseException) -> Pasted:
    """Return what a reader would paste of an error, whose outer frames are the tests' own."""
    entry = error.__traceback__
    while entry and entry.tb_next and "/tests/" in entry.tb_frame.f_code.co_filename:
        entry = entry.tb_next
    shown = FormattedTB(mode="Context", theme_name="nocolor")
    parts = shown.structured_traceback(type(error), error, entry)
    terminal = traceback.format_exception(error.with_traceback(entry))
    return Pasted(name, page_of(error), "".join(terminal), shown.stb2text(parts))


def is_seen(error: BaseException) -> bool:
    """Return whether a text can show what `explain()` knows of an error.

    None shows that there are arrays or layers in a list, or of which kind a class is.
    """
    symptom = find_first_symptom(error)
    return symptom is None or symptom.library not in UNSEEN


def of_rows() -> Iterator[Pasted]:
    """Yield the errors of the programs that the rows have."""
    for name, program in messages.MESSAGES.items():
        with pytest.raises(Exception) as caught:  # noqa: PT011  # which one, the row says
            messages.run(program)
        if is_seen(caught.value):
            yield paste(name, caught.value)


def of_programs() -> Iterator[Pasted]:
    """Yield the errors of programs as people write them."""
    for (fault, page), program in programs.PROGRAMS.items():
        error = error_of(program)
        if is_seen(error):
            yield paste(f"{fault}: {page}", error)


def of_others() -> Iterator[Pasted]:
    """Yield errors that are none of JAX's."""
    for name, program in others.PROGRAMS.items():
        yield paste(name, error_of(program))


def of_pages() -> Iterator[Pasted]:
    """Yield the errors that the pages of the field guide show."""
    seen: list[BaseException] = []
    explain = traced.explain
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()):
        patch.setattr(traced, "explain", lambda error: (seen.append(error), explain(error))[1])
        for page in execute_guide.pages():
            if page.parent.name == "errors":
                execute_guide.executed(page)
                yield from (paste(page.stem, error) for error in seen if is_seen(error))
                seen.clear()


@pytest.fixture(scope="module")
def box() -> Iterator[Page]:
    """Open a page that decides as the page for errors does, without a site around it."""
    pages = (ROOT / "docs/guide/errors").glob("*.md")
    titles = {each.stem: each.read_text("utf-8").partition("\n")[0][2:] for each in pages}
    script = (ROOT / "docs/_static/explain.js").read_text("utf-8").partition("// The page:")[0]
    with launch() as browser:
        page = browser.new_page()
        page.set_content("<title>A box</title>")
        page.add_script_tag(content=error_page.export(titles) + script)
        yield page


@functools.cache
def pasted(source: Callable[[], Iterator[Pasted]]) -> list[Pasted]:
    """Return what one would paste of the errors of a source, which take minutes to raise."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        return list(source())


def missed(named: list[str | None], wanted: list[Pasted]) -> list[str]:
    """Return for which errors another page is named than `explain()` has."""
    return [
        f"{each.name}: {each.page}, not {page}"
        for each, page in zip(wanted, named, strict=True)
        if each.page != page
    ]


#: Of an error that is not JAX's, a traceback tells less than the error itself.
#: All pages are run once more for theirs.
PAGES = pytest.param(of_pages, LEAST, marks=pytest.mark.by_turns)
SOURCES = [(of_rows, LEAST), (of_programs, LEAST), PAGES, (of_others, 0.9)]


def first_pages(box: Page, texts: list[str]) -> list[str | None]:
    """Return the page that comes first for each text."""
    return box.evaluate("texts => texts.map(text => (explain(text).pages[0] || {}).page)", texts)


@pytest.mark.parametrize("form", ["terminal", "jupyter"])
@pytest.mark.parametrize(("source", "least"), SOURCES)
def test_what_is_pasted_finds_the_page_that_explain_names(box, source, least, form):
    named = first_pages(box, [getattr(each, form) for each in pasted(source)])
    wrong = missed(named, pasted(source))
    assert len(wrong) <= (1 - least) * len(named), wrong


def page_of_text(text: str) -> str | None:
    error = read_error(text)
    return page_of(error) if error else None


@pytest.mark.parametrize("form", ["terminal", "jupyter"])
@pytest.mark.parametrize(("source", "least"), SOURCES)
def test_an_error_made_again_from_its_text_is_explained_as_itself(source, least, form):
    named = [page_of_text(getattr(each, form)) for each in pasted(source)]
    wrong = missed(named, pasted(source))
    assert len(wrong) <= (1 - least) * len(named), wrong


BOOL = "TracerBoolConversionError"
TOLD = "Attempted boolean conversion of traced array with shape bool[]."
LEAKED = "UnexpectedTracerError"
UNHASHABLE = (
    "Non-hashable static arguments are used in a jitted function: static argument (index 1)"
)


@pytest.mark.parametrize(
    ("text", "page"),
    [
        (TOLD, BOOL),
        (f"jax.errors.{LEAKED}: Encountered an unexpected tracer.", LEAKED),
        (LEAKED, LEAKED),
        (f"E   jax.errors.{BOOL}: {TOLD}\n\nmodel.py:3: {BOOL}", BOOL),
        (f"    ValueError: {UNHASHABLE} of type <class 'list'>", "nonhashable-static"),
        ("OddError: never heard of", None),
        ("", None),
        ("hello", None),
    ],
)
def test_a_message_alone_is_enough(box, text, page):
    assert first_pages(box, [text]) == [page]
