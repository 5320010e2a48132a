"""The lessons open where the page on that says so."""

import os
import re
import subprocess
import sys
from pathlib import Path

import jupytext
import pytest
from bs4 import BeautifulSoup
from IPython.core.interactiveshell import InteractiveShell
from nbconvert import HTMLExporter
from traitlets.config import Config

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/anywhere.md").read_text("utf-8")
(CELL,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def shell(monkeypatch):
    """Return a shell that writes down what it would run in the system's own."""
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    shell.asked = []
    monkeypatch.setattr(shell, "system", shell.asked.append)
    return shell


@pytest.mark.parametrize("there", [True, False])
def test_the_cell_for_colab_installs_where_the_package_is_missing(shell, monkeypatch, there):
    if not there:
        # What the import system takes for a module that was looked for in vain.
        monkeypatch.setitem(sys.modules, "traced", None)
    shell.run_cell(CELL).raise_error()
    wheels = [re.sub(r".* -m pip ", "", line) for line in shell.asked]
    assert wheels == ([] if there else ["install -q ./jax_traced-*.whl"])


def test_a_lesson_runs_as_a_plain_python_file(tmp_path):
    notebook = jupytext.read(ROOT / "notebooks/00_start_here.ipynb")
    script = tmp_path / "00_start_here.py"
    jupytext.write(notebook, script, fmt="py:percent")
    run = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, env=dict(os.environ)
    )
    assert run.returncode == 0, run.stderr
    assert "TypeError" in run.stdout


def test_a_lesson_becomes_a_page_with_all_that_it_shows():
    notebook = ROOT / "notebooks/02_tracing.ipynb"
    page, _ = HTMLExporter().from_filename(str(notebook))
    cells = (cell for cell in jupytext.read(notebook).cells if cell.cell_type == "code")
    shown = [output.get("data", {}) for cell in cells for output in cell.outputs]
    # The page is written by this parser, which has spellings of its own.
    drawn = [
        str(BeautifulSoup(data["text/html"], "html.parser"))
        for data in shown
        if "text/html" in data
    ]
    assert any("<details" in each for each in drawn)
    assert any("data:image/svg" in each for each in drawn)
    assert [each for each in drawn if each not in page] == []


# One of its own libraries is imported under an old name.
@pytest.mark.filterwarnings("ignore:pythonjsonlogger:DeprecationWarning")
def test_repo2docker_reads_environment_and_post_build(monkeypatch):
    """An environment with local files is made once the repository has been copied."""
    from repo2docker.app import Repo2Docker

    monkeypatch.chdir(ROOT)
    packs = (kind(base_image="any") for kind in Repo2Docker().buildpacks)
    pack = next(each for each in packs if each.detect())
    pack.platform = "linux/amd64"
    assert (type(pack).__name__, pack.python_version) == ("CondaBuildPack", "3.13")
    assert pack.get_post_build_scripts() == ["postBuild"]
    assert os.access(ROOT / "postBuild", os.X_OK)
    recipe = pack.render({})
    steps = ["COPY --chown=1000:1000 src/ ", '--file "environment.yml"', "RUN ./postBuild"]
    places = [recipe.index(step) for step in steps]
    assert places == sorted(places)
