"""Prove that `make` works on a fresh machine, and says in one line what is missing there."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import pytest

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = re.findall(r"^([a-z]+):", MAKEFILE, flags=re.MULTILINE)
VENV = ".venv/here"

# What a make around this test, the screen and the machine's package settings would change.
HIDDEN = re.compile(
    r"MAKE\w*|MFLAGS|PYTHON|PORT|ARGS|BROWSER|\w*DISPLAY|(PIP|UV|JUPYTER|PYTEST)_\w+"
)
UNREACHABLE = "http://127.0.0.1:9/"

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="this machine has no make")


def environment(folder: Path) -> dict[str, str]:
    """Return the environment variables of a new reader without a screen."""
    kept = {name: value for name, value in os.environ.items() if not HIDDEN.fullmatch(name)}
    return kept | {"HOME": str(folder), "PIP_CONFIG_FILE": os.devnull, "LC_ALL": "C"}


def write_program(path: Path, body: str) -> Path:
    """Write a shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with a space in its name, and in it what `make` reads."""
    folder = tmp_path / "my course"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "requirements.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture
def installed(checkout: Path) -> Path:
    """Return such a folder with a complete environment: the one that runs this test."""
    write_program(checkout / VENV / "bin/python", f'exec "{sys.executable}" "$@"')
    (checkout / VENV / ".stamp").write_text(f"{checkout.resolve()}\n")
    return checkout


def make(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `make` to its end."""
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env=environment(folder) | variables,
        capture_output=True,
        text=True,
        timeout=60,
    )


