"""Make a course whose only lesson has one of everything that a lesson may contain."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
EXECUTED = {"date": "2020-02-02", "flax": "0.2", "jax": "0.1", "python": "3.0"}
ANSI = "\x1b[31mred\x1b[32mgreen\x1b[33myellow\x1b[34mblue\x1b[35mmagenta\x1b[36mcyan\x1b[0m"
PICTURE = """<div class="traced"><pre style="background:transparent;overflow-x:auto">key</pre>
<table><tr><th>call</th></tr><tr><td>normal</td></tr></table>
<details><summary>Evidence</summary>line 3</details></div>"""


def text(source: str) -> dict[str, Any]:
    """Make a cell of Markdown."""
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(source: str, output: dict[str, Any], *tags: str) -> dict[str, Any]:
    """Make a code cell that was executed."""
    parts = {"source": source, "outputs": [output], "metadata": {"tags": tags}}
    return {"cell_type": "code", "execution_count": 1} | parts


def stream(name: str, text: str) -> dict[str, Any]:
    """Make the output of a cell that prints."""
    return {"output_type": "stream", "name": name, "text": text}


def display(form: str, content: str) -> dict[str, Any]:
    """Make the output of a cell that displays."""
    return {"output_type": "display_data", "data": {form: content}, "metadata": {}}


ERROR = {
    "output_type": "error",
    "ename": "TypeError",
    "evalue": "no",
    "traceback": ["TypeError: no"],
}
CELLS = [
    text("# A specimen\n\nA quokka, $x^2$.\n\n$$\\sum_i x_i$$\n\n> **Predict.** One."),
    code("print(1)", stream("stdout", "a long line, " * 40)),
    code("2", display("text/plain", "two"), "hide-input"),
    code("3", display("text/plain", "three"), "hide-output"),
    code("warn()", stream("stderr", ANSI)),
    code("picture", display("text/html", PICTURE)),
    code("fail()", ERROR),
    text("## A part\n\n<details><summary>Hint</summary>\n\n`jnp.where`\n\n</details>"),
    text(f"| call | rule |\n|-|-|\n| `{'jax.vmap' * 9}` | one |\n\n> [!TIP]\n> Two."),
    text("```pycon\n>>> 1 + 1\n2\n```\n\n[The part above](00_specimen.ipynb#a-part)"),
]


def plant(tree: Path, executed: Mapping[str, str] = EXECUTED, repository: str = "") -> Path:
    """Write the lesson, with the course's own configuration and landing page around it."""
    shutil.copytree(ROOT / "docs", tree / "docs")
    for name in ("conf.py", "index.md"):
        shutil.copy(ROOT / name, tree)
    # The page of claims links to sections of the lessons, which are not here.
    pages = {"README": "A course", "CONTRIBUTING": "How to add to it", "docs/claims": "Claims"}
    for name, title in pages.items():
        (tree / f"{name}.md").write_text(f"# {title}\n\nIt is short.\n")
    urls = f'urls = {{ Repository = "{repository}" }}' if repository else ""
    (tree / "pyproject.toml").write_text(f"[project]\n{urls}\n")
    language = {"name": "python", "pygments_lexer": "ipython3"}
    metadata = {"language_info": language, "traced": {"executed": executed}}
    notebook = {"cells": CELLS, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}
    (tree / "notebooks").mkdir()
    (tree / "notebooks/00_specimen.ipynb").write_text(json.dumps(notebook))
    (tree / "notebooks/00_specimen.md").write_text("# A specimen\n")
    return tree
