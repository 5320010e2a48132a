"""The wheel is installed where nothing of the checkout is, and a lesson runs there."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LESSON = "notebooks/00_start_here.ipynb"
RIGHT = "import jax.numpy as jnp\n\ndef mean_square(x):\n    return jnp.mean(x**2)\n"
#: What would let the checkout, or packages of somebody else's, be found.
HIDDEN = re.compile(r"(PYTHON|PIP|JUPYTER|XDG|VIRTUAL|TRACED|COV)\w*")


def run(command: list[object], folder: Path, **variables: object) -> str:
    """Run a program in a folder and return what it prints."""
    kept = {name: value for name, value in os.environ.items() if not HIDDEN.match(name)}
    told = {"HOME": folder, "TRACED_JOURNAL": folder / "journal.jsonl"} | variables
    result = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=kept | {name: str(value) for name, value in told.items()},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr + result.stdout
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, as a package index would have it."""
    folder = tmp_path_factory.mktemp("dist")
    build = "from hatchling.build import build_wheel; import sys; build_wheel(sys.argv[1])"
    run([sys.executable, "-c", f"import os; os.chdir({str(ROOT)!r}); {build}", folder], folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_a_wheel_carries_the_course_and_no_more(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    lessons = {path.name for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")}
    guide = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs/guide").rglob("*.md")}
    assert {f"traced/carried/notebooks/{name}" for name in lessons} <= names
    assert {f"traced/carried/{name}" for name in guide} <= names
    assert {"traced/py.typed", "traced/__init__.pyi", "traced/course/symptoms.toml"} <= names
    assert "traced/command/jupyter/labconfig/page_config.json" in names
    assert any(name.startswith("traced/carried/docs/measured/") for name in names)
    folders = {name.partition("/")[0] for name in names}
    assert folders == {"traced", f"{wheel.name.rsplit('-', 3)[0]}.dist-info"}
    assert not [
        name for name in names if re.search(r"/tests?/|/test_|_checkpoints|__pycache__", name)
    ]


def test_the_rows_of_the_search_are_in_it_once_the_site_is_built(tmp_path: Path) -> None:
    from build_wheel import ROWS, CarryCourse

    hook = CarryCourse(str(tmp_path), {}, None, None, "", "wheel")  # type: ignore[arg-type]
    assert hook.carried(tmp_path) == {}
    (tmp_path / ROWS).parent.mkdir(parents=True)
    (tmp_path / ROWS).write_text("const COURSE = {};")
    assert hook.carried(tmp_path) == {ROWS: "traced/carried/search-index.js"}


def try_out(python: Path, command: list[object], folder: Path, **variables: object) -> None:
    """Use what is installed as a reader would: a copy, a check, and a lesson from top to bottom."""
    where = (
        "import traced, traced.python.course_files as c; print(traced.__file__); print(c.CARRIED)"
    )
    for line in run([python, "-c", where], folder, **variables).splitlines():
        assert Path(line).is_relative_to(folder), line
    (folder / "answer.py").write_text(RIGHT)
    assert "mean_square: passed" in run([*command, "check", "answer.py"], folder, **variables)
    assert LESSON in run([*command, "learn", "copy", "--no-lab"], folder, **variables)
    execute = [python, "-m", "nbconvert", "--to", "notebook", "--execute", "--stdout"]
    executed = json.loads(run([*execute, folder / "copy" / LESSON], folder, **variables))
    cells = [cell for cell in executed["cells"] if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in cells)
    shown = json.dumps([cell["outputs"] for cell in cells])
    assert "mean_square: not attempted" in shown


def lend_packages(site: Path) -> None:
    """Let an environment find what the package needs among the packages that run this test.

    A `.pth` file that another one leads to is not read, so the checkout stays out of it.
    """
    site.mkdir(parents=True, exist_ok=True)
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")


def test_the_wheel_works_in_an_environment_of_its_own(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "environment"
    run([sys.executable, "-m", "venv", "--without-pip", home], tmp_path)
    python = home / "bin/python"
    installer = [sys.executable, "-m", "pip", f"--python={python}", "install", "--quiet"]
    run([*installer, "--no-index", "--no-deps", wheel], tmp_path)
    lend_packages(Path(run([python, "-c", SITE], tmp_path).strip()))
    try_out(python, [home / "bin/jax-traced"], tmp_path)


SITE = "import sysconfig; print(sysconfig.get_path('purelib'))"
USER_SITE = "import site; print(site.getusersitepackages())"


def test_the_wheel_works_as_a_users_own(wheel: Path, tmp_path: Path) -> None:
    python = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    base = {"PYTHONUSERBASE": tmp_path / "base"}
    installer = [sys.executable, "-m", "pip", f"--python={python}", "install", "--quiet", "--user"]
    always = {"PIP_BREAK_SYSTEM_PACKAGES": "1", **base}
    run([*installer, "--no-index", "--no-deps", wheel], tmp_path, **always)
    lend_packages(Path(run([python, "-c", USER_SITE], tmp_path, **base).strip()))
    try_out(python, [tmp_path / "base/bin/jax-traced"], tmp_path, **base)
