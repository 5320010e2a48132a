"""The house rules: arrows between layers, what is public, and how large things are."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from statistics import median, quantiles

import pytest

import traced
from traced.catalogue import CATALOGUE

ROOT = Path(traced.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
MODULES = [
    importlib.import_module(each.name) for each in pkgutil.walk_packages(traced.__path__, "traced.")
]
#: What each layer may import of the package.
ALLOWED = {
    "probes": {"probes"},
    "show": {"probes", "show"},
    "solutions": set(),
    "lessons": {"attempt", "exercise", "feedback", "questions", "solutions", "probes"},
}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def functions():
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                yield path, node


def body_length(node):
    first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
    return node.end_lineno - first.lineno + 1


@pytest.mark.parametrize("layer", ALLOWED)
def test_a_layer_imports_only_what_lies_below_it(layer):
    for path in (ROOT / layer).glob("*.py"):
        used = {name.split(".")[1] for name in imports(path) if name.startswith("traced.")}
        assert used <= ALLOWED[layer], path.name


def test_only_one_folder_reads_what_is_not_public_in_jax():
    private = [p for p in FILES if any(re.match(r"jax\.(extend|_src)", n) for n in imports(p))]
    assert {path.parent.name for path in private} == {"internals"}
    assert not any("_src" in name for path in FILES for name in imports(path))


def test_the_table_of_contents_is_sorted_and_complete():
    tree = ast.parse((ROOT / "__init__.py").read_text())
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    by_file = {
        node.module: tuple(alias.name for alias in node.names)
        for node in imported
        if node.module.startswith("traced.")
    }
    # What types are checked by, and what is loaded when it is asked for, are the same.
    assert {f"traced.{file}": names for file, names in traced.FILES.items()} == by_file
    assert sorted(sum(by_file.values(), ())) == sorted(traced.__all__)
    assert set(traced.__all__) <= set(dir(traced))
    assert traced.__all__ == sorted(traced.__all__, key=lambda name: (name.islower(), name))
    assert len(traced.__all__) <= 15


def test_to_import_the_package_loads_nothing_of_it():
    code = "import sys, traced; print([name for name in sys.modules if 'traced.' in name])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_files_and_functions_are_small():
    lines = [len(path.read_text().splitlines()) for path in FILES]
    bodies = [body_length(node) for _, node in functions()]
    assert max(lines) <= 300
    assert median(lines) <= 120
    assert median(bodies) < 8
    assert quantiles(bodies, n=10)[-1] <= 25


def public():
    for module in MODULES:
        if "solutions" in module.__name__:
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


def headings(lesson):
    text = (ROOT.parent / "notebooks" / f"{lesson}.md").read_text()
    return re.findall(r"^## (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize("code", [code for code, entry in CATALOGUE.items() if entry.lesson])
def test_a_finding_points_to_a_section_that_exists(code):
    entry = CATALOGUE[code]
    assert entry.section in headings(entry.lesson)
