"""Give each lesson's page the facts of its last execution, and its text form for download."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

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
    if re.match(r"docs/guide/(errors|findings)/", app.env.docname):
        app.env.metadata[app.env.docname]["orphan"] = True


def copy_texts(app: Sphinx, error: Exception | None) -> None:
    """Put the lessons' text forms beside the notebooks that Sphinx offers for download."""
    if error is None and app.builder.format == "html":
        for page in app.env.found_docs:
            if is_executed(app, page):
                shutil.copy(Path(app.srcdir, f"{page}.md"), Path(app.outdir, f"_sources/{page}.md"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("html-page-context", add_execution)
    app.connect("doctree-read", leave_out_of_sidebar)
    app.connect("build-finished", copy_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
