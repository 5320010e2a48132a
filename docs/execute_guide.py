"""Run the programs of the field guide and its like, and store below each what it prints.

A page holds fenced blocks: `python` for a program, and below it `text` for its output. The programs
of a page run in order and share their names. `tests/test_guide.py` runs them again and compares.
"""

import contextlib
import io
import linecache
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import jax
from plain_programs import LEAD, with_plain

from traced.python.values import without_addresses
from traced.running.diagnosis import first_sentence

PAGES = Path(__file__).parent / "guide"
PROGRAM = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n.*?```\n)?", re.DOTALL)


#: What stands above the lists of pages. The site has a field for the comment, and narrows the lists
#: by it; in JupyterLab's preview there is nothing to be seen.
HEAD = """# Errors and findings

Each page holds a wrong program and a right one, both executed, with what they print. After an
error, `explain()` names the line, the rule and the page, and [a page](../error.md) does so for a
traceback that is pasted. A check, or `ask` with a question for code of one's own, names its finding
in brackets.

<!-- form -->
"""


def pages() -> list[Path]:
    """List the pages that have programs."""
    return sorted(path for path in PAGES.rglob("*.md") if "```python" in path.read_text("utf-8"))


def beside() -> list[Path]:
    """List the pages with programs that stand beside the guide, and not in its index."""
    alone = [PAGES.parent / f"{name}.md" for name in ("own_projects", "phrasebook")]
    return [*alone, *sorted((PAGES.parent / "why").glob("*.md"))]


def index() -> str:
    """Return the list of all pages by subject, as links.

    A toctree would be shorter here, and would stand in the sidebar of every page of the site, which
    takes half a minute to write. Raises `ValueError` if a page has no subject.
    """
    subjects = tomllib.loads((PAGES / "subjects.toml").read_text("utf-8"))
    listed: dict[str, list[Path]] = {subject: [] for subject in subjects}
    for page in pages():
        listed[_subject(page.stem, subjects)].append(page)
    return HEAD + "".join(f"\n## {each}\n\n{''.join(_links(listed[each]))}" for each in listed)


def _subject(name: str, subjects: Mapping[str, Sequence[str]]) -> str:
    for subject, patterns in subjects.items():
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            return subject
    raise ValueError(f"docs/guide/subjects.toml has no subject for {name}")


def _links(listed: Sequence[Path]) -> Iterator[str]:
    titles = {
        page: page.read_text("utf-8").partition("\n")[0].removeprefix("# ") for page in listed
    }
    for page, title in sorted(titles.items(), key=lambda item: item[1].lower()):
        yield f"- [{title}]({page.relative_to(PAGES).as_posix()})\n"


def executed(page: Path) -> str:
    """Return the text of a page with the outputs that its programs print now."""
    names: dict[str, Any] = {"__name__": "guide"}
    # Whether a function is traced must not depend on the pages before.
    jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
    count = iter(range(1, 100))
    return PROGRAM.sub(
        lambda program: _with_output(program, f"{page.stem} {next(count)}", names),
        with_plain(page.stem, page.read_text("utf-8")),
    )


def _with_output(program: re.Match[str], name: str, names: dict[str, Any]) -> str:
    is_plain = program.string.endswith(f"{LEAD}\n\n", 0, program.start())
    # What follows goes on from the program above it.
    names = {"__name__": "guide"} if is_plain else names
    output = run(program["code"], name, names, may_raise=is_plain)
    shown = f"\n```text\n{output}```\n" if output else ""
    return f"```python\n{program['code']}```\n{shown}"


def run(code: str, name: str, names: dict[str, Any], may_raise: bool = False) -> str:
    """Run a program under the given names and return what it prints.

    One that may raise ends as it would in Python, with the beginning of its message.
    """
    # The lines are looked up when a finding quotes them.
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            exec(compile(code, name, "exec"), names)
        except Exception as error:
            if not may_raise or isinstance(error, NameError):
                raise
            print(f"{type(error).__name__}: {without_addresses(first_sentence(error))}")
    return "\n".join(_stripped(out.getvalue().splitlines(keepends=False))) + "\n" * bool(
        out.getvalue()
    )


def _stripped(lines: list[str]) -> Iterator[str]:
    return (line.rstrip() for line in lines)


def main(*names: str) -> None:
    """Execute the pages of these names, or every page, and say which of them changed."""
    written = [*pages(), *beside()]
    unknown = set(names) - {page.stem for page in written}
    if unknown:
        raise SystemExit(f"no page of the field guide has the name: {', '.join(sorted(unknown))}")
    for page in written:
        if names and page.stem not in names:
            continue
        text = executed(page)
        if text != page.read_text("utf-8"):
            page.write_text(text, "utf-8")
            print(f"stored {page.relative_to(PAGES.parent)}", flush=True)
    (PAGES / "index.md").write_text(index(), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
