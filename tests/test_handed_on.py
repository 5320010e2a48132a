"""What those use who carry the course on: workflow, hooks, issue forms, citation and changelog."""

import json
import re
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import yaml

ROOT = Path(__file__).parents[1]
CI = (ROOT / ".ci/run").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = re.findall(r"^([a-z]+):", MAKEFILE, flags=re.MULTILINE)
LOCK = (ROOT / "requirements.txt").read_text()
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*-*.yml"))
FIELDS = {"markdown", "input", "textarea", "dropdown", "checkboxes"}
PUSHED = "github.ref == 'refs/heads/main' && github.event_name != 'pull_request'"


def read(path: Path) -> Any:
    """Return what a file of YAML holds; `on` is a word in it, and not a truth value."""
    return yaml.load(path.read_text(), yaml.BaseLoader)


@pytest.fixture(scope="module")
def workflow() -> Any:
    """Return the only workflow."""
    (path,) = (ROOT / ".github/workflows").iterdir()
    return read(path)


def steps(workflow: Any) -> list[Any]:
    """Return the steps of all its jobs."""
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def uses(workflow: Any, action: str) -> list[Any]:
    """Return the steps that use an action, whatever its version."""
    return [each for each in steps(workflow) if each.get("uses", "").partition("@")[0] == action]


def test_the_workflow_runs_what_ci_runs_and_no_command_besides(workflow: Any) -> None:
    """A command of its own could say something else than `.ci/run`."""
    assert [step["run"] for step in steps(workflow) if "run" in step] == [".ci/run"]
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


def test_what_ci_runs_can_be_made() -> None:
    """A target that is renamed in the Makefile is missed here, before anybody waits for a run."""
    made = re.findall(r"(?:^|\s)make ([a-z]+) PYTHON=", CI, flags=re.MULTILINE)
    assert made == ["again", "test", "site"]
    assert set(made) <= set(TARGETS)


def run_again(folder: Path, failed: list[str]) -> subprocess.CompletedProcess[str]:
    """Run `.ci/again.py` in a folder in which these tests have failed last."""
    cache = folder / ".pytest_cache/v/cache/lastfailed"
    cache.parent.mkdir(parents=True)
    cache.write_text(json.dumps(dict.fromkeys(failed, True)))
    command = [sys.executable, ROOT / ".ci/again.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_what_fails_twice_stops_ci_and_what_fails_once_does_not(tmp_path: Path) -> None:
    """The two tests that have failed are run by themselves, without the third."""
    file = tmp_path / "test_it.py"
    file.write_text("def test_a(): pass\n\ndef test_b(): pass\n\ndef test_c(): assert False\n")
    names = ["test_it.py::test_a", "test_it.py::test_b"]
    (tmp_path / "once").mkdir()
    file.rename(tmp_path / "once/test_it.py")
    once = run_again(tmp_path / "once", names)
    assert (once.returncode, "2 passed in" in once.stdout) == (0, True)
    file.write_text("def test_a(): pass\n\ndef test_b(): assert False\n")
    assert run_again(tmp_path, names).returncode == 1


@pytest.mark.parametrize("failed", [[], [f"test_it.py::test_{n}" for n in range(21)]], ids=len)
def test_nothing_is_run_again_where_no_test_or_a_multitude_failed(
    failed: list[str], tmp_path: Path
) -> None:
    """A style that is not ours, or a fault that breaks everything, is not an accident."""
    again = run_again(tmp_path, failed)
    assert again.returncode == 1
    assert again.stderr == f"{len(failed)} tests have failed, and none is run again.\n"


def test_the_workflow_sets_up_the_pythons_that_ci_looks_for(workflow: Any) -> None:
    """Without one of them `.ci/run` leaves its tests out."""
    (setup,) = uses(workflow, "actions/setup-python")
    floor, reference, _ = re.findall(r"find_python (3\.\d+)", CI)
    assert setup["with"]["python-version"].split() == [floor, reference]


def test_the_workflow_keeps_the_site_where_make_builds_it(workflow: Any) -> None:
    """It is kept for reading, and on the main branch for the pages."""
    (built,) = set(re.findall(r"-b html \. (\S+)", MAKEFILE))
    kept = uses(workflow, "actions/upload-artifact") + uses(
        workflow, "actions/upload-pages-artifact"
    )
    assert [step["with"]["path"] for step in kept] == ["_build/*.log", built, built]
    assert re.search(r'log="_build/[^"]*\.log"', CI)


def test_only_the_pages_of_the_main_branch_may_write(workflow: Any) -> None:
    """A pull request is somebody else's code."""
    assert workflow["permissions"] == {"contents": "read"}
    assert set(workflow["on"]) == {"push", "pull_request", "workflow_dispatch"}
    assert workflow["on"]["push"] == {"branches": ["main"]}
    writing = {name: job for name, job in workflow["jobs"].items() if "permissions" in job}
    assert {name: job["permissions"] for name, job in writing.items()} == {
        "pages": {"pages": "write", "id-token": "write"}
    }
    assert writing["pages"]["if"] == PUSHED
    assert writing["pages"]["needs"] == "tests"
    (handed,) = uses(workflow, "actions/upload-pages-artifact")
    assert handed["if"] == PUSHED


def test_every_job_ends_and_every_action_has_a_version(workflow: Any) -> None:
    """By default a job that hangs goes on for six hours."""
    assert all(int(job["timeout-minutes"]) <= 120 for job in workflow["jobs"].values())
    named = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert [each for each in named if not re.fullmatch(r"actions/[a-z-]+@v\d+", each)] == []


HOOKS = {hook["id"]: hook for hook in read(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]}


def test_the_hooks_are_local() -> None:
    """So they run without the address of a repository."""
    assert [each["repo"] for each in read(ROOT / ".pre-commit-config.yaml")["repos"]] == ["local"]
    assert list(HOOKS) == ["ruff", "ruff-format", "quick"]


@pytest.mark.parametrize("hook", ["ruff", "ruff-format"])
def test_ruff_is_that_of_the_lock(hook: str) -> None:
    """Two versions would format each other's work anew."""
    (pinned,) = re.findall(r"^ruff==(\S+)", LOCK, flags=re.MULTILINE)
    assert HOOKS[hook]["additional_dependencies"] == [f"ruff=={pinned}"]


def test_our_own_hook_can_be_made() -> None:
    """It has no files to pass on: it looks at the tree."""
    command, target = HOOKS["quick"]["entry"].split()
    assert command == "make"
    assert target in TARGETS
    assert HOOKS["quick"]["pass_filenames"] == "false"


def test_the_quick_tests_are_there() -> None:
    """Pytest names one that is missing, and collecting takes no second of testing."""
    (listed,) = re.findall(r"^QUICK = (.*\\\n.*)$", MAKEFILE, flags=re.MULTILINE)
    files, prefix, names = re.fullmatch(r"(.*?)\\\n\s+\$\(addprefix (\S+),(.*)\)", listed).groups()  # type: ignore[union-attr]  # it matches, or the test fails
    assert all((ROOT / file).is_file() for file in files.split())
    file, _, start = prefix.partition("::")
    defined = re.findall(r"^def (\w+)", (ROOT / file).read_text(), flags=re.MULTILINE)
    assert {start + name for name in names.split()} <= set(defined)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_is_one_that_the_forge_shows(path: Path) -> None:
    """A form with a fault in it is left out without a word."""
    form = read(path)
    assert set(form) <= {"name", "description", "title", "labels", "body", "assignees"}
    assert form["name"]
    assert form["description"]
    assert len(form["body"]) > 1
    ids = [field["id"] for field in form["body"] if field["type"] != "markdown"]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z-]+", each) for each in ids)
    for field in form["body"]:
        assert field["type"] in FIELDS
        assert set(field) <= {"type", "id", "attributes", "validations"}
        known = {"value"} if field["type"] == "markdown" else {"label", "description", "render"}
        known |= {"placeholder"} if field["type"] in ("input", "textarea") else set()
        assert set(field["attributes"]) <= known
        assert field["attributes"]["value" if field["type"] == "markdown" else "label"]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_the_cell_and_the_versions(path: Path) -> None:
    """Without them nobody can run what the reader ran."""
    fields = {field["id"]: field for field in read(path)["body"] if "id" in field}
    for name in ("cell", "versions"):
        assert fields[name]["validations"] == {"required": "true"}
    asked = fields["versions"]["attributes"]["description"]
    (command,) = re.findall(r'`python -c "(.*)"`', asked)
    run = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    assert run.stdout.startswith("{}.{}".format(*sys.version_info)), run.stderr


