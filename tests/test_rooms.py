"""The arrows between the rooms of the package run downwards, and only one room looks inside JAX."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "traced"
#: The rooms from top to bottom.
ROOMS = re.findall(r"^\| `(\w+)` \|", (PACKAGE / "README.md").read_text(), re.MULTILINE)
#: The doors for readers, which import from any room.
DOORS = ("__init__", "show", "probes", "questions", "testing", "plugin")
#: What of JAX is not for everybody.
INSIDE_JAX = re.compile(r"\b(jax|jaxlib)\.((\w+\.)*_\w+|extend)\b")


def imported(tree):
    """Yield what a file imports, wherever it does so, and names that it imports as texts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and _is_import(node.func):
            yield from (_text(argument) for argument in node.args[:1])


def _is_import(function):
    name = getattr(function, "attr", getattr(function, "id", ""))
    return name in ["import_module", "__import__", "find_spec", "run_module", "resolve_name"]


def _text(node):
    """Return the text of a literal or an f-string, with `*` for what is filled in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(each) for each in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else "*"


def faults(file, text):
    """Return what a file, named from the package's folder, imports that it may not."""
    room, tree, found = Path(file).parts[0].removesuffix(".py"), ast.parse(text), []
    for name in imported(tree):
        if name.startswith("traced.") and (fault := _arrow(room, name.split(".")[1])):
            found.append(f"{file} imports {name}: {fault}")
        if (INSIDE_JAX.search(name) or name == "*") and room != "internals":
            found.append(f"{file} imports {name}: only `internals` looks inside JAX")
        if "_src" in name:
            found.append(f"{file} imports {name}: nobody imports `jax._src`")
    for node in ast.walk(tree):
        texts = " ".join(map(_text, node.args)) if isinstance(node, ast.Call) else ""
        if INSIDE_JAX.search(texts) and _is_import(node.func):
            found.append(f"{file}, line {node.lineno}: an import by string hides what is read")
        if isinstance(node, ast.Constant | ast.JoinedStr) and "jax._src" in _text(node):
            found.append(f"{file}, line {node.lineno}: names `jax._src`")
        if isinstance(node, ast.Attribute) and node.attr == "_src":
            found.append(f"{file}, line {node.lineno}: reads `_src`")
    return found


def _arrow(room, other):
    if room in DOORS:
        return ""
    if other not in ROOMS:
        allowed = other == "questions" and room == "lessons"
        return "" if allowed else "doors are for readers"
    return "" if ROOMS.index(room) <= ROOMS.index(other) else f"`{room}` lies below `{other}`"


FILES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=str)
def test_a_file_imports_from_its_room_and_from_those_below(file):
    assert faults(str(file), (PACKAGE / file).read_text()) == []


def test_the_table_has_every_room():
    assert set(ROOMS) == {file.parts[0] for file in FILES if len(file.parts) > 1}
    assert {file.stem for file in FILES if len(file.parts) == 1} == set(DOORS)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("internals/frames.py", "from traced.lessons import LESSONS"),
        ("running/guard.py", "def f():\n    from traced.course import journal"),
        ("findings/deep/er.py", "import traced.randomness.keys"),
        ("purity/effects.py", "m = importlib.import_module('traced.lessons.loops')"),
        ("purity/effects.py", "m = importlib.import_module(f'traced.{name}.loops')"),
        ("modules/changes.py", "from traced.show import show_tree"),
        ("programs/hlo.py", "from jax.extend.core import Jaxpr"),
        ("internals/frames.py", "import_module('jax.experimental.key_reuse._core')"),
        ("internals/frames.py", "import jax._src.core"),
        ("internals/frames.py", "sys.modules['jax._src.core']"),
        ("internals/frames.py", "jax._src.core.Jaxpr"),
    ],
)
def test_a_planted_violation_is_found(file, text):
    assert faults(file, text)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("lessons/loops/smooth.py", "from traced.questions import returns"),
        ("lessons/progress.py", "import_module(f'traced.lessons.{lesson}')"),
        ("running/guard.py", "from traced.python.places import Place"),
        ("internals/frames.py", "from jax.extend.core import Jaxpr"),
    ],
)
def test_what_is_allowed_is_not_found(file, text):
    assert faults(file, text) == []
