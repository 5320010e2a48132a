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


def pages() -> list[Path]:
    """List the pages that have programs."""
    return sorted(path for path in PAGES.rglob("*.md") if "```python" in path.read_text("utf-8"))


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


def main() -> None:
    """Execute every page, and say which of them changed."""
    for page in pages():
        text = executed(page)
        if text != page.read_text("utf-8"):
            page.write_text(text, "utf-8")
            print(f"stored {page.relative_to(PAGES)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
