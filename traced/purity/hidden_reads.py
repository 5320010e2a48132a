"""Find what a function reads besides its arguments: globals, closure variables, attributes."""

import contextlib
import dis
import enum
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import jax

from traced.python.calls import require_callable
from traced.python.mutables import is_readers_module
from traced.python.places import Place, is_library_code, place_at
from traced.python.reachable import GONE, IMMUTABLE, defaults, wrapped
from traced.python.values import brief

#: Methods that write to a container and read nothing of it.
WRITERS = {"add", "append", "appendleft", "clear", "extend", "insert", "update"}

#: A kind of read, a name in the reader's code, and what that stands for.
Known = tuple[str, str, Any]


@dataclass(frozen=True)
class HiddenRead:
    """Something a function reads that is not passed to it: its kind, name, value and place.

    `kind` is `global`, `closure`, `attribute` or `default`: one of an argument, or bound by
    `partial`.
    `mutable` says whether the value can change in place; but for defaults, the name can be bound
    to another value as well. `place` is where it is read first, `thing` the value itself.
    """

    kind: str
    name: str
    value: str
    mutable: bool
    place: Place
    thing: Any = field(repr=False, compare=False)


def find_hidden_reads(f: Callable[..., Any]) -> list[HiddenRead]:
    """Return what `f` and the functions it calls read besides what is passed to them.

    All of it *could* change without `jit` tracing again: `find_stale_reads` finds what *has*
    changed. The code is read, not run: names, and attributes of names. Functions, classes,
    modules, defaults that cannot change and the insides of libraries are left out. Not seen is
    what takes `getattr`, `super` or an index to get at, or is called from inside a container.

    >>> scale = 2.0
    >>> read = find_hidden_reads(lambda x: x * scale)[0]
    >>> read.kind, read.name, read.value, read.mutable
    ('global', 'scale', '2.0', False)
    """
    require_callable(f)
    reader = _Reader()
    reader.use("attribute", "self", f)
    return list(reader.found.values())


class _Reader:
    """Follows names in code to what they stand for, and keeps what is data."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], HiddenRead] = {}
        self.entered: set[tuple[Any, ...]] = set()

    def use(self, kind: str, name: str, thing: object, place: Place | None = None) -> None:
        """Read the code of the reader's that `thing` has, or keep `thing` where it is data."""
        call = inspect.getattr_static(type(thing), "__call__", None)
        if isinstance(thing, FunctionType) and not is_library_code(thing.__code__):
            self.enter(thing, {})
        elif isinstance(thing, MethodType):
            self.use_method(name, thing)
        elif isinstance(thing, partial):
            self.use_partial(kind, name, thing)
        elif (inner := wrapped(thing)) is not None:
            self.use(kind, name, inner, place)
        elif _is_readers_code(call):
            self.use_method(name, MethodType(call, thing))
        elif place and not _is_code(thing) and (kind != "default" or _is_mutable(thing)):
            read = HiddenRead(kind, name, brief(thing), _is_mutable(thing), place, thing)
            self.found.setdefault((kind, name), read)

    def use_method(self, name: str, method: MethodType) -> None:
        f, this = method.__func__, method.__self__
        # A jitted method takes a pytree as it takes any argument; anything else is static there.
        passed = hasattr(f, "trace") and not jax.tree_util.all_leaves([this])
        if isinstance(inner := inspect.unwrap(f), FunctionType):
            first = inner.__code__.co_varnames[0]
            self.enter(inner, {} if passed else {first: ("attribute", name, this)})

    def use_partial(self, kind: str, name: str, thing: "partial[Any]") -> None:
        if not isinstance(thing.func, FunctionType):
            return self.use(kind, name, thing.func)
        names = thing.func.__code__.co_varnames
        bound = dict(zip(names, thing.args, strict=False)) | thing.keywords
        return self.enter(thing.func, {each: ("default", each, bound[each]) for each in bound})

    def enter(self, f: FunctionType, known: dict[str, Known]) -> None:
        """Read the code of `f` if it is the reader's; some of its names are `known`."""
        # The same code reads other things of another object, and comes to an end where it recurses.
        key = (f, *(id(value) for _, _, value in known.values()))
        if key not in self.entered and not is_library_code(f.__code__):
            self.entered.add(key)
            self.read(f, f.__code__, _names(f) | known)

    def read(self, f: FunctionType, code: CodeType, known: dict[str, Known]) -> None:
        """Read `code`, which is that of `f` or inside it."""
        for scope, (first, *attributes), line in _chains(code):
            place = place_at(code.co_filename, line)
            if scope == "code":
                self.read(f, first, {k: known[k] for k in first.co_freevars if k in known})
            elif scope == "local" and first in known:
                self.follow(*known[first], attributes, place)
            elif scope == "global" and first in f.__globals__:
                self.follow("global", first, f.__globals__[first], attributes, place)

    def follow(
        self, kind: str, name: str, thing: object, attributes: list[str], place: Place
    ) -> None:
        for attribute in attributes:
            if isinstance(thing, ModuleType) and not is_readers_module(thing.__name__):
                return
            inside = _attribute(thing, attribute)
            # `self.log.append` uses the list, and not what is in it.
            if inside is GONE and attribute in WRITERS:
                return
            if inside is GONE or isinstance(inside, MethodType):
                thing = thing if inside is GONE else inside
                break
            kind = kind if isinstance(thing, ModuleType) else "attribute"
            name, thing = f"{name}.{attribute}", inside
        self.use(kind, name, thing, place)


