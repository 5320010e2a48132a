"""Run the programs of the field guide, and store below each what it prints.

A page holds fenced blocks: `python` for a program, and below it `text` for its output. The programs
of a page run in order and share their names. `tests/test_guide.py` runs them again and compares.
"""

import contextlib
import io
import linecache
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax

PAGES = Path(__file__).parent / "guide"
PROGRAM = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n.*?```\n)?", re.DOTALL)


#: What stands above each list of pages, by folder.
INDEX = {
    "errors": """# Field guide

Each page holds a wrong program and a right one, both executed, with what they print.

## Errors, by their message

After an error, `explain()` names the line, the rule and the page.
""",
    "findings": """
## Findings of the checks, by their headline

A check, or `ask` with a question for code of one's own, names the finding in brackets.
""",
}


def pages() -> list[Path]:
    """List the pages that have programs."""
    return sorted(path for path in PAGES.rglob("*.md") if "```python" in path.read_text("utf-8"))


def index() -> str:
    """Return the list of all pages, as links.

    A toctree would be shorter here, and would stand in the sidebar of every page of the site, which
    takes half a minute to write.
    """
    return "".join(f"{head}\n{''.join(_links(folder))}" for folder, head in INDEX.items())


def _links(folder: str) -> Iterator[str]:
    titles = {
        path.name: path.read_text("utf-8").partition("\n")[0]
        for path in pages()
        if path.parent.name == folder
    }
    for name, title in sorted(titles.items(), key=lambda item: item[1].lower()):
        yield f"- [{title.removeprefix('# ')}]({folder}/{name})\n"


def executed(page: Path) -> str:
    """Return the text of a page with the outputs that its programs print now."""
    names: dict[str, Any] = {"__name__": "guide"}
    # Whether a function is traced must not depend on the pages before.
    jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
    count = iter(range(1, 100))
    return PROGRAM.sub(
        lambda program: _with_output(program["code"], f"{page.stem} {next(count)}", names),
        page.read_text("utf-8"),
    )


def _with_output(code: str, name: str, names: dict[str, Any]) -> str:
    output = run(code, name, names)
    shown = f"\n```text\n{output}```\n" if output else ""
    return f"```python\n{code}```\n{shown}"


def run(code: str, name: str, names: dict[str, Any]) -> str:
    """Run a program under the given names and return what it prints."""
    # The lines are looked up when a finding quotes them.
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, name, "exec"), names)
    return "\n".join(_stripped(out.getvalue().splitlines(keepends=False))) + "\n" * bool(
        out.getvalue()
    )


def _stripped(lines: list[str]) -> Iterator[str]:
    return (line.rstrip() for line in lines)


def main(*names: str) -> None:
    """Execute the pages of these names, or every page, and say which of them changed."""
    unknown = set(names) - {page.stem for page in pages()}
    if unknown:
        raise SystemExit(f"no page of the field guide has the name: {', '.join(sorted(unknown))}")
    for page in pages():
        if names and page.stem not in names:
            continue
        text = executed(page)
        if text != page.read_text("utf-8"):
            page.write_text(text, "utf-8")
            print(f"stored {page.relative_to(PAGES)}", flush=True)
    (PAGES / "index.md").write_text(index(), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