def test_each_part_of_what_is_by_turns_has_one_turn_and_the_rest_is_in_all(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test that no turn reaches would be asked by nobody."""
    ours: Any = next(
        plugin
        for plugin in request.config.pluginmanager.get_plugins()
        if getattr(plugin, "__file__", "") == str(ROOT / "tests/conftest.py")
    )
    marked = [f"test_{kind}[{case}]" for case in range(100) for kind in ("right", "wrong")]
    chosen = [asked(ours, marked, request.config, f"{turn}/6", monkeypatch) for turn in range(6)]
    assert all(part[-1] == "test_all_the_same" for part in chosen)
    parts = [name for part in chosen for name in part[:-1]]
    assert sorted(parts) == sorted(marked)
    assert all(len(part) < 80 for part in chosen)
    for part in chosen:
        assert {f"test_wrong[{name.partition('[')[2]}" for name in part[:-1]} <= set(part)


def asked(
    ours: Any, marked: list[str], config: Any, turn: str, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Return the names of those that a run with `--turn` asks, of marked tests and one more."""
    monkeypatch.setattr(config.option, "turn", ours._turn(turn))
    names = {**dict.fromkeys(marked, True), "test_all_the_same": None}
    items: list[Any] = [
        Mock(nodeid=name, get_closest_marker=Mock(return_value=mark))
        for name, mark in names.items()
    ]
    for item, name in zip(items, names, strict=True):
        item.name = name  # `name` means something else to `Mock`
    monkeypatch.setattr(config.hook, "pytest_deselected", Mock(), raising=False)
    ours.pytest_collection_modifyitems(config, items)
    return [item.name for item in items]


def test_there_is_a_form_for_what_matters_here() -> None:
    """Both are faults that every reader can prove."""
    names = ["A sentence is false", "My right answer was rejected"]
    assert [read(path)["name"] for path in FORMS] == names


def test_the_citation_names_this_version() -> None:
    """The format asks for these."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["authors"] == [{"name": "The JAX, Traced developers"}]
    assert str(citation["version"]) == VERSION


def test_the_changelog_begins_with_what_is_new_and_has_versions_in_order() -> None:
    """A release gives its changes a version and a day, and begins a new list."""
    text = (ROOT / "CHANGELOG.md").read_text()
    heads = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
    assert heads[0] == "[Unreleased]"
    released = [
        re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)", head) for head in heads[1:]
    ]
    assert all(released), heads
    days = [date.fromisoformat(each[2]) for each in released if each]
    assert days == sorted(days, reverse=True)
    kinds = set(re.findall(r"^### (.*)$", text, flags=re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
