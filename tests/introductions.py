"""What a lesson introduces, what it uses, and which lessons it says are needed before it.

`docs/introduced/NN_name.toml` lists for each lesson the names of JAX, Flax, optax and this package
that its cells are the first to use, and the terms that its prose sets in bold.
"""

import ast
import contextlib
import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

import execute
import jax
import numpy as np
from nbformat import NotebookNode

FOLDER = Path(__file__).parents[1] / "docs" / "introduced"
LIBRARIES = ("jax", "flax", "optax", "orbax", "traced")
NEEDED = re.compile(r"^Needed: (.*?)$", re.MULTILINE)
LINK = re.compile(r"\((\d\d[a-z]?_\w+)\.ipynb")
SPAN = re.compile(r"`([^`]+)`")
FENCE = re.compile(r"^(```+).*?^\1", re.MULTILINE | re.DOTALL)
BOLD = re.compile(r"\*\*((?:`[^`]*`|[^*`])+)\*\*")


def _methods() -> set[str]:
    """List what JAX's arrays, jitted functions and programs have, and those of NumPy do not."""
    traced = jax.jit(abs).trace(1)
    lowered = traced.lower()
    things = (jax.Array, jax.jit(abs), traced, lowered, lowered.compile())
    known = {*dir(np.ndarray), *dir(type), *dir(dict), *dir(str)}
    return {name for thing in things for name in dir(thing) if name[0] != "_"} - known


METHODS = _methods()


@dataclass(frozen=True)
class Introduced:
    """The names and terms that a lesson introduces."""

    names: tuple[str, ...]
    terms: tuple[str, ...]


@functools.cache
def introduced(lesson: str) -> Introduced:
    """Read what a lesson introduces; names are those of the objects that they lead to."""
    read = tomllib.loads((FOLDER / f"{lesson}.toml").read_text("utf-8"))
    assert set(read) == {"names", "terms"}, f"{lesson}.toml has {sorted(read)}"
    return Introduced(tuple(read["names"]), tuple(read["terms"]))


@functools.cache
def notebook(lesson: str) -> NotebookNode:
    """Return the cells of a lesson."""
    return execute.read_myst(execute.FOLDER / f"{lesson}.md")


@functools.cache
def needs(lesson: str) -> frozenset[str]:
    """Return the lessons that one needs, and those that they need."""
    text = "\n\n".join(cell.source for cell in notebook(lesson).cells if is_markdown(cell))
    line = NEEDED.search(text)
    named = set(LINK.findall(line[1])) if line else set()
    return frozenset(named.union(*map(needs, named)))


def is_markdown(cell: NotebookNode) -> bool:
    """Tell whether a cell is prose."""
    return bool(cell.cell_type == "markdown")


@functools.cache
def canonical(name: str) -> str:
    """Return a dotted name up to the first thing in it that is not a module.

    So `jax.config.update` is `jax.config`; a method such as `.at` stays as it is, and so does a
    name that this release does not have, which a lesson shows to fail.
    """
    if name.startswith("."):
        return name
    parts = name.split(".")
    thing: object = import_module(parts[0])
    for count, part in enumerate(parts[1:], 2):
        thing = _part(thing, part)
        if not isinstance(thing, ModuleType):
            return ".".join(parts[:count])
    return name


def _part(thing: object, name: str) -> object:
    """Return what a module calls `name`, another module too; None if there is nothing."""
    if isinstance(thing, ModuleType) and not hasattr(thing, name):
        with contextlib.suppress(ModuleNotFoundError):
            return import_module(f"{thing.__name__}.{name}")
    return getattr(thing, name, None)


def is_known(name: str) -> bool:
    """Tell whether readers know a name: of NumPy, or of the error that a cell requires."""
    *_, rest = name.partition("jax.numpy.")
    thing: object = np
    for part in rest.split("."):
        thing = getattr(thing, part, None)
    return ".errors." in name or (name.startswith("jax.numpy.") and thing is not None)


@functools.cache
def uses(lesson: str) -> dict[str, int]:
    """Map each name that a lesson's cells use to the place of the first cell that does."""
    aliases: dict[str, str] = {}
    found: dict[str, int] = {}
    for place, cell in enumerate(notebook(lesson).cells):
        if not is_markdown(cell):
            tree = ast.parse(cell.source)
            aliases |= dict(_imports(tree))
            for name in _names(tree, aliases):
                found.setdefault(name, place)
    return found


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield (
                    each.asname or each.name.partition(".")[0],
                    (each.name if each.asname else each.name.partition(".")[0]),
                )
        elif isinstance(node, ast.ImportFrom):
            for each in node.names:
                yield each.asname or each.name, f"{node.module}.{each.name}"


def _names(tree: ast.AST, aliases: dict[str, str]) -> Iterator[str]:
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS and not _dotted(node, aliases):
            yield f".{node.attr}"
        if id(node) not in inner and (name := _dotted(node, aliases)):
            is_own = name.startswith("traced.lessons")
            name = name if is_own else canonical(name)
            thing = None if is_own else _thing(name)
            if thing is not None and not is_known(name) and not isinstance(thing, ModuleType):
                yield name


def _thing(name: str) -> object:
    """Return what a dotted name leads to, None for what this release does not have."""
    thing: object = import_module(name.partition(".")[0])
    for part in name.split(".")[1:]:
        thing = _part(thing, part)
    return thing


def _dotted(node: ast.AST, aliases: dict[str, str]) -> str:
    """Return the full name of `jnp.linalg.norm`, nothing for what is not a library's."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in aliases:
        return ""
    name = ".".join([aliases[node.id], *reversed(parts)])
    return name if name.partition(".")[0] in LIBRARIES else ""


@functools.cache
def said(lesson: str) -> dict[str, int]:
    """Map each word in code marks to the place of the first cell of prose that has it."""
    found: dict[str, int] = {}
    for place, cell in enumerate(notebook(lesson).cells):
        if is_markdown(cell):
            for span in SPAN.findall(FENCE.sub("", cell.source)):
                for word in re.findall(r"\w+", span):
                    found.setdefault(word, place)
    return found


@functools.cache
def bold(lesson: str) -> frozenset[str]:
    """Return the terms that a lesson's prose sets in bold: what is not a sentence of its own."""
    terms = set()
    for cell in notebook(lesson).cells:
        if is_markdown(cell):
            for paragraph in FENCE.sub("", cell.source).split("\n\n"):
                flat = " ".join(paragraph.split())
                if not BOLD.fullmatch(flat) and not flat.startswith("|"):
                    terms |= {term.strip("`").lower() for term in BOLD.findall(flat)}
    return frozenset(term for term in terms if not re.match(r"(exercise|predict)\b", term))