def complaint(result: subprocess.CompletedProcess[str]) -> str:
    """Return the one line that a failing `make` says besides its own."""
    assert result.returncode == 2
    (line,) = [line for line in result.stderr.splitlines() if "***" not in line]
    return line


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """Run `make` as a terminal does, in a process group of its own, and yield it and its log."""
    log = folder / "log"
    terminal, end = os.openpty()
    with (
        log.open("wb") as file,
        subprocess.Popen(
            ["make", *arguments],
            cwd=folder,
            env=environment(folder),
            stdin=end,
            stdout=file,
            stderr=file,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process, log
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            os.close(terminal)
            os.close(end)


def wait_for(pattern: str, log: Path) -> str:
    """Return what a pattern matches once it is in the log."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if found := re.search(pattern, log.read_text()):
            return found[0]
        time.sleep(0.05)
    raise AssertionError(f"{pattern} is not in the log:\n{log.read_text()}")


def interrupt(process: subprocess.Popen[bytes], log: Path) -> None:
    """Press Ctrl-C, and check that this is the end of it."""
    os.killpg(process.pid, signal.SIGINT)
    # A make that is interrupted and has nothing to complain of ends by the same signal.
    try:
        status = process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"it goes on:\n{log.read_text()}") from None
    assert status in (0, -signal.SIGINT), log.read_text()
    assert not re.search(r"Traceback|\*\*\*|\[y/n\]", log.read_text(), flags=re.IGNORECASE)


def fetch(address: str) -> str:
    """Return the page at an address of this machine."""
    with build_opener(ProxyHandler({})).open(address, timeout=20) as page:
        text: str = page.read().decode()
    return text


@pytest.mark.parametrize("arguments", [[], ["help"]], ids=["make", "make help"])
def test_help_lists_every_target_on_a_line_of_its_own(checkout: Path, arguments: list[str]) -> None:
    """Help works before anything is installed."""
    listed = re.findall(r"^make (\w+) +\w", make(checkout, *arguments).stdout, flags=re.MULTILINE)
    assert listed == TARGETS


def test_the_page_for_authors_has_no_other_commands_and_no_path_that_is_gone() -> None:
    """What stands for a name is written in capitals."""
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    commands = re.findall(r"^\$ (.*)|`(make\b.*?)`", page, flags=re.MULTILINE)
    assert {shell or inline for shell, inline in commands} >= {"make test", "make format"}
    for words in ((shell or inline).split() for shell, inline in commands):
        assert words[0] == "make"
        assert words[1] in TARGETS
        assert all(re.match(r"(ARGS|PYTHON)=", word) for word in words[2:])
    for path in re.findall(r"`((?:traced|tests|docs|notebooks)/[^`]*)`", page):
        assert (ROOT / path).exists() or re.search(r"[A-Z]{2}", path), path


def test_what_ci_leaves_out_on_the_floor_is_a_marker() -> None:
    """Pytest takes any other word for one that no test has."""
    left_out = re.findall(r"not (\w+)'", (ROOT / ".ci/run").read_text())
    markers = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert left_out == ["seen_once"]
    assert "seen_once" in [marker.partition(":")[0] for marker in markers["markers"]]


def test_a_missing_python_is_named(checkout: Path) -> None:
    """The line repeats the command, for the reader to complete."""
    line = complaint(make(checkout, "learn", "PYTHON=python9"))
    assert line.startswith("python9 was not found. ")
    assert "3.11 or newer: make learn PYTHON=" in line


def test_an_old_python_is_named_with_its_version(checkout: Path) -> None:
    """The line says what there is, what is needed and what to try."""
    pretend = "import sys; sys.version_info = (3, 10, 13)"
    old = write_program(
        checkout / "old python",
        f'[ "$1" = -V ] && echo Python 3.10.13 || exec "{sys.executable}" "$1" "{pretend}; $2"',
    )
    assert complaint(make(checkout, "test", f"PYTHON={old}")) == (
        f"This needs Python 3.11 or newer; {old} is 3.10.13. Try: make test PYTHON=python3.12"
    )
    assert not (checkout / ".venv").exists()


def test_a_python_that_cannot_make_environments_is_named(checkout: Path) -> None:
    """Debian's is one as long as a package is missing."""
    bare = write_program(
        checkout / "bare", f'case "$*" in *ensurepip*) exit 1;; esac; exec "{sys.executable}" "$@"'
    )
    line = complaint(make(checkout, "learn", f"PYTHON={bare}"))
    assert line.startswith(f"{bare} cannot make environments. ")
    assert "apt install python{}.{}-venv".format(*sys.version_info) in line


def test_a_first_install_without_network_says_where_the_details_are(checkout: Path) -> None:
    """What it leaves is not taken for an environment the next time."""
    arguments = [f"PYTHON={sys.executable}", f"VENV={VENV}", "learn"]
    offline = {"PIP_INDEX_URL": UNREACHABLE, "UV_INDEX_URL": UNREACHABLE, "PIP_RETRIES": "0"}
    result = make(checkout, *arguments, **offline)
    assert complaint(result) == (
        f"Making {VENV} failed: is there a network? {VENV}.log has the details."
    )
    assert result.stdout.startswith(f"Making {VENV} (")
    assert "uv==" in (checkout / f"{VENV}.log").read_text()
    assert (checkout / VENV).exists()
    assert make(checkout, *arguments, "-q").returncode == 1


def test_an_installed_environment_is_used_again(checkout: Path) -> None:
    """This one is installed by programs that only pretend to."""
    copy = f'mkdir -p {VENV}/bin && cp "$0" {VENV}/bin/python && cp "$0" {VENV}/bin/uv'
    program = write_program(checkout / "program", f'[ "$2" != venv ] || {{ {copy}; }}')
    arguments = [f"PYTHON={program}", f"VENV={VENV}", "learn"]
    assert f"Making {VENV}" in make(checkout, *arguments).stdout
    assert f"Making {VENV}" not in make(checkout, *arguments).stdout


def test_a_complete_environment_is_used_again(installed: Path) -> None:
    """There is nothing to do, not even a Python to look for."""
    stamp = f"{VENV}/.stamp"
    assert make(installed, "PYTHON=python9", f"VENV={VENV}", "-q", stamp).returncode == 0


@pytest.mark.parametrize("changed", ["requirements.txt", "pyproject.toml"])
def test_an_environment_is_brought_up_to_date(installed: Path, changed: str) -> None:
    """A newer lock means newer packages."""
    os.utime(installed / changed, (time.time() + 10, time.time() + 10))
    result = make(installed, f"PYTHON={sys.executable}", f"VENV={VENV}", "-n", "learn")
    assert f"Updating {VENV}" in result.stdout
    assert "venv --clear" not in result.stdout


def test_an_environment_that_was_copied_along_is_made_anew(installed: Path) -> None:
    """It would import the package of the checkout that it was made in."""
    copy = shutil.copytree(installed, installed.with_name("copy"))
    result = make(copy, f"PYTHON={sys.executable}", f"VENV={VENV}", "-n", "learn")
    assert f"Making {VENV}" in result.stdout
    assert "venv --clear" in result.stdout


@pytest.mark.parametrize("failing", ["ruff", "mypy", "pytest", "nothing"])
def test_every_check_counts_and_the_summary_comes_last(installed: Path, failing: str) -> None:
    """A fault of style hides neither the tests' verdict nor is it hidden by it."""
    write_program(
        installed / VENV / "bin/python",
        f'[ "$2" = pytest ] && echo "== 1 passed in 1s =="; [ "$2" != {failing} ]',
    )
    result = make(installed, f"VENV={VENV}", "test")
    assert (result.returncode == 0) is (failing == "nothing")
    assert result.stdout.splitlines()[-1] == "== 1 passed in 1s =="


STORING = ["write_map", "execute_choices", "execute_guide", "write_claims", "execute_pictures"]
STORING += ["execute_landing", "write_measured"]


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        (
            ["notebooks", "ARGS=02_tracing"],
            [
                "notebooks/execute.py 02_tracing",
                "docs/write_map.py",
                "docs/execute_choices.py 02_tracing",
            ],
        ),
        (["notebooks"], ["notebooks/execute.py", *(f"docs/{name}.py" for name in STORING)]),
        (["exercise", "ARGS=dropout"], ["-m pytest -q tests/lessons --exercise dropout"]),
        (
            ["guide", "ARGS=keys-reused"],
            [
                "docs/execute_guide.py keys-reused",
                "-m pytest -q tests/test_guide.py -k keys-reused",
            ],
        ),
    ],
    ids=" ".join,
)
def test_a_contribution_is_run_and_nothing_else(
    installed: Path, arguments: list[str], runs: list[str]
) -> None:
    """It runs with bytecode, which some images forbid."""
    write_program(installed / VENV / "bin/python", 'echo "$@$PYTHONDONTWRITEBYTECODE"')
    result = make(installed, f"VENV={VENV}", *arguments, PYTHONDONTWRITEBYTECODE=" without")
    assert result.stdout.splitlines() == runs


