"""Prove that lock, `pyproject.toml` and `environment.yml` agree, and that the lock is what runs."""

import json
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.txt").read_text()
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())

REQUIRES_PYTHON = SpecifierSet(PYPROJECT["project"]["requires-python"])
DEPENDENCIES = [Requirement(line) for line in PYPROJECT["project"]["dependencies"]]
EXTRAS = PYPROJECT["project"]["optional-dependencies"] | PYPROJECT["dependency-groups"]
GROUPS = [Requirement(line) for group in EXTRAS.values() for line in group]

FLOOR = "3.11"
REFERENCE = str(CONDA["dependencies"][0]).removeprefix("python=")
HERE = "{}.{}".format(*sys.version_info)


class Pin(NamedTuple):
    """Hold one entry of the lock: a version of a package, for some machines, with its hashes."""

    requirement: Requirement
    hashes: list[str]

    @property
    def name(self) -> NormalizedName:
        """Return the package's name as it is compared."""
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        """Return the pinned version."""
        (specifier,) = self.requirement.specifier
        assert specifier.operator == "==", f"{self.requirement} is no pin"
        return specifier.version

    def holds_on(self, python: str) -> bool:
        """Tell whether a machine like this one, with that Python, installs the entry."""
        # Early patch releases have pins of their own; of another Python than this, take a late one.
        full = {"python_version": python, "python_full_version": f"{python}.9"}
        marker = self.requirement.marker
        return marker is None or marker.evaluate({} if python == HERE else full)


def read_lock() -> list[Pin]:
    """Return every entry of the lock."""
    text = re.sub(r"^#.*\n", "", LOCK, flags=re.MULTILINE).replace("\\\n", "")
    entries = [re.split(r"\s+--hash=", line) for line in text.splitlines()]
    return [Pin(Requirement(requirement), hashes) for requirement, *hashes in entries]


def pins(python: str) -> dict[NormalizedName, str]:
    """Return what the lock pins for a release of Python, by name."""
    entries = [pin for pin in read_lock() if pin.holds_on(python)]
    versions = {pin.name: pin.version for pin in entries}
    assert len(versions) == len(entries), f"a package is pinned twice for Python {python}"
    return versions


@pytest.mark.parametrize("python", sorted({FLOOR, REFERENCE, HERE}))
def test_the_lock_pins_every_dependency_at_a_version_that_pyproject_allows(python: str) -> None:
    """A dependency without a pin would not be installed."""
    pinned = pins(python)
    versions = {
        dependency: pinned.get(canonicalize_name(dependency.name))
        for dependency in DEPENDENCIES + GROUPS
    }
    assert [
        f"{dependency}: {version}"
        for dependency, version in versions.items()
        if version is None or version not in dependency.specifier
    ] == []


@pytest.mark.parametrize("name", ["jax", "jaxlib", "flax"])
def test_pyproject_allows_the_floor_and_what_follows_before_the_next_release(name: str) -> None:
    """What is promised is what is tested."""
    (dependency,) = [each for each in DEPENDENCIES if each.name == name]
    floor, reference = (pins(python)[canonicalize_name(name)] for python in (FLOOR, REFERENCE))
    major, minor, *_ = Version(reference).release
    assert dependency.specifier == SpecifierSet(f">={floor},<{major}.{minor + 1}")


def test_the_oldest_python_that_pyproject_allows_is_the_floor() -> None:
    """What is promised is what is tested."""
    assert str(REQUIRES_PYTHON) == f">={FLOOR}"


def test_every_pin_has_a_hash() -> None:
    """Hash mode refuses a pin without one."""
    assert [str(pin.requirement) for pin in read_lock() if not pin.hashes] == []
    hashes = [each for pin in read_lock() for each in pin.hashes]
    assert [each for each in hashes if not re.fullmatch(r"sha256:[0-9a-f]{64}", each)] == []


@pytest.mark.parametrize("address", ["://", "@", "--index-url", "--extra-index", "--find-links"])
def test_the_lock_names_no_address(address: str) -> None:
    """Where packages come from is for the reader's machine to say."""
    assert address not in LOCK


def test_conda_installs_the_reference() -> None:
    """On Binder a reader has the releases whose outputs are stored."""
    assert REQUIRES_PYTHON.contains(REFERENCE)
    newest = max((pin.version for pin in read_lock() if pin.name == "jax"), key=Version)
    assert pins(REFERENCE)[canonicalize_name("jax")] == newest


def test_conda_installs_python_and_the_lock_and_nothing_else() -> None:
    """Hash mode refuses any requirement beside the lock."""
    lock = {"pip": ["-r requirements.txt"]}
    assert CONDA["dependencies"] == [f"python={REFERENCE}", "pip", lock]


def test_what_is_installed_is_what_the_lock_pins() -> None:
    """Outputs compared with other releases than the lock's prove nothing about these."""
    pinned = pins(HERE)
    assert {name: metadata.version(name) for name in pinned} == pinned


def test_the_package_is_installed_from_this_checkout() -> None:
    """Kernels start in `notebooks/`, where only an installed package is found."""
    origin = json.loads(metadata.distribution("jax-traced").read_text("direct_url.json") or "{}")
    assert unquote(origin["url"]) == f"file://{ROOT}"


@pytest.mark.parametrize(
    ("tool", "option", "oldest"),
    [
        ("ruff", "target-version", "py" + FLOOR.replace(".", "")),
        ("mypy", "python_version", FLOOR),
    ],
)
def test_tools_check_for_the_oldest_python(tool: str, option: str, oldest: str) -> None:
    """Syntax that the floor cannot read is found on the reference too."""
    # Without the option ruff goes by `requires-python`.
    assert PYPROJECT.get("tool", {}).get(tool, {}).get(option, oldest) == oldest
