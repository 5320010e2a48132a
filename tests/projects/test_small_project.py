"""The assertions and the plugin in a project of one's own, which a pytest of its own runs."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SMALL = Path(__file__).parent / "small"

#: What each failing test says, as regular expressions: headline, lines, evidence, page.
SAID = {
    "test_one_trace_of_short_batches": [
        r"AssertionError: train_step: JAX traced again for a new shape  \[tracing/new-shape\]",
        r"  training\.py, line 30:  def train_step\(model, optimizer, x, y\):   \(traced again\)",
        r"seen: traces: 2, where 1 would do",
        r"seen: again: shape: x is f32\[4,4\], was f32\[8,4\]",
        r"read: field guide, tracing/new-shape",
    ],
    "test_one_trace_of_a_decorated_step": [
        r"AssertionError: train_step: JAX traced again for a new shape  \[tracing/new-shape\]",
        r"  training\.py, line 30:  def train_step\(model, optimizer, x, y\):   \(traced again\)",
        r"  test_training\.py, line 47:  step\(model, optimizer, x, y\)   \(called here\)",
        r"seen: again: shape: x is f32\[4,4\], was f32\[8,4\]",
    ],
    "test_a_decorated_test_keeps_its_fixtures": [
        r"AssertionError: train_step: JAX traced again for a new shape",
    ],
    "test_keys[faulty_augmented]": [
        r"AssertionError: faulty_augmented: a random key is used twice  \[keys/reused\]",
        r"  training\.py, line 55:  scale = .*   \(first use\)",
        r"  training\.py, line 56:  return .*   \(second use\)",
        r"read: field guide, keys/reused",
    ],
    "test_purity[faulty_loss]": [
        r"AssertionError: faulty_loss: the function changes what lies .*  \[effects/write\]",
        r"  training\.py, line 25:  HISTORY\.append\(loss\)",
        r"seen: global write: HISTORY",
    ],
    "test_rewriting[faulty_rewritten]": [
        r"AssertionError: faulty_rewritten: the trace has different .*  \[tracing/other-.*\]",
        r"  training\.py, line 60:  return .*   \(first\)",
        r"  training\.py, line 69:  return .*   \(second\)",
        r"seen: second: .*jit\[name=_std\] a.*",
    ],
    "test_an_error_of_jax": [r"TracerConversionError|ConcretizationTypeError"],
    "test_an_error_of_python": [r"assert 20 == 3"],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the project to a folder of its own."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(SMALL / "training.py", folder)
    shutil.copy(SMALL / "check_training.py", folder / "test_training.py")
    return folder


@pytest.fixture(scope="module")
def reports(project: Path) -> dict[str, str]:
    """Run its tests with the plugin, and return what pytest says of each failure."""
    command = [sys.executable, "-m", "pytest", "-p", "traced.plugin", "-p", "no:cacheprovider"]
    run = subprocess.run([*command, "--tb=short"], cwd=project, capture_output=True, text=True)
    failures = run.stdout.partition("= FAILURES =")[2].partition("= short test summary")[0]
    parts = re.split(r"^_+ (test_\S+) _+$", failures, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_each_fault_fails_and_nothing_else_does(reports):
    assert set(reports) == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_a_failure_is_a_finding(reports, name):
    for pattern in SAID[name]:
        assert re.search(rf"^(E +)?.*{pattern}", reports[name], re.MULTILINE), reports[name]


@pytest.mark.parametrize(
    "name", [name for name in SAID if "error" not in name and "decorated_test" not in name]
)
def test_a_failure_shows_no_line_of_the_package(reports, name):
    assert "projects/assertions.py" not in reports[name]


def test_only_an_error_of_jax_is_explained(reports):
    explained = [name for name, report in reports.items() if "explained by traced" in report]
    assert explained == ["test_an_error_of_jax"]
    assert "read: field guide, python-number" in reports["test_an_error_of_jax"]


def test_pytest_does_not_import_what_nobody_asked_for(project):
    code = "import sys, pytest; pytest.main(['--collect-only', '-q', 'none']); "
    code += "print({'jax', 'traced'} & set(sys.modules))"
    folder = project / "none"
    folder.mkdir()
    (folder / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    run = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True)
    assert run.stdout.splitlines()[-1] == "set()", run.stdout