def _names(f: FunctionType) -> dict[str, Known]:
    """Return the names of `f` that stand for something before it is called."""
    known: dict[str, Known] = {}
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
        # A cell is empty until the function around it has bound the name.
        with contextlib.suppress(ValueError):
            known[name] = ("closure", name, cell.cell_contents)
    return known | {name: ("default", name, value) for name, value in defaults(f).items()}


def _attribute(thing: object, name: str) -> Any:
    """Return an attribute without running code, a method or property bound, or `GONE`."""
    if name in getattr(type(thing), "_fields", ()):
        return getattr(thing, name)
    inside = inspect.getattr_static(thing, name, GONE)
    if isinstance(thing, ModuleType | type) or name in getattr(thing, "__dict__", ()):
        return inside
    if isinstance(inside, MemberDescriptorType):
        return getattr(thing, name, GONE)
    if isinstance(inside, staticmethod):
        return wrapped(inside)
    owner = type(thing) if isinstance(inside, classmethod) else thing
    if isinstance(inside, property | cached_property | classmethod):
        inside = getattr(inside, "func", None) or wrapped(inside)
    if callable(inside) and isinstance(inner := inspect.unwrap(inside), FunctionType):
        return GONE if is_library_code(inner.__code__) else MethodType(inside, owner)
    # What else is bound when it is looked up is written in C.
    return GONE if hasattr(type(inside), "__get__") else inside


def _is_readers_code(call: object) -> bool:
    inner = inspect.unwrap(call) if callable(call) else None
    return isinstance(inner, FunctionType) and not is_library_code(inner.__code__)


def _is_code(thing: object) -> bool:
    """Return whether `thing` is a function, a class or a module, and no model that is called."""
    is_leaf = jax.tree_util.all_leaves([thing])
    return isinstance(thing, ModuleType | type) or (callable(thing) and is_leaf)


def _is_mutable(thing: object) -> bool:
    if isinstance(thing, tuple):
        return any(map(_is_mutable, thing))
    return not isinstance(thing, (*IMMUTABLE, enum.Enum)) and not _is_code(thing)


def _chains(code: CodeType) -> Iterator[tuple[str, list[Any], int]]:
    """Yield each name that `code` reads, with the attributes of it, and each code inside it.

    `self.w.size` is compiled to a `LOAD_FAST` of `self` and a `LOAD_ATTR` for each attribute, one
    behind the other: a chain ends at the first instruction that is none of these.
    """
    scope, names, line = "", list[Any](), 0
    for opname, argument, at in _instructions(code):
        if names and opname in ("LOAD_ATTR", "LOAD_METHOD"):
            names.append(argument)
        elif not (names and opname == "COPY"):
            # `self.n = 1` takes `self` and reads nothing.
            if names and opname not in ("STORE_ATTR", "DELETE_ATTR", "LOAD_SUPER_ATTR"):
                yield scope, names, line
            if isinstance(argument, CodeType):
                yield "code", [argument], at
            scope = SCOPES.get(opname, "")
            names, line = [argument] if scope else [], at


#: Where an instruction takes a name from.
SCOPES = {
    "LOAD_GLOBAL": "global",
    "LOAD_NAME": "global",
    "LOAD_DEREF": "local",
    "LOAD_FAST": "local",
}


def _instructions(code: CodeType) -> Iterator[tuple[str, Any, int]]:
    cells = {*code.co_cellvars, *code.co_freevars}
    for each in dis.get_instructions(code):
        line = (each.positions and each.positions.lineno) or code.co_firstlineno
        # Newer Pythons have instructions for two names at once, and names for special cases.
        steps = re.findall(r"LOAD_FAST(?!_AND)|STORE_FAST", each.opname) or [each.opname]
        arguments = each.argval if len(steps) == 2 else [each.argval]
        for opname, argument in zip(steps, arguments, strict=False):
            # The cell itself, passed on to a function that closes over it.
            is_cell = opname == "LOAD_FAST" and argument in cells
            yield ("LOAD_CLOSURE" if is_cell else opname), argument, line