@pytest.mark.parametrize("target", ["notebooks", "guide"])
def test_what_authors_run_is_not_noted_as_progress(installed: Path, target: str) -> None:
    write_program(installed / VENV / "bin/python", 'echo "$TRACED_JOURNAL"')
    result = make(installed, f"VENV={VENV}", target, "ARGS=02_tracing", TRACED_JOURNAL="a reader's")
    assert {*result.stdout.splitlines()} == {"_build/journal.jsonl"}


def test_a_room_is_checked_with_its_tests(installed: Path) -> None:
    """A room without tests of its own has its examples."""
    write_program(installed / VENV / "bin/python", 'echo "$@"')
    (installed / "tests/purity").mkdir(parents=True)
    always = "tests/test_rooms.py tests/test_package.py"
    for room, tests in {"purity": " tests/purity ", "internals": "  "}.items():
        result = make(installed, f"VENV={VENV}", "room", f"ARGS={room}")
        assert result.stdout.splitlines()[
            -1
        ] == f"-m pytest -q traced/{room}{tests}{always}".replace("  ", " ")


@pytest.mark.parametrize("target", ["room", "exercise", "guide"])
def test_what_to_run_has_to_be_named(installed: Path, target: str) -> None:
    """The line shows how."""
    line = complaint(make(installed, f"VENV={VENV}", target))
    assert re.fullmatch(rf"Which one\? make {target} ARGS=[a-z-]+", line)


def test_learn_serves_the_first_lesson_until_ctrl_c(installed: Path) -> None:
    """It does so without a screen, and when the usual port is taken."""
    with ExitStack() as stack:
        usual = "the usual port, which something else has for now"
        with suppress(OSError):
            stack.enter_context(socket.create_server(("127.0.0.1", 8888)))
            usual = ":8888/"
        process, log = stack.enter_context(running(installed, f"VENV={VENV}", "learn"))
        address = wait_for(r"http://127.0.0.1:\S+", log)
        assert usual not in address
        assert "/lab/tree/notebooks/00_start_here.ipynb?token=" in address
        assert "JupyterLab" in fetch(address)
        interrupt(process, log)


def test_learn_can_be_interrupted_before_it_serves(installed: Path) -> None:
    """A first start takes seconds, in which Python would show a traceback."""
    slow = installed / "jupyterlab/__init__.py"
    slow.parent.mkdir()
    slow.write_text("print('importing', flush=True)\nimport time\ntime.sleep(60)\n")
    with running(installed, f"VENV={VENV}", "learn") as (process, log):
        wait_for("importing", log)
        interrupt(process, log)


def test_a_checkout_stays_clean_whatever_a_reader_does(installed: Path) -> None:
    """What is changed, added and given anew lies where git does not look."""

    def git(*arguments: str) -> str:
        named = ["-c", "user.name=a reader", "-c", "user.email=reader@localhost"]
        command = ["git", *named, *arguments]
        return subprocess.run(
            command, cwd=installed, env=environment(installed), capture_output=True, text=True
        ).stdout

    shutil.copy(ROOT / ".gitignore", installed)
    git("init")
    git("add", "--all")
    git("commit", "--message=The course")
    assert "Makefile" in git("ls-files")
    learn = [sys.executable, "-m", "traced.command", "learn", "work", "--no-lab"]
    subprocess.run(learn, cwd=installed, check=True, capture_output=True)
    lesson = installed / "work/notebooks/02_tracing.ipynb"
    lesson.write_text("my answers")
    lesson.with_name("mine.ipynb").write_text("a notebook of my own")
    (installed / "work/model.npy").write_text("weights")
    assert make(installed, f"VENV={VENV}", "reset").returncode == 0
    assert lesson.with_name("02_tracing.old.ipynb").read_text() == "my answers"
    assert lesson.read_text() != "my answers"
    assert git("status", "--porcelain") == ""


def test_serve_shows_the_site_until_ctrl_c(installed: Path) -> None:
    """When the port is taken it says so and finds another."""
    site = installed / "_build/site/index.html"
    site.parent.mkdir(parents=True)
    site.write_text("the site")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        arguments = (f"VENV={VENV}", f"PORT={port}", "--old-file=site", "serve")
        with running(installed, *arguments) as (process, log):
            address = wait_for(r"http://127.0.0.1:\d+/", log)
            assert f"Port {port} is taken" in log.read_text()
            assert fetch(address) == "the site"
            interrupt(process, log)
