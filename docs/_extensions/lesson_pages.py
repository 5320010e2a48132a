"""Give each lesson's page the facts of its last execution, and its text form for download."""

import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from course_map import read_sidebar
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

# Nothing is executed, so that MyST-NB needs neither of its ways to do it, nor a database for one:
# to import them takes two of the twenty-four seconds of a build.
for name in ("Cache", "Direct"):
    way = SimpleNamespace(**{f"NotebookClient{name}": None})
    sys.modules[f"myst_nb.core.execute.{name.lower()}"] = way  # type: ignore[assignment]  # no module

GUIDE = re.compile(r"docs/guide/(errors|findings)/")
SIDEBARS: dict[str, str] = {}
FACTS = {"date", "flax", "jax", "python"}


def read_execution(notebook: Path) -> dict[str, str]:
    """Read when a notebook's outputs were made, and with which versions."""
    metadata = json.loads(notebook.read_text("utf-8"))["metadata"]
    executed: dict[str, str] = metadata.get("traced", {}).get("executed", {})
    if missing := FACTS - executed.keys():
        raise ExtensionError(
            f"{notebook.name} lacks {sorted(missing)} under traced.executed in its metadata;"
            " notebooks/execute.py writes them"
        )
    return executed


def add_execution(
    app: Sphinx, page: str, template: str, context: dict[str, Any], _: object
) -> None:
    """Hand a lesson's facts to the template of its footer."""
    if is_executed(app, page):
        context["executed"] = read_execution(Path(app.srcdir, f"{page}.ipynb"))


def is_executed(app: Sphinx, page: str) -> bool:
    """Tell whether a page is a notebook with a text form beside it."""
    return Path(app.srcdir, f"{page}.ipynb").exists()


def leave_out_of_sidebar(app: Sphinx, doctree: object) -> None:
    """Let a page of the field guide be in no toctree: its index links to it."""
    if GUIDE.match(app.env.docname):
        app.env.metadata[app.env.docname]["orphan"] = True


def share_sidebar(
    app: Sphinx, page: str, template: str, context: dict[str, Any], _: object
) -> None:
    """Make the sidebar once for all pages of a folder of the field guide.

    None of them is in it, so they differ in nothing; the making takes longer than all else.
    """
    folder = page.rpartition("/")[0]

    def share(make: Callable[..., str]) -> Callable[..., str]:
        def once(**options: Any) -> str:
            if folder not in SIDEBARS:
                SIDEBARS[folder] = make(**options)
            return SIDEBARS[folder]

        return once if GUIDE.match(page) else make

    context["share"] = share


def find_stale_sidebars(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """List the pages to write again when what the sidebar shows has changed: all of them."""
    listed = {page for pages in env.toctree_includes.values() for page in pages}
    shown = {page: env.titles[page].astext() for page in sorted(listed)}
    shown["names"] = "".join(map(str, read_sidebar(env)))
    before, env.sidebar = getattr(env, "sidebar", None), shown
    return [] if shown == before else sorted(env.found_docs)


def copy_texts(app: Sphinx, error: Exception | None) -> None:
    """Put the lessons' text forms beside the notebooks that Sphinx offers for download."""
    if error is None and app.builder.format == "html":
        for page in app.env.found_docs:
            if is_executed(app, page):
                shutil.copy(Path(app.srcdir, f"{page}.md"), Path(app.outdir, f"_sources/{page}.md"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("html-page-context", add_execution)
    # Before the theme, which looks at what the templates make.
    app.connect("html-page-context", share_sidebar, priority=100)
    app.connect("doctree-read", leave_out_of_sidebar)
    app.connect("env-updated", find_stale_sidebars)
    app.connect("build-finished", copy_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
