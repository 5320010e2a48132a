"""What is public says what it does, has examples that run, and findings point to sections."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import traced
from traced import probes
from traced.findings.catalogue import CATALOGUE
from traced.modules.changes import find_module_changes
from traced.modules.modes import compare_modes
from traced.programs.memory import measure_program
from traced.purity.effects import find_effects
from traced.purity.hidden_reads import find_hidden_reads
from traced.python.calls import count_python_calls
from traced.pytrees.axes import map_axes

ROOT = Path(traced.__file__).parent
MODULES = [
    importlib.import_module(each.name) for each in pkgutil.walk_packages(traced.__path__, "traced.")
]


@pytest.mark.parametrize("door", [traced, probes], ids=lambda door: door.__name__)
def test_the_table_of_contents_is_sorted_and_complete(door):
    imported = [
        alias.name
        for node in ast.parse(Path(door.__file__).with_suffix(".pyi").read_text()).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if not alias.asname  # what IPython looks for is no reader's
    ]
    assert sorted(imported) == sorted(door.__all__)
    assert door.__all__ == sorted(door.__all__, key=lambda name: (name.islower(), name))
    assert all(getattr(door, name).__name__ == name for name in imported)


def test_what_every_reader_meets_is_short():
    assert len(traced.__all__) <= 15


def test_a_probe_without_flax_does_not_import_it():
    code = "import sys; from traced.probes import find_effects; print('flax' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert printed.stdout == b"False\n"


def public():
    for module in MODULES:
        # What a reader would write has no docstrings.
        if "solutions" in module.__name__ or module.__name__.endswith(
            (".paired_programs", ".digits")
        ):
            continue
        for name, thing in vars(module).items():
            defined_here = getattr(thing, "__module__", None) == module.__name__
            if defined_here and not name.startswith("_") and callable(thing):
                yield pytest.param(thing, id=f"{module.__name__}.{name}")


@pytest.mark.parametrize("thing", list(public()))
def test_what_is_public_says_in_one_sentence_what_it_does(thing):
    first = (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")
    assert re.fullmatch(r"[A-Z`].*[.]", first), first
    assert len(first) <= 200


FUNCTIONS = [name for name in traced.__all__ if not inspect.isclass(getattr(traced, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_readers_call_has_an_example(name):
    examples = doctest.DocTestFinder().find(inspect.unwrap(getattr(traced, name)), name)
    assert any(test.examples for test in examples)


@pytest.mark.parametrize(
    "look",
    [
        compare_modes,
        count_python_calls,
        find_effects,
        find_hidden_reads,
        find_module_changes,
        map_axes,
        measure_program,
        traced.count_equations,
        traced.find_equations,
    ],
)
def test_what_cannot_be_called_is_refused_by_name(look):
    with pytest.raises(TypeError, match="`f` must be a callable, got int"):
        look(3)


def headings(lesson):
    text = (ROOT.parent / "notebooks" / f"{lesson}.md").read_text()
    return re.findall(r"^## (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize("code", [code for code, entry in CATALOGUE.items() if entry.lesson])
def test_a_finding_points_to_a_section_that_exists(code):
    entry = CATALOGUE[code]
    for lesson, section in [(entry.lesson, entry.section), *entry.also.items()]:
        assert section in headings(lesson)
