"""What a text of the course says one should read, made a link in JupyterLab, or a file's name.

Texts name the section of a lesson, `02_tracing, “A trace is kept under a key”`, and pages of the
field guide: `[keys/reused]` is that of a finding, `read: field guide, carry-type` that of an error.
"""

import os
import re
import sys
from collections.abc import Callable
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote

from traced.findings.catalogue import page_of
from traced.python.course_files import course_file

CODE = re.compile(r"\[([a-z]+/[a-z-]+)\]")
SECTION = re.compile(r"(\d\d[a-z]?_\w+),\s+“([^”]+)”")
PAGE = re.compile(r"(read: field guide,\s+)([\w/-]+)")
#: Where the pages of the field guide lie, seen from a folder beside `docs`.
FOLDERS = ("docs/guide/findings", "docs/guide/errors")


def with_links(
    html: str, address_of: Callable[[str], str], section_of: Callable[[str, str], str]
) -> str:
    """Return HTML in which what is to be read is a link, where it has an address.

    `address_of` returns that of a page by its name, and `section_of` that of a lesson's section.

    >>> with_links("f: not yet [keys/reused]", lambda name: f"{name}.md", lambda *_: "")
    'f: not yet [<a href="keys-reused.md">keys/reused</a>]'
    """

    def link(address: str, text: str) -> str:
        return f'<a href="{escape(address)}">{text}</a>' if address else text

    def to_page(name: str) -> str:
        return link(address_of(page_of(name)), name)

    html = CODE.sub(lambda found: f"[{to_page(found[1])}]", html)
    html = PAGE.sub(lambda found: found[1] + to_page(found[2]), html)
    return SECTION.sub(lambda found: link(section_of(found[1], unescape(found[2])), found[0]), html)


def linked_in_lab(html: str) -> str:
    """Return HTML with links, if it is shown beside the lessons in JupyterLab.

    What an executed lesson has stored has none: the site puts its own links there.
    """
    if "JPY_SESSION_NAME" not in os.environ:
        return html
    return with_links(html, _page_beside, _section_beside)


def _page_beside(name: str) -> str:
    paths = (f"../{folder}/{name}.md" for folder in FOLDERS)
    return next((path for path in paths if Path(path).exists()), "")


def _section_beside(lesson: str, section: str) -> str:
    file = f"{lesson}.ipynb"
    # As JupyterLab calls the place of a heading; it decodes nothing.
    anchor = quote(section.replace("`", "").replace(" ", "-"), safe=",:;!?'()*&=+")
    return f"{file}#{anchor}" if Path(file).exists() else ""


def file_to_read(text: str) -> str:
    """Return the path of the first file that a text says one should read, or nothing.

    >>> file_to_read("read: 02_tracing, “A trace is kept under a key”").endswith("02_tracing.ipynb")
    True
    """
    paths = [f"notebooks/{lesson}.ipynb" for lesson, _ in SECTION.findall(text)]
    names = [page_of(name) for _, name in PAGE.findall(text)]
    paths += [f"{folder}/{name}.md" for name in names for folder in FOLDERS]
    return next((str(file) for file in map(course_file, paths) if file.exists()), "")


def lines_for_terminal(text: str) -> list[str]:
    """Return the line that names the file to read, if this is a terminal and there is one."""
    file = file_to_read(text) if sys.stdout.isatty() else ""
    return [f"page: {file}"] if file else []
