"""Boxes: things that can change in place, each with what is in it and a way to put that back."""

import pickle
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from types import CellType, MemberDescriptorType
from typing import Any

import numpy as np

from traced.probes.internals.effects import STATE, VARIABLE
from traced.probes.places import is_library
from traced.probes.values import brief

Contents = dict[Any, Any]

#: The key of all that is in a box, where its entries are not told apart.
WHOLE = "(whole)"


@dataclass(frozen=True, eq=False)
class Box:
    """Something that can change in place: what a write to it is called, and its contents.

    `entry` returns what an entry is called in the reader's code, and an empty text for those that
    are none of the reader's concern. `deep` says whether what the entries hold is looked at too,
    `row` whether entries have numbers, which move when one comes or goes.
    """

    kind: str
    thing: Any
    read: Callable[[], Contents]
    write: Callable[[Contents], None]
    entry: Callable[[Any], str]
    deep: bool = True
    row: bool = False


def boxes_of(kind: str, name: str, thing: Any) -> Iterator[Box]:
    """Yield what can change in place of `thing`, which the reader's code calls `name`.

    >>> [box.read() for box in boxes_of("argument write", "x", [3, 4])]
    [{0: 3, 1: 4}]
    """
    make = next((make for types, make in MAKERS if isinstance(thing, types)), None)
    if make:
        yield make(kind, name, thing)
    kind = kind if kind == "argument write" else "attribute write"
    entry = partial(_attribute, name, type(thing))
    if isinstance(getattr(thing, "__dict__", None), dict):
        yield namespace(kind, vars(thing), entry, deep=True)
    if slots := dict(_slots(type(thing))):
        yield _slotted(kind, thing, slots, entry)


def _items(kind: str, name: str, thing: Any) -> Box:
    # The methods of the type itself, past whatever the reader's subclass overrides.
    base: Any = deque if isinstance(thing, deque) else list

    def write(contents: Contents) -> None:
        base.clear(thing)
        base.extend(thing, contents.values())

    def entry(key: Any) -> str:
        return name if key == WHOLE else f"{name}[{key}]"

    return Box(kind, thing, lambda: dict(enumerate(base.__iter__(thing))), write, entry, row=True)


def _entries(kind: str, name: str, thing: Any) -> Box:
    def write(contents: Contents) -> None:
        dict.clear(thing)
        dict.update(thing, contents)

    def entry(key: Any) -> str:
        return f"{name}[{brief(key)}]"

    return Box(kind, thing, lambda: dict(dict.items(thing)), write, entry)


def _set(kind: str, name: str, thing: Any) -> Box:
    def put(members: Any) -> None:
        set.clear(thing)
        set.update(thing, members)

    return _whole(kind, name, thing, lambda: frozenset(thing), put)


def _bytes(kind: str, name: str, thing: Any) -> Box:
    put = partial(thing.__setitem__, slice(None))
    return _whole(kind, name, thing, lambda: bytes(thing), put)


def _array(kind: str, name: str, thing: Any) -> Box:
    return _whole(kind, name, thing, thing.copy, partial(np.copyto, thing))


def generator(kind: str, name: str, thing: Any) -> Box:
    """Return the box of a source of random numbers, NumPy's or Python's: an object or a module."""
    get: Callable[[], Any] = getattr(thing, "getstate", lambda: thing.get_state(legacy=False))
    put: Any = getattr(thing, "setstate", getattr(thing, "set_state", None))
    if isinstance(thing, np.random.Generator):
        bits = thing.bit_generator
        get, put = (lambda: bits.state), partial(setattr, bits, "state")

    def pickled() -> bytes:
        return _State(pickle.dumps(get()))

    return _whole(kind, name, thing, pickled, lambda state: put(pickle.loads(state)))


class _State(bytes):
    def __repr__(self) -> str:
        return "random state"


def _whole(
    kind: str, name: str, thing: Any, get: Callable[[], Any], put: Callable[[Any], Any]
) -> Box:
    def write(contents: Contents) -> None:
        put(contents[WHOLE])

    return Box(kind, thing, lambda: {WHOLE: get()}, write, lambda _: name, deep=False)


