"""Set formulas with a MathJax that comes with the pages.

The package `sphinx-mathjax-offline` is an extension itself, but copies all 24 MB of MathJax.
"""

import shutil
from importlib.resources import files
from pathlib import Path

from sphinx.application import Sphinx

FONTS = "output/chtml/fonts/woff-v2"


def copy_mathjax(app: Sphinx, error: Exception | None) -> None:
    """Copy the two parts that the pages load."""
    if error is None and app.builder.format == "html":
        source = Path(str(files("sphinx-mathjax-offline"))) / "static/mathjax"
        target = Path(app.outdir, "_static/mathjax")
        shutil.copytree(source / FONTS, target / FONTS, dirs_exist_ok=True)
        shutil.copy(source / "tex-chtml.js", target)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
