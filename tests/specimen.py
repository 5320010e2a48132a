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


# What the landing page leads to besides lessons, without what takes time to read.
PAGES = {
    "CONTRIBUTING": "How to add to it",
    "docs/about": "What it is",
    "docs/claims": "Claims",
    "docs/guide/index": "Field guide",
    "docs/measured": "Measured",
    "docs/reference": "Reference",
    "docs/guide/findings/cost": "Cost",
    "docs/guide/findings/keys": "Keys",
}
INDEX = """# A course

```{toctree}
:caption: Core
:hidden:

00 Specimens <notebooks/00_specimen>
```

```{toctree}
:caption: About
:hidden:

docs/guide/index
docs/claims
docs/measured
docs/pictures
docs/reference
docs/about
CONTRIBUTING
```
"""


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
    text(
        "# A specimen\n\nA quokka, $x^2$.\n\n$$\\sum_i x_i$$\n\n> **Predict.** One.\n\n"
        "Needed: Python and NumPy. About 7 minutes."
    ),
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


def plant(tree: Path, executed: Mapping[str, str] = EXECUTED, **urls: str) -> Path:
    """Write the lesson, with the course's own configuration and landing page around it."""
    for name in ("_extensions", "_static", "_templates"):
        shutil.copytree(ROOT / "docs" / name, tree / "docs" / name)
    shutil.copy(ROOT / "conf.py", tree)
    (tree / "index.md").write_text(INDEX)
    shutil.copytree(ROOT / "docs/landing", tree / "docs/landing")
    for name, title in PAGES.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / f"{name}.md").write_text(f"# {title}\n\nIt is short.\n")
    known = "\n".join(f'{name} = "{url}"' for name, url in urls.items())
    (tree / "pyproject.toml").write_text(f"[project]\n[project.urls]\n{known}\n")
    language = {"name": "python", "pygments_lexer": "ipython3"}
    metadata = {"language_info": language, "traced": {"executed": executed}}
    write_notebook(tree / "notebooks/00_specimen", CELLS, metadata)
    write_notebook(
        tree / "docs/pictures", [text("# Pictures")], metadata | {"traced": {"executed": EXECUTED}}
    )
    return tree


def write_notebook(path: Path, cells: list[dict[str, Any]], metadata: dict[str, Any]) -> None:
    """Write a notebook, and a text form of its title beside it."""
    path.parent.mkdir(exist_ok=True)
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}
    path.with_suffix(".ipynb").write_text(json.dumps(notebook))
    path.with_suffix(".md").write_text(cells[0]["source"].partition("\n")[0])
