"""What is to be read is a link beside the lessons in JupyterLab, and a file in a terminal."""

import io
import re
import sys
from urllib.parse import unquote

import jax.numpy as jnp
import pytest

from traced import explain
from traced.findings.catalogue import CATALOGUE
from traced.findings.feedback import Feedback, Finding
from traced.findings.reading import SECTION, file_to_read
from traced.python.course_files import course_file

UNROLLED = Feedback("f", "not yet", Finding("loops/unrolled"))
UNTAUGHT = next(code for code, entry in CATALOGUE.items() if not entry.lesson)
LINK = re.compile(r'<a href="([^"]*)">(.*?)</a>')


class Terminal(io.StringIO):
    """A terminal, as far as a program asks."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def lab(monkeypatch):
    """Be a kernel that JupyterLab has started for a lesson."""
    monkeypatch.setenv("JPY_SESSION_NAME", "notebooks/02_tracing.ipynb")
    monkeypatch.chdir(course_file("notebooks"))


def test_a_finding_is_linked_to_its_page_and_its_section(lab):
    (page, code), (section, _) = LINK.findall(UNROLLED._repr_html_())
    assert (page, code) == ("../docs/guide/findings/loops-unrolled.md", "loops/unrolled")
    assert unquote(section) == ("07_loops.ipynb#A-Python-loop-leaves-all-its-rounds-in-the-trace")


def test_an_error_is_linked_to_its_page(lab):
    with pytest.raises(TypeError) as caught:
        jnp.ones(3)[0] = 1.0
    ((page, name),) = LINK.findall(explain(caught.value)._repr_html_())
    assert page == f"../docs/guide/errors/{name}.md"


def test_what_is_stored_and_what_lies_elsewhere_has_no_links(monkeypatch, tmp_path):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.chdir(course_file("notebooks"))
    assert LINK.findall(UNROLLED._repr_html_()) == []
    monkeypatch.setenv("JPY_SESSION_NAME", "own.ipynb")
    monkeypatch.chdir(tmp_path)
    assert LINK.findall(UNROLLED._repr_html_()) == []


def test_a_terminal_names_the_file(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert str(UNROLLED).splitlines()[-1] == f"page: {course_file('notebooks/07_loops.ipynb')}"
    alone = str(Feedback("f", "not yet", Finding(UNTAUGHT)))
    page = f"docs/guide/findings/{UNTAUGHT.replace('/', '-')}.md"
    assert alone.splitlines()[-1] == f"page: {course_file(page)}"
    assert "page: " not in str(Feedback("f", "passed"))


def test_nothing_else_names_it():
    assert "page: " not in str(UNROLLED)


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_finding_has_a_file_to_read(code):
    read = Finding(code).lines()[-1]
    assert file_to_read(read), read
    assert SECTION.search(read) or code in read