def cell(name: str, thing: CellType) -> Box:
    """Return the box that is a closure variable."""

    def read() -> Contents:
        try:
            return {WHOLE: thing.cell_contents}
        except ValueError:
            return {}

    def write(contents: Contents) -> None:
        del thing.cell_contents
        for value in contents.values():
            thing.cell_contents = value

    return Box("closure write", thing, read, write, lambda _: name)


def namespace(
    kind: str, names: dict[str, Any], entry: Callable[[str], str], *, deep: bool = False
) -> Box:
    """Return the box of the names in a dict that Python looks up: a module's or an object's."""
    write = partial(_put_back, names, names.__setitem__, names.__delitem__)
    return Box(kind, names, lambda: dict(names), write, entry, deep)


def class_box(cls: Any) -> Box:
    """Return the box of the attributes of a class."""
    put, drop = partial(type.__setattr__, cls), partial(type.__delattr__, cls)
    write = partial(_put_back, vars(cls), put, drop)
    entry = partial(_attribute, cls.__name__, cls)
    return Box("attribute write", cls, lambda: dict(vars(cls)), write, entry)


def _slotted(
    kind: str, thing: Any, slots: dict[str, MemberDescriptorType], entry: Callable[[str], str]
) -> Box:
    def read() -> Contents:
        return {name: slot.__get__(thing) for name, slot in slots.items() if _has(slot, thing)}

    def put(name: str, value: Any) -> None:
        slots[name].__set__(thing, value)

    def write(contents: Contents) -> None:
        _put_back(read(), put, lambda name: slots[name].__delete__(thing), contents)

    return Box(kind, thing, read, write, entry)


def _slots(cls: type) -> Iterator[tuple[str, MemberDescriptorType]]:
    for base in cls.__mro__:
        if "__slots__" in vars(base):
            members = vars(base).items()
            yield from ((k, v) for k, v in members if isinstance(v, MemberDescriptorType))


def _has(slot: MemberDescriptorType, thing: Any) -> bool:
    try:
        slot.__get__(thing)
    except AttributeError:
        return False
    return True


def _put_back(
    now: Mapping[str, Any],
    put: Callable[[str, Any], None],
    drop: Callable[[str], None],
    contents: Contents,
) -> None:
    for name in now.keys() - contents.keys():
        drop(name)
    for name, value in contents.items():
        if now.get(name, WHOLE) is not value:
            put(name, value)


def _attribute(name: str, cls: type, key: str) -> str:
    if key == VARIABLE:
        return f"{name}[...]"
    if key == STATE and not is_readers(cls.__module__):
        return name
    if key.isdecimal():  # an entry of an `nnx.List`
        return f"{name}[{key}]"
    # NNX keeps its own books under `_pytree__`, in the reader's modules too.
    books = key.startswith(("__", "_pytree__"))
    # What a library's object keeps for itself, or computes when it is first asked for.
    lazy = isinstance(getattr(cls, key, None), cached_property)
    own = is_readers(cls.__module__) or not (lazy or key.startswith("_"))
    return f"{name}.{key}" if own and not books else ""


def is_readers(module: str) -> bool:
    """Return whether a module, named as in `sys.modules`, is the reader's and no library.

    >>> is_readers("jax"), is_readers("__main__")
    (False, True)
    """
    file = getattr(sys.modules.get(module), "__file__", None)
    # What is run as the main module, such as a notebook's kernel, may lie in a library.
    if module == "__main__" or not file:
        return module not in sys.builtin_module_names
    return not is_library(file)


#: Types that change in place other than by attributes, and what makes a box of each.
MAKERS: tuple[tuple[Any, Callable[[str, str, Any], Box]], ...] = (
    (list | deque, _items),
    (dict, _entries),
    (set, _set),
    (bytearray, _bytes),
    (np.ndarray, _array),
    (np.random.Generator | np.random.RandomState | random.Random, generator),
)
